/** What must a step know about all rows? YᵀDY and ηᵀY in Float64, measured anew or kept up to date. */

import { followRows } from '../../kernels/batch/batch.ts';
import { kernels } from '../../kernels/table.ts';
import { allocate } from '../../tensor/tensor.ts';
import type { RowMap } from './row-map.ts';
import type { BatchView } from './view.ts';

/** What a step has to know of all rows Y. */
export interface Moments {
  /** YᵀDY, K×K. */
  readonly gram: Float64Array;
  /** ηᵀY, zeros without deflation. */
  readonly mean: Float64Array;
}

export interface MomentSource {
  /** Of the rows as they are now; overwritten by what comes next. */
  read(view: BatchView): Moments;
  /** The batch's rows were `before` and are `after`. */
  commit(view: BatchView, before: Float64Array, after: Float64Array): void;
  /** Y_B ← Y_B + length·what the map says, and the moments with it; false, and nothing done, where that takes a `commit`. */
  follow?(view: BatchView, map: RowMap, length: number): boolean;
  /** Y was multiplied by r; where that made YᵀDY = side²·I, the record is set to it. */
  rotate(r: Float64Array, side: number | null): void;
  /** What a step spends on this, in flops. */
  work(view: BatchView): number;
}

export function zeroMoments(width: number): Moments {
  return { gram: allocate(width * width, 'double'), mean: allocate(width, 'double') };
}

/** Local and full: of the support's rows, each time. O(|S|·K²). */
export function freshMoments(width: number, measure: (view: BatchView, out: Moments) => void): MomentSource {
  const moments = zeroMoments(width);
  return {
    read(view) {
      measure(view, moments);
      return moments;
    },
    commit() {},
    rotate() {},
    work: ({ supportMass }) => 2 * supportMass.length * width * width,
  };
}

/** Neighbor: `record` is of all rows and follows every change. O(|B|·K²). */
export function trackedMoments(record: Moments): MomentSource {
  const { gram, mean } = record;
  const width = mean.length;
  return {
    read: () => record,
    commit({ batch, mass, eta }, before, after) {
      followRows(batch.length, width, mass, eta, before, after, gram, mean);
    },
    rotate(r, side) {
      rotateMoments(record, r);
      if (side === null) return;
      for (let p = 0; p < gram.length; p++) gram[p] = p % (width + 1) === 0 ? side * side : 0;
    },
    work: ({ batch }) => 4 * batch.length * width * width,
  };
}

/** The moments of Y·r, in place: rᵀ·YᵀDY·r and ηᵀY·r. */
export function rotateMoments({ gram, mean }: Moments, r: Float64Array): void {
  const width = mean.length;
  const half = new Float64Array(gram.length);
  kernels.matmul(width, width, width, gram, r, half, false);
  kernels.matmulTransposeA(width, width, width, r, half, gram, false);
  const row = mean.slice();
  kernels.matmul(1, width, width, row, r, mean, false);
}
