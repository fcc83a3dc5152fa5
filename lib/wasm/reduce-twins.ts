/** How are Gram matrices and other sums in Float64 put together from tiles? Each falls back on its plain twin for Float64 and for want of room. */

import * as plain from '../kernels/reduce.ts';
import type { Kernels } from '../kernels/table.ts';
import type { Floats } from '../kernels/types.ts';
import { layout } from './memory.ts';
import type { Routines } from './module.ts';
import { gramTiles } from './reduce-code.ts';
import { isSingle, type Stage } from './stage.ts';

type ReduceTwins = Pick<Kernels, 'gram' | 'weightedColumnSums' | 'dot' | 'sum'>;

/** Rows summed into a tile before the next tile: they stay in the second-level cache meanwhile. */
const gramRows = 64;

export function reduceTwins(wasm: Routines, stage: Stage): ReduceTwins {
  const tiles = gramTiles.left.map((p) => gramTiles.right.map((q) => wasm[`gram${p}x${q}`]));

  /** out += Aᵀ·diag(w)·B, tile by tile; only those that touch the upper triangle if `symmetric`. */
  function sumTiles(
    rows: number,
    p: number,
    q: number,
    a: number,
    aRow: number,
    b: number,
    w: number,
    wStep: number,
    out: number,
    symmetric: boolean,
  ): void {
    const bRow = 4 * q;
    for (let i = 0; i < rows; i += gramRows) {
      const count = Math.min(gramRows, rows - i);
      for (let s = 0; s < p;) {
        const left = p - s >= 4 ? 0 : p - s >= 2 ? 1 : 2;
        const height = gramTiles.left[left];
        for (let t = symmetric ? s - (s % 4) : 0; t < q;) {
          const right = q - t >= 4 ? 0 : q - t >= 2 ? 1 : 2;
          tiles[left][right](
            count,
            a + i * aRow + 4 * s,
            aRow,
            b + i * bRow + 4 * t,
            bRow,
            w + i * wStep,
            wStep,
            out + 8 * (s * q + t),
            8 * q,
          );
          t += gramTiles.right[right];
        }
        s += height;
      }
    }
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
      if (isSingle(a) && isSingle(b) && stage.admit(a, b, weights, out)) {
        const w = weightAddress(rows, weights);
        if (w >= 0) {
          const to = stage.at(out);
          new Float64Array(stage.memory.buffer, to, p * q).fill(0);
          sumTiles(rows, p, q, stage.at(a), 4 * p, stage.at(b), w, weights ? 8 : 0, to, a === b);
          stage.close(out);
          if (a === b) for (let s = 0; s < p; s++) for (let t = 0; t < s; t++) out[s * q + t] = out[t * q + s];
          return;
        }
        stage.close(out);
      }
      plain.gram(rows, p, q, weights, a, b, out);
    },
    /** A row of ones, weighted, times x. */
    weightedColumnSums(rows, cols, weights, x, out) {
      if (isSingle(x) && stage.admit(x, weights, out)) {
        const w = weightAddress(rows, weights);
        if (w >= 0) {
          const to = stage.at(out);
          new Float64Array(stage.memory.buffer, to, cols).fill(0);
          sumTiles(rows, 1, cols, layout.one, 0, stage.at(x), w, weights ? 8 : 0, to, false);
          stage.close(out);
          return;
        }
        stage.close(out);
      }
      plain.weightedColumnSums(rows, cols, weights, x, out);
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
