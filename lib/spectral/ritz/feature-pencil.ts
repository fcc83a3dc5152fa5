/** The eigenproblem of a graph within the span of some features: two small matrices, summed in Float64 over the points. */

import { subtask, type Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { kernels, plainTable } from '../../kernels/table.ts';
import { reduceKernels } from '../../wasm/families.ts';
import { symmetrizeInPlace } from '../../linalg/matrix.ts';
import type { Body, StepwiseBody } from '../../network/bodies/body.ts';
import { type Points, takerOf } from '../../network/layers/inputs.ts';
import { BatchSlicer } from '../../sparse/slices/batch.ts';
import { RowSlicer } from '../../sparse/slices/row-slicer.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { allocate, Tensor, zeros } from '../../tensor/tensor.ts';

/** The small matrices of features H minus their mean. */
export interface FeaturePencil {
  /** Hᵀ(D − W)H, h×h: ½·Σ wᵢⱼ·(differences of features)². */
  readonly energy: Tensor<Float64Array>;
  /** HᵀDH. */
  readonly covariance: Tensor<Float64Array>;
  /** The D-weighted mean of every feature, which was subtracted. */
  readonly mean: Float64Array;
  /** The square of the mean, summed over features and weighted by degrees like the covariance. */
  readonly meanSquare: number;
}

/** Sums over some rows, of which a pencil is made. */
export interface PencilSums {
  /** HᵀDH − HᵀWH and HᵀDH, before they are made symmetric, and ηᵀH. */
  readonly energy: Float64Array;
  readonly covariance: Float64Array;
  readonly mean: Float64Array;
}

const blockRows = 512;
/**
 * With so few features, all of them may be needed, also if they are nearly dependent: their combinations are then small
 * differences, and their energy is summed from numbers that are not rounded. Of more features the ridge keeps such
 * combinations out.
 */
const few = 16;

/**
 * Keeps the features of all points if they take at most `memory` bytes, else those of one block of rows and its neighbors at a
 * time. No matrix is n×n.
 */
export function* featurePencilSteps(
  graph: Graph,
  body: StepwiseBody,
  points: Points,
  memory: number,
): Task<FeaturePencil> {
  const h = body.outputs;
  const isWhole = 4 * graph.size * h <= memory;
  const whole = isWhole ? yield* subtask(body.featuresSteps(points), 0, 0.3) : null;
  const look = whole ? amongAll(graph, whole) : amongNeighbors(graph, body, points);
  return yield* subtask(sumPencilSteps(h, graph, look), isWhole ? 0.3 : 0, 1);
}

/** A block of rows: their places among the features of some rows S, W[B, S], their degrees, and the features of S. */
export interface Surroundings {
  readonly places: Int32Array;
  readonly weights: CsrMatrix;
  readonly degrees: Float64Array;
  readonly features: Tensor | CsrMatrix;
}

/** Looks up what a block of ascending rows needs. */
export type Look = (rows: Int32Array) => Surroundings;

/** The largest number of groups of a sum, and the smallest number of rows of a group. */
const [mostGroups, leastGroupRows] = [64, 1 << 14];

/**
 * The rows of a group. Each group is summed on its own, then the groups in their order: the bits of a pencil depend on the
 * number of points, and not on who sums which groups.
 */
export function groupRowsOf(size: number): number {
  return Math.max(leastGroupRows, blockRows * Math.ceil(size / mostGroups / blockRows));
}

/** Zeros, with the matrices in the kernels' memory. */
export function emptySums(h: number): PencilSums {
  const [energy, covariance] = [allocate(h * h, 'double'), allocate(h * h, 'double')];
  return { energy, covariance, mean: new Float64Array(h) };
}

/** Adds the sums of the next group. */
export function addSums(total: PencilSums, group: PencilSums): void {
  for (const name of ['energy', 'covariance', 'mean'] as const) addTo(total[name], group[name]);
}

/** The pencil of h features, summed over blocks of rows of a graph, in memory or not. */
export function* sumPencilSteps(
  h: number,
  { size, volume }: Pick<Graph, 'size' | 'volume'>,
  look: Look,
): Task<FeaturePencil> {
  const groupRows = groupRowsOf(size);
  const origin = new Float64Array(h);
  const group = emptySums(h);
  const add = rowAdder(h, group, origin);
  const total = size > groupRows ? emptySums(h) : group;
  for (let from = 0; from < size; from += groupRows) {
    const to = Math.min(size, from + groupRows);
    yield* subtask(addRowsSteps(add, look, from, to), from / size, to / size);
    if (total === group) break;
    addSums(total, group);
    for (const sum of Object.values(group)) sum.fill(0);
  }
  return pencilOfSums(h, volume, total, origin);
}

/** The sums of one group of rows, from … to − 1, for sparse features. */
export function* groupSumsSteps(h: number, from: number, to: number, look: Look): Task<PencilSums> {
  const group = emptySums(h);
  yield* addRowsSteps(rowAdder(h, group, new Float64Array(h)), look, from, to);
  return group;
}

/** The pencil of the sums over all rows, in place. `origin` was subtracted from the features. */
export function pencilOfSums(h: number, volume: number, sums: PencilSums, origin = new Float64Array(h)): FeaturePencil {
  const { energy, covariance, mean } = sums;
  for (let s = 0; s < h; s++) mean[s] /= volume;
  // A constant has no energy, so subtracting the mean changes only the covariance.
  for (let s = 0; s < h; s++) {
    for (let t = 0; t < h; t++) covariance[s * h + t] -= volume * mean[s] * mean[t];
  }
  symmetrizeInPlace(h, energy);
  symmetrizeInPlace(h, covariance);
  addTo(mean, origin);
  const meanSquare = volume * mean.reduce((sum, value) => sum + value ** 2, 0);
  return { energy: new Tensor(energy, [h, h]), covariance: new Tensor(covariance, [h, h]), mean, meanSquare };
}

type AddRows = (surroundings: Surroundings) => void;

function* addRowsSteps(add: AddRows, look: Look, begin: number, end: number): Task<void> {
  for (let from = begin; from < end; from += blockRows) {
    add(look(Int32Array.from({ length: Math.min(blockRows, end - from) }, (_, i) => from + i)));
    yield (from - begin) / (end - begin);
  }
}

/** Adds blocks of rows to `sums`. `origin` becomes what is subtracted from dense features: their first row. */
function rowAdder(h: number, sums: PencilSums, origin: Float64Array): AddRows {
  const addDense = denseAdder(h, sums, origin);
  const addSparse = sparseAdder(h, sums);
  return ({ places, weights, degrees, features }) => {
    if (features instanceof CsrMatrix) addSparse(places, weights, degrees, features);
    else addDense(places, weights, degrees, features);
  };
}

function degreesOf({ degrees }: Graph, rows: Int32Array): Float64Array {
  return degrees.subarray(rows[0], rows[0] + rows.length);
}

function amongAll(graph: Graph, features: Tensor | CsrMatrix): (rows: Int32Array) => Surroundings {
  const slicer = new RowSlicer(graph.weights);
  return (rows) => ({ places: rows, weights: slicer.take(rows), degrees: degreesOf(graph, rows), features });
}

function amongNeighbors(graph: Graph, body: Body, points: Points): (rows: Int32Array) => Surroundings {
  const slicer = new BatchSlicer(graph.weights);
  const take = takerOf(points);
  return (rows) => {
    const { support, batchInSupport, weights } = slicer.neighbors(rows);
    const features = body.features(take(support));
    return { places: batchInSupport, weights, degrees: degreesOf(graph, rows), features };
  };
}

/** Adds the contribution of a block of rows, from their places among the features, W[B, S], degrees, and features of S. */
function denseAdder(h: number, { energy, covariance, mean }: PencilSums, origin: Float64Array) {
  const own = zeros([blockRows, h]);
  const precision = h <= few ? 'double' : 'single';
  const [moved, differences] = [zeros([blockRows, h], precision), zeros([blockRows, h], precision)];
  const products = new Float64Array(blockRows * h);
  const block = new Float64Array(h * h);
  const column = new Float64Array(h);
  let isFirst = true;
  return (places: Int32Array, weights: CsrMatrix, degrees: Float64Array, { data }: Tensor): void => {
    const rows = places.length;
    kernels.gatherRows(rows, h, places, data, own.data);
    // (D − W)·H from sums in Float64: small where features are smooth, so that rounding it once does little harm.
    plainTable.csrMatmul(rows, h, weights.starts, weights.columns, weights.values, data, products, false);
    for (let i = 0, at = 0; i < rows; i++) {
      for (let j = 0; j < h; j++, at++) differences.data[at] = degrees[i] * own.data[at] - products[at];
    }
    // A constant has neither energy nor variance. Of features that hardly vary, it would multiply the rounding.
    if (isFirst) origin.set(own.data.subarray(0, h));
    isFirst = false;
    for (let i = 0, at = 0; i < rows; i++) {
      for (let j = 0; j < h; j++, at++) moved.data[at] = own.data[at] - origin[j];
    }
    reduceKernels().gram(rows, h, h, degrees, moved.data, moved.data, block);
    addTo(covariance, block);
    reduceKernels().weightedColumnSums(rows, h, degrees, moved.data, column);
    addTo(mean, column);
    reduceKernels().gram(rows, h, h, null, moved.data, differences.data, block);
    addTo(energy, block);
  };
}

/** The same for sparse features. With r features a point and s neighbors: r²·s additions for every row. */
function sparseAdder(h: number, { energy, covariance, mean }: PencilSums) {
  const row = new Float64Array(h);
  return (places: Int32Array, weights: CsrMatrix, degrees: Float64Array, features: CsrMatrix): void => {
    const { starts, columns, values } = features;
    for (let i = 0; i < places.length; i++) {
      const begin = starts[places[i]];
      const end = starts[places[i] + 1];
      // row ← this row of W·H: the mean of the neighbors, times the degree.
      for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
        const neighbor = weights.columns[e];
        for (let f = starts[neighbor]; f < starts[neighbor + 1]; f++) row[columns[f]] += weights.values[e] * values[f];
      }
      for (let f = begin; f < end; f++) {
        const s = columns[f];
        const weight = degrees[i] * values[f];
        mean[s] += weight;
        for (let g = begin; g < end; g++) {
          covariance[s * h + columns[g]] += weight * values[g];
          energy[s * h + columns[g]] += weight * values[g];
        }
      }
      for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
        const neighbor = weights.columns[e];
        for (let f = starts[neighbor]; f < starts[neighbor + 1]; f++) {
          const t = columns[f];
          if (row[t] === 0) continue;
          for (let g = begin; g < end; g++) energy[columns[g] * h + t] -= values[g] * row[t];
          row[t] = 0;
        }
      }
    }
  };
}

function addTo(total: Float64Array, block: Float64Array): void {
  for (let i = 0; i < total.length; i++) total[i] += block[i];
}
