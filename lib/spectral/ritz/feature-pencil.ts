/** The eigenproblem of a graph within the span of some features: two small matrices, summed in Float64 over the points. */

import { subtask, type Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { kernels, plainTable } from '../../kernels/table.ts';
import { reduceKernels } from '../../wasm/families.ts';
import { symmetrizeInPlace } from '../../linalg/matrix.ts';
import { type Body, bodyFeaturesSteps } from '../../network/bodies/body.ts';
import { type Points, takerOf } from '../../network/layers/inputs.ts';
import { BatchSlicer } from '../../sparse/batch.ts';
import { RowSlicer } from '../../sparse/row-slicer.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';

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

interface Sums extends Omit<FeaturePencil, 'meanSquare'> {
  /** Subtracted from the features before they are added to `covariance` and `mean`: the first row of dense ones, else 0. */
  readonly origin: Float64Array;
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
export function* featurePencilSteps(graph: Graph, body: Body, points: Points, memory: number): Task<FeaturePencil> {
  const h = body.outputs;
  const isWhole = 4 * graph.size * h <= memory;
  const whole = isWhole ? yield* subtask(bodyFeaturesSteps(body, points), 0, 0.3) : null;
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

/** The pencil of h features, summed over blocks of rows of a graph, in memory or not. `look` is called with ascending rows. */
export function* sumPencilSteps(
  h: number,
  { size, volume }: Pick<Graph, 'size' | 'volume'>,
  look: (rows: Int32Array) => Surroundings,
): Task<FeaturePencil> {
  const [energy, covariance] = [zeros([h, h], 'double'), zeros([h, h], 'double')];
  const [mean, origin] = [new Float64Array(h), new Float64Array(h)];
  const sums: Sums = { energy, covariance, mean, origin };
  const addDense = denseAdder(h, sums);
  const addSparse = sparseAdder(h, sums);
  for (let from = 0; from < size; from += blockRows) {
    const rows = Int32Array.from({ length: Math.min(blockRows, size - from) }, (_, i) => from + i);
    const { places, weights, degrees, features } = look(rows);
    if (features instanceof CsrMatrix) addSparse(places, weights, degrees, features);
    else addDense(places, weights, degrees, features);
    yield from / size;
  }
  for (let s = 0; s < h; s++) mean[s] /= volume;
  // A constant has no energy, so subtracting the mean changes only the covariance.
  for (let s = 0; s < h; s++) {
    for (let t = 0; t < h; t++) covariance.data[s * h + t] -= volume * mean[s] * mean[t];
  }
  symmetrizeInPlace(h, energy.data);
  symmetrizeInPlace(h, covariance.data);
  addTo(mean, origin);
  return { energy, covariance, mean, meanSquare: volume * mean.reduce((sum, value) => sum + value ** 2, 0) };
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
function denseAdder(h: number, { energy, covariance, mean, origin }: Sums) {
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
    addTo(covariance.data, block);
    reduceKernels().weightedColumnSums(rows, h, degrees, moved.data, column);
    addTo(mean, column);
    reduceKernels().gram(rows, h, h, null, moved.data, differences.data, block);
    addTo(energy.data, block);
  };
}

/** The same for sparse features. With r features a point and s neighbors: r²·s additions for every row. */
function sparseAdder(h: number, { energy, covariance, mean }: Sums) {
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
          covariance.data[s * h + columns[g]] += weight * values[g];
          energy.data[s * h + columns[g]] += weight * values[g];
        }
      }
      for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
        const neighbor = weights.columns[e];
        for (let f = starts[neighbor]; f < starts[neighbor + 1]; f++) {
          const t = columns[f];
          if (row[t] === 0) continue;
          for (let g = begin; g < end; g++) energy.data[columns[g] * h + t] -= values[g] * row[t];
          row[t] = 0;
        }
      }
    }
  };
}

function addTo(total: Float64Array, block: Float64Array): void {
  for (let i = 0; i < total.length; i++) total[i] += block[i];
}
