/** The SIMD twins of the kernel table, which share one module. */

import type { TableKernels } from '../../kernels/table.ts';
import type { Assembler, Routines } from '../assembler/assembler.ts';
import type { Host } from '../threads/executor.ts';
import { denseTwins } from './dense/dense.ts';
import { defineLayout } from './dense/layout.ts';
import { defineDense } from './dense/tiles.ts';
import { defineElementwise, elementwiseTwins } from './elementwise/elementwise.ts';
import { defineRows, rowTwins } from './rows/rows.ts';
import { defineSparse, sparseTwins } from './sparse/sparse.ts';

export function defineTable(module: Assembler) {
  const layout = defineLayout(module);
  return {
    layout,
    dense: defineDense(module, layout.pack),
    elementwise: defineElementwise(module),
    rows: defineRows(module),
    sparse: defineSparse(module),
  };
}

export function tableTwins(routines: Routines<typeof defineTable>, host: Host): TableKernels {
  const { layout, dense, elementwise, rows, sparse } = routines;
  return {
    ...denseTwins(dense, layout, elementwise, host),
    ...elementwiseTwins(elementwise, host),
    ...rowTwins(rows, layout, host),
    ...sparseTwins(sparse, host),
  };
}
