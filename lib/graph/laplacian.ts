/** The operators of a graph, as products with a vector: D⁻¹W in symmetric form, and two Laplacians. */

import { badValue, checkChoice } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import { allocate, type Tensor, zeros } from '../tensor/tensor.ts';
import { vectorKernels } from '../wasm/families.ts';
import { checkDegrees, checkGraph, type Graph } from './graph.ts';

/** Symmetric, in Float64. */
export interface GraphOperator {
  readonly size: number;
  /** The end of the spectrum with the smooth eigenvectors, the trivial one first. */
  readonly smooth: 'largest' | 'smallest';
  /** y = A·x; y is not x. */
  apply(x: Float64Array, y: Float64Array): void;
  /** Maps eigenvectors of the symmetric form, in columns, to those of the operator. New, in Float64. */
  restore(eigenvectors: Tensor): Tensor<Float64Array>;
}

/** How each is applied and restored. */
const operators = {
  'random-walk': normalizedAffinity,
  symmetric: symmetricLaplacian,
  unnormalized: unnormalizedLaplacian,
} satisfies Record<string, (graph: Graph, scale: number, room?: Float64Array) => GraphOperator>;

/** 'random-walk' is D⁻¹W, 'symmetric' I − D^-½WD^-½, 'unnormalized' D − W of the weights that were given. */
export type LaplacianKind = keyof typeof operators;

export const laplacianKinds: readonly string[] = Object.keys(operators);

/**
 * 'random-walk': D⁻¹W, applied as D^-½WD^-½, which has the same eigenvalues, from 1 down; `restore` multiplies
 * eigenvectors by D^-½. 'symmetric': I − D^-½WD^-½. 'unnormalized': D − W.
 */
export function laplacian(graph: Graph, kind: LaplacianKind = 'random-walk'): GraphOperator {
  checkGraph('laplacian', graph);
  checkChoice('laplacian', 'kind', kind, laplacianKinds);
  return operators[kind](graph, graph.scale);
}

/**
 * The same for `graph.weights`, whose D − W is that of the given weights over `graph.scale`, with its vectors in `room`:
 * 2·size numbers that belong to the operator while it is used.
 */
export function laplacianIn(room: Float64Array, graph: Graph, kind: LaplacianKind): GraphOperator {
  return operators[kind](graph, 1, room);
}

function normalizedAffinity(graph: Graph, _scale: number, room?: Float64Array): GraphOperator {
  checkDegrees('laplacian', graph);
  return affinityOperator(graph.degrees, (factors, x, y) => multiply(graph, factors, x, y), room);
}

/** y ← diag(factors)·W·x. */
export type WeightedProduct = (factors: Float64Array, x: Float64Array, y: Float64Array) => void;

/** D^-½WD^-½ for positive degrees and a W that is known by its products. `room` as for `laplacianIn`. */
export function affinityOperator(degrees: Float64Array, product: WeightedProduct, room?: Float64Array): GraphOperator {
  const size = degrees.length;
  const factors = room?.subarray(0, size) ?? allocate(size, 'double');
  const scaled = room?.subarray(size, 2 * size) ?? allocate(size, 'double');
  for (let i = 0; i < size; i++) factors[i] = 1 / Math.sqrt(degrees[i]);
  return {
    size,
    smooth: 'largest',
    apply(x, y) {
      checkVectors(size, x, y);
      vectorKernels().multiplyVectors(size, factors, x, scaled);
      product(factors, scaled, y);
    },
    restore: (eigenvectors) => scaleRows(size, eigenvectors, factors),
  };
}

function symmetricLaplacian(graph: Graph, scale: number, room?: Float64Array): GraphOperator {
  const affinity = normalizedAffinity(graph, scale, room);
  return {
    size: graph.size,
    smooth: 'smallest',
    apply(x, y) {
      affinity.apply(x, y);
      kernels.subtract(y.length, x, y, y);
    },
    restore: (eigenvectors) => scaleRows(graph.size, eigenvectors, null),
  };
}

function unnormalizedLaplacian(graph: Graph, scale: number): GraphOperator {
  const { size, degrees } = graph;
  return {
    size,
    smooth: 'smallest',
    apply(x, y) {
      checkVectors(size, x, y);
      multiply(graph, null, x, y);
      for (let i = 0; i < size; i++) y[i] = scale * (degrees[i] * x[i] - y[i]);
    },
    restore: (eigenvectors) => scaleRows(size, eigenvectors, null),
  };
}

/** y = diag(factors)·W·x. */
function multiply({ size, weights }: Graph, factors: Float64Array | null, x: Float64Array, y: Float64Array): void {
  vectorKernels().csrTimesVector(size, weights.starts, weights.columns, weights.values, factors, x, y);
}

function checkVectors(size: number, x: Float64Array, y: Float64Array): void {
  if (x.length !== size || y.length !== size) {
    throw badValue('GraphOperator.apply', `vectors of length ${size}`, `${x.length} and ${y.length}`);
  }
}

/** diag(factors)·rows, or a copy where there are no factors. */
function scaleRows(size: number, rows: Tensor, factors: Float64Array | null): Tensor<Float64Array> {
  if (rows.rows !== size) throw badValue('GraphOperator.restore', `${size} rows, one for each node`, rows.rows);
  const result = zeros(rows.shape, 'double');
  for (let i = 0, at = 0; i < size; i++) {
    const factor = factors ? factors[i] : 1;
    for (let j = 0; j < rows.cols; j++, at++) result.data[at] = factor * rows.data[at];
  }
  return result;
}
