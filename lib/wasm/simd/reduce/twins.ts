/** SIMD twins of Gram matrices and other sums in Float64, put together from tiles. */

import * as plain from '../../../kernels/reduce.ts';
import type { Kernels } from '../../../kernels/table.ts';
import type { Floats } from '../../../kernels/types.ts';
import { input, input32, isSingle, type Marshal, output, value } from '../../memory/marshal.ts';
import { layout } from '../../memory/memory.ts';
import type { LayoutRoutines } from '../dense/layout-code.ts';
import { gramTiles, type ReduceRoutines } from './code.ts';

type ReduceTwins = Pick<Kernels, 'gram' | 'weightedColumnSums' | 'dot' | 'sum'>;

/** Rows summed into a tile before the next tile: they stay in the second-level cache meanwhile. */
const gramRows = 64;

/** The place of the widest tile that fits. */
const tileFor = (width: number): number => (width >= 4 ? 0 : width >= 2 ? 1 : 2);

export function reduceTwins(routines: ReduceRoutines, { clear }: LayoutRoutines, marshal: Marshal): ReduceTwins {
  const { grams, dot, sum } = routines;
  const { memory } = marshal;

  /**
   * out[p×q] = Aᵀ·diag(w)·B, tile by tile, with a column of ones for an absent A; if symmetric, only the tiles that touch the
   * upper triangle. False where the plain twin has to do it.
   */
  const sumTiles = marshal.kernel(
    (..._operands: [number, number, number, boolean, boolean, Floats | null, Floats | null, Floats, Float64Array]) =>
      false,
    [value, value, value, value, value, input, input32, input32, output],
    (rows, p, q, isSymmetric, widens, weights, a, b, out) => {
      const w = widens ? widened(rows, weights) : weights || layout.one64;
      if (w < 0) return null;
      const [from, aRow, wStep] = [a || layout.one, a ? 4 * p : 0, weights ? 8 : 0];
      clear(out, 8 * p * q);
      for (let i = 0; i < rows; i += gramRows) {
        const count = Math.min(gramRows, rows - i);
        for (let s = 0; s < p;) {
          const left = tileFor(p - s);
          const line = from + i * aRow + 4 * s;
          for (let t = isSymmetric ? s - (s % 4) : 0; t < q;) {
            const right = tileFor(q - t);
            const to = out + 8 * (s * q + t);
            grams[left][right](count, line, aRow, b + 4 * (i * q + t), 4 * q, w + i * wStep, wStep, to, 8 * q);
            t += gramTiles[right];
          }
          s += gramTiles[left];
        }
      }
      return true;
    },
  );

  /** The address of Float32 weights in Float64; −1 if there is no room. */
  function widened(rows: number, weights: number): number {
    const address = memory.scratch(8 * rows);
    if (address < 0) return address;
    new Float64Array(memory.buffer, address, rows).set(new Float32Array(memory.buffer, weights, rows));
    return address;
  }

  return {
    gram(rows, p, q, weights, a, b, out) {
      const done = sumTiles(rows, p, q, a === b, isSingle(weights), weights, a, b, out);
      if (!done) plain.gram(rows, p, q, weights, a, b, out);
      else if (a === b) plain.mirror(p, out);
    },
    /** A row of ones, weighted, times x. */
    weightedColumnSums(rows, cols, weights, x, out) {
      const done = sumTiles(rows, 1, cols, false, isSingle(weights), weights, null, x, out);
      if (!done) plain.weightedColumnSums(rows, cols, weights, x, out);
    },
    dot: marshal.kernel(plain.dot, [value, input32, input32], dot),
    sum: marshal.kernel(plain.sum, [value, input32], sum),
  };
}
