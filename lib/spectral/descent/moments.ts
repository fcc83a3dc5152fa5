/** The moments YᵀDY and ηᵀY in Float64: measured in every step, tracked, or tracked and corrected. */

import { kernels } from '../../kernels/table.ts';
import type { Floats } from '../../kernels/types.ts';
import { GrowableArray } from '../../tensor/growable-array.ts';
import { allocate, type Tensor } from '../../tensor/tensor.ts';
import { movingRowsKernels, reduceKernels } from '../../wasm/families.ts';
import type { Pencil } from '../pencil/pencil.ts';
import { type Inclusion, inclusionIn } from './inclusion.ts';
import type { BatchView, SeenRows, Support } from './view.ts';

/** What a step needs to know about all rows of Y. */
export interface Moments {
  /** YᵀDY, K×K. */
  readonly gram: Float64Array;
  /** ηᵀY, zeros without deflation. */
  readonly mean: Float64Array;
}

export const momentKinds = ['tracked', 'corrected'] as const;

/** Moments of the neighbor scheme on networks: those that the paper tracks, or these with a correction for what has changed since. */
export type MomentKind = (typeof momentKinds)[number];

/** Rows of Y, K numbers each. */
export type RowTable = Pick<Tensor, 'data' | 'precision'>;

/** Where a step gets its moments from. The next call overwrites the result. */
export interface MomentSource {
  /** The moments for this step, from the view and the rows that it sees. */
  update(view: BatchView, seen: SeenRows): Moments;
  /**
   * The moments of Y·r. For free rows Y itself is rotated, so the record becomes these moments. `side`, if given, says that r makes
   * YᵀDY = side²·I: then the record is set to exactly that.
   */
  rotate(r: Float64Array, side: number | null): Moments;
  /** The flops of one update. */
  flops(view: BatchView): number;
}

export function zeroMoments(width: number): Moments {
  return { gram: allocate(width * width, 'double'), mean: allocate(width, 'double') };
}

/** For the local and full schemes: the moments of the rows that the batch sees. O(|S|·K²). */
export function measuredMoments(width: number): MomentSource {
  const moments = zeroMoments(width);
  return {
    update: (view, seen) => measureMoments(view, seen, moments),
    rotate: (r) => rotateMoments(moments, r),
    flops: ({ supportMass }) => 2 * supportMass.length * width * width,
  };
}

/** For the neighbor scheme on free rows: a record for all rows, which `FreeRows` updates when rows move, in O(|B|·K²). */
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
 * For the neighbor scheme on networks (subsec:net2-training). `table` has all rows as they were last evaluated, Y₀ of the
 * paper, and `record` their moments, (YDY)⋆. An update replaces the rows of the support in the table and corrects the
 * record by the difference. O(|S|·K²). Both are read anew in every update: on stored graphs `table` and `pencil` are those of the batch.
 */
export function trackedMoments(record: Moments, table: RowTable, pencil: Pick<Pencil, 'mass' | 'eta'>): MomentSource {
  const { gram, mean } = record;
  const width = mean.length;
  const rotated = zeroMoments(width);
  return {
    update({ support }, { count, data }) {
      const { mass, eta } = pencil;
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

/**
 * Tracked moments with the Horvitz-Thompson correction. A step changes all rows, but the record has the changes of the support
 * only, so it is out of date. A batch has row j in its support S with probability π_j. So
 * record + Σ_{j∈S} d_j·(y_jᵀy_j − old_jᵀold_j)/π_j is an unbiased estimate of the present moments (docs/theory.md), where old_j
 * is row j of the table. Unbiased given the steps before if batches are drawn anew, order 'random'; in a shuffled epoch only for
 * each batch by itself. After the estimate, the record is updated as in `trackedMoments`. O(|S|·K²).
 */
export function correctedMoments(
  record: Moments,
  table: RowTable,
  pencil: Pick<Pencil, 'weights' | 'mass' | 'eta'>,
): MomentSource {
  return momentsCorrectedBy(inclusionIn(pencil.weights), record, table, pencil);
}

/** `correctedMoments` where the probabilities are known. */
export function momentsCorrectedBy(
  inclusion: Pick<Inclusion, 'at'>,
  record: Moments,
  table: RowTable,
  pencil: Pick<Pencil, 'mass' | 'eta'>,
): MomentSource {
  const tracked = trackedMoments(record, table, pencil);
  const width = record.mean.length;
  const old = new GrowableArray(table.precision);
  const [estimate, fresh, stale] = [0, 1, 2].map(() => zeroMoments(width));
  return {
    update(view, seen) {
      const { batch, support } = view;
      const before = old.take(seen.count * width);
      kernels.gatherRows(seen.count, width, support!, table.data, before);
      const probabilities = inclusion.at(batch.length, support!);
      const supportMass = dividedAt(support!, pencil.mass, probabilities);
      const supportEta = pencil.eta && dividedAt(support!, pencil.eta, probabilities);
      measureMoments({ supportMass, supportEta }, seen, fresh);
      measureMoments({ supportMass, supportEta }, { ...seen, data: before }, stale);
      for (const part of ['gram', 'mean'] as const) {
        const [to, add, subtract] = [estimate[part], fresh[part], stale[part]];
        for (let p = 0; p < to.length; p++) to[p] = record[part][p] + (add[p] - subtract[p]);
      }
      tracked.update(view, seen);
      return estimate;
    },
    rotate: (r) => rotateMoments(estimate, r),
    flops: (view) => 2 * tracked.flops(view),
  };
}

/** values[rows[i]]/divisors[i] for each i. */
function dividedAt(rows: Int32Array, values: Float64Array, divisors: Float64Array): Float64Array {
  return divisors.map((divisor, i) => values[rows[i]] / divisor);
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

/** out = YᵀDY and ηᵀY over all rows of a pencil. */
export function measureAll({ size, mass, eta }: Pick<Pencil, 'size' | 'mass' | 'eta'>, y: Floats, out: Moments): void {
  measureMoments({ supportMass: mass, supportEta: eta }, { count: size, data: y, factor: null }, out);
}

/** The rows of a group of `measureGroups`. */
const groupRows = 1 << 14;

/**
 * out = YᵀDY and ηᵀY over all rows, which `rowsAt` returns group by group. Each group is summed on its own, then the groups in
 * their order: the bits are the same whether the rows are in memory or in a file.
 */
export function measureGroups(
  size: number,
  rowsAt: (from: number, to: number) => Pick<Support, 'supportMass' | 'supportEta'> & Pick<SeenRows, 'data'>,
  out: Moments,
): void {
  const group = size > groupRows ? zeroMoments(out.mean.length) : out;
  for (let from = 0; from < size; from += groupRows) {
    const to = Math.min(size, from + groupRows);
    const { data, ...weights } = rowsAt(from, to);
    measureMoments(weights, { count: to - from, data, factor: null }, group);
    if (group === out) return;
    for (const part of ['gram', 'mean'] as const) {
      for (let p = 0; p < out[part].length; p++) out[part][p] = (from > 0 ? out[part][p] : 0) + group[part][p];
    }
  }
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
