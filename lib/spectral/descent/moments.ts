/** YᵀDY and ηᵀY in Float64: measured anew in every step, or tracked. */

import { kernels } from '../../kernels/table.ts';
import type { Floats } from '../../kernels/types.ts';
import { allocate, type Tensor } from '../../tensor/tensor.ts';
import { movingRowsKernels, reduceKernels } from '../../wasm/families.ts';
import type { Pencil } from '../pencil/pencil.ts';
import type { BatchView, SeenRows, Support } from './view.ts';

/** What a step has to know of all rows Y. */
export interface Moments {
  /** YᵀDY, K×K. */
  readonly gram: Float64Array;
  /** ηᵀY, zeros without deflation. */
  readonly mean: Float64Array;
}

/** A kind of moments. What it returns is overwritten by the next call. */
export interface MomentSource {
  /** The moments to be used in this step, in which the batch sees these rows. */
  update(view: BatchView, seen: SeenRows): Moments;
  /** The moments of Y·r, for the rest of this step. A `side` says that r made YᵀDY = side²·I, which a record may take over. */
  rotate(r: Float64Array, side: number | null): Moments;
  /** What a step spends on moments, in flops. */
  flops(view: BatchView): number;
}

export function zeroMoments(width: number): Moments {
  return { gram: allocate(width * width, 'double'), mean: allocate(width, 'double') };
}

/** Local and full: the moments of the rows that are seen. O(|S|·K²). */
export function measuredMoments(width: number): MomentSource {
  const moments = zeroMoments(width);
  return {
    update: (view, seen) => measureMoments(view, seen, moments),
    rotate: (r) => rotateMoments(moments, r),
    flops: ({ supportMass }) => 2 * supportMass.length * width * width,
  };
}

/** Neighbor, for free rows: a record of all rows, which `FreeRows` keeps up to date as they move. O(|B|·K²). */
export function recordedMoments(record: Moments): MomentSource {
  const { gram, mean } = record;
  const width = mean.length;
  return {
    update: () => record,
    rotate(r, side) {
      rotateMoments(record, r);
      if (side === null) return record;
      for (let p = 0; p < gram.length; p++) gram[p] = p % (width + 1) === 0 ? side * side : 0;
      return record;
    },
    flops: ({ batch }) => 4 * batch.length * width * width,
  };
}

/**
 * Neighbor, for networks (subsec:net2-training): a record (YDY)⋆ of all rows as they were last seen, Y₀, which are in `table`.
 * Those that are seen now take their place there, and the record follows. O(|S|·K²).
 */
export function trackedMoments(record: Moments, table: Tensor, { mass, eta }: Pencil): MomentSource {
  const { gram, mean } = record;
  const width = mean.length;
  const rotated = zeroMoments(width);
  return {
    update({ support }, { count, data }) {
      movingRowsKernels().replaceRows(count, width, support!, mass, eta, data, table.data, gram, mean);
      return record;
    },
    rotate(r) {
      rotated.gram.set(gram);
      rotated.mean.set(mean);
      return rotateMoments(rotated, r);
    },
    flops: ({ support }) => 4 * support!.length * width * width,
  };
}

/** out = YᵀDY and ηᵀY over the rows of the support. */
export function measureMoments(
  { supportMass, supportEta }: Pick<Support, 'supportMass' | 'supportEta'>,
  seen: SeenRows,
  out: Moments,
): Moments {
  const { count, data, factor } = seen;
  const width = out.mean.length;
  reduceKernels().gram(count, width, width, supportMass, data, data, out.gram);
  if (supportEta) reduceKernels().weightedColumnSums(count, width, supportEta, data, out.mean);
  return factor ? rotateMoments(out, factor) : out;
}

/** The same over all rows of a pencil. */
export function measureAll({ size, mass, eta }: Pick<Pencil, 'size' | 'mass' | 'eta'>, y: Floats, out: Moments): void {
  measureMoments({ supportMass: mass, supportEta: eta }, { count: size, data: y, factor: null }, out);
}

/** The moments of Y·r, in place: rᵀ·YᵀDY·r and ηᵀY·r. */
function rotateMoments(moments: Moments, r: Float64Array): Moments {
  const { gram, mean } = moments;
  const width = mean.length;
  const half = new Float64Array(gram.length);
  kernels.matmul(width, width, width, gram, r, half, false);
  kernels.matmulTransposeA(width, width, width, r, half, gram, false);
  const row = mean.slice();
  kernels.matmul(1, width, width, row, r, mean, false);
  return moments;
}
