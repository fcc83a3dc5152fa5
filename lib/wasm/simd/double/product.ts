/** Dense products of Float64 matrices: routines and twins. They have the bits of the plain products. */

import type { TableKernels } from '../../../kernels/table.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import { input, isSingle, output } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import { defineTiles, defineTranspose, tileProduct } from './tiles.ts';

export type DoubleRoutines = Routines<typeof defineDouble>;

export function defineDouble(module: Assembler) {
  return { tiles: defineTiles(module), transpose: defineTranspose(module) };
}

/** Below this many products it does not pay to pass addresses. */
const fewProducts = 2 ** 12;

/** A·B, Aᵀ·B or A·Bᵀ. Small products, and those of mixed precision, are left to the plain twin. */
export function doubleProduct(
  { tiles, transpose }: DoubleRoutines,
  { kernel, memory }: Host,
  twin: TableKernels['matmul'],
  transposesA: boolean,
  transposesB: boolean,
): TableKernels['matmul'] {
  const product = kernel(twin, [input, input, output], (m, n, k, a, b, out, accumulate) => {
    const from = transposesB ? memory.scratch(8 * n * k) : b;
    if (from < 0) return null;
    if (transposesB) transpose(n, k, b, from);
    const left = { at: a, layout: transposesA ? 'rows' : 'terms', stride: 8 * (transposesA ? m : k) } as const;
    return tileProduct(accumulate ? tiles.add : tiles.set, m, n, k, left, { at: from, step: 8 * n }, out, 8 * n);
  });
  return (m, n, k, a, b, out, accumulate) => {
    const isMixed = isSingle(a) || isSingle(b) || isSingle(out);
    (isMixed || m * n * k < fewProducts ? twin : product)(m, n, k, a, b, out, accumulate);
  };
}
