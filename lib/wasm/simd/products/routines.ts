/** The module of sparse products: routines of both precisions. */

import type { Assembler, Routines } from '../../assembler/assembler.ts';
import { defineClear } from '../loops.ts';
import { defineBlocked, defineSliced } from './formats.ts';
import { defineSlicedColumns } from './sliced-columns.ts';
import { defineRowProducts } from './rows.ts';
import { defineTransposed } from './transposed.ts';
import { doubles, singles, type Vectors } from './vectors.ts';

export function defineProducts(module: Assembler, single = singles, double = doubles) {
  const ofType = (vectors: Vectors) => ({
    rows: defineRowProducts(module, vectors),
    transposed: defineTransposed(module, vectors),
    sliced: {
      ordered: defineSliced(module, vectors, true, false),
      runs: defineSliced(module, vectors, true, true),
      listed: defineSliced(module, vectors, false, false),
      blocks: defineSlicedColumns(module, vectors),
    },
    blocked: defineBlocked(module, vectors),
  });
  return { 4: ofType(single), 8: ofType(double), clear: defineClear(module) };
}

export type ProductRoutines = Routines<typeof defineProducts>;
