/** How are Gram matrices and other sums in Float64 put together from tiles? Each falls back on its plain twin for Float64 and for want of room. */

import * as plain from '../../../kernels/reduce.ts';
import type { Kernels } from '../../../kernels/table.ts';
import type { Floats } from '../../../kernels/types.ts';
import { layout } from '../../memory/memory.ts';
import type { Routines } from '../module.ts';
import { gramTiles } from './code.ts';
import { isSingle, type Stage } from '../../memory/stage.ts';

type ReduceTwins = Pick<Kernels, 'gram' | 'weightedColumnSums' | 'dot' | 'sum'>;

/** Rows summed into a tile before the next tile: they stay in the second-level cache meanwhile. */
const gramRows = 64;

/** The place of the widest tile that fits. */
const tileFor = (width: number): number => (width >= 4 ? 0 : width >= 2 ? 1 : 2);

export function reduceTwins(wasm: Routines, stage: Stage): ReduceTwins {
  const tiles = gramTiles.map((p) => gramTiles.map((q) => wasm[`gram${p}x${q}`]));

  /**
   * out[p×q] = Aᵀ·diag(w)·B, tile by tile, A a column of ones if it is absent; where A is B only the tiles that touch the
   * upper triangle. False where the plain twin has to do it.
   */
  function sumTiles(
    rows: number,
    p: number,
    q: number,
    weights: Floats | null,
    a: Floats | null,
    b: Floats,
    out: Float64Array,
  ): boolean {
    if (!isSingle(a ?? b) || !isSingle(b) || !stage.admit(b, a, weights, out)) return false;
    const w = weightAddress(rows, weights);
    if (w >= 0) {
      const from = a ? stage.at(a) : layout.one;
      const aRow = a ? 4 * p : 0;
      const by = stage.at(b);
      const wStep = weights ? 8 : 0;
      const to = stage.at(out);
      wasm.clear(to, 8 * p * q);
      for (let i = 0; i < rows; i += gramRows) {
        for (let s = 0; s < p;) {
          const left = tileFor(p - s);
          for (let t = a === b ? s - (s % 4) : 0; t < q;) {
            const right = tileFor(q - t);
            tiles[left][right](
              Math.min(gramRows, rows - i),
              from + i * aRow + 4 * s,
              aRow,
              by + 4 * (i * q + t),
              4 * q,
              w + i * wStep,
              wStep,
              to + 8 * (s * q + t),
              8 * q,
            );
            t += gramTiles[right];
          }
          s += gramTiles[left];
        }
      }
    }
    stage.close(out);
    return w >= 0;
  }

  /** Weights by address and stride: absent ones are a single 1, Float32 ones are widened. −1 if there is no room. */
  function weightAddress(rows: number, weights: Floats | null): number {
    if (!weights) return layout.one64;
    if (!isSingle(weights)) return stage.at(weights);
    const address = stage.memory.scratch(8 * rows);
    if (address >= 0) new Float64Array(stage.memory.buffer, address, rows).set(weights.subarray(0, rows));
    return address;
  }

  return {
    gram(rows, p, q, weights, a, b, out) {
      if (!sumTiles(rows, p, q, weights, a, b, out)) return plain.gram(rows, p, q, weights, a, b, out);
      if (a === b) for (let s = 0; s < p; s++) for (let t = 0; t < s; t++) out[s * q + t] = out[t * q + s];
    },
    /** A row of ones, weighted, times x. */
    weightedColumnSums(rows, cols, weights, x, out) {
      if (!sumTiles(rows, 1, cols, weights, null, x, out)) plain.weightedColumnSums(rows, cols, weights, x, out);
    },
    dot(n, a, b) {
      if (!stage.open(a, b)) return plain.dot(n, a, b);
      const result = wasm.dot(n, stage.at(a), stage.at(b));
      stage.close();
      return result;
    },
    sum(n, x) {
      if (!stage.open(x)) return plain.sum(n, x);
      const result = wasm.sum(n, stage.at(x));
      stage.close();
      return result;
    },
  };
}
