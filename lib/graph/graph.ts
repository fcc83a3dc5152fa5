/** A graph: a symmetric matrix of nonnegative weights, its degrees and its components. */

import { badKind, badValue } from '../core/check.ts';
import { dropZeros, mapValues, symmetrize } from '../sparse/combine.ts';
import { crc32 } from '../core/crc32.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { checkSquare, forEachPair, rowSums } from '../sparse/inspect.ts';
import type { Precision } from '../tensor/tensor.ts';
import { useThreads } from '../wasm/set-threads.ts';
import { largestMagnitude } from '../linalg/matrix.ts';
import { type Components, findComponents } from './components.ts';
import type { NeighborOrigin } from './neighbors/neighbors.ts';
import type { SourceMetric } from './neighbors/source.ts';
import { divideWeights, weightScale } from './weight-scale.ts';

/** How a graph was built, and what was measured on the way. */
export interface GraphOrigin {
  readonly kind: 'given' | 'gaussian' | 'indicator' | 'kernel' | 'knn' | 'knn-gaussian' | 'self-tuned';
  /** Of nearest neighbors: how they were found, and the fraction of true ones where some may have been missed. */
  readonly method?: NeighborOrigin;
  readonly recall?: number;
  /** Of nearest neighbors: how many points coincide with all their neighbors, so that no edge leads away from their copies. */
  readonly repeated?: number;
  /** Of nearest neighbors: the squared distance of every node to the last of its neighbors. */
  readonly squaredReaches?: Float32Array;
  /** Of neighbors that a k-d tree found: the nodes in the order of its leaves. */
  readonly treeOrder?: Int32Array;
  /** Of 'self-tuned': σ of every node. */
  readonly scales?: Float64Array;
  /** Of 'gaussian' with sigma 'auto' and of 'knn-gaussian': σ, given or computed. */
  readonly sigma?: number;
  /** With sigma 'auto' or a variable bandwidth: the dimension of the points at this scale, as the rule for the bandwidth estimates it. */
  readonly dimension?: number;
  /** With density normalization: α, and the densities that were measured: the degrees before it, over ρ^dimension if ρ varies. */
  readonly alpha?: number;
  readonly densities?: Float64Array;
  /** Under a variable bandwidth: the bandwidths of the nodes, and what those of new points are computed from. */
  readonly variable?: VariableBandwidth;
  /** The metric, where it is not Euclidean. */
  readonly metric?: SourceMetric;
  readonly minkowskiPower?: number;
  /** With `connect: 'join'`: the edges that were added because the graph had several parts. */
  readonly joins?: readonly Join[];
}

/** The bandwidths of the nodes of a graph (Berry & Harlim 2016), and what those of new points are computed from. */
export interface VariableBandwidth {
  /** ρ of every node, of geometric mean 1. */
  readonly bandwidths: Float64Array;
  /** Of the density estimate: the root mean square distance of every node to its 8 nearest. */
  readonly pilotScales: Float64Array;
  readonly pilotSigma: number;
  readonly pilotDimension: number;
  /** The mean of log density^-½, which is subtracted. */
  readonly logUnit: number;
}

/** An edge that joins two parts of a graph. */
export interface Join {
  readonly from: number;
  readonly to: number;
  readonly distance: number;
  readonly weight: number;
}

/** An immutable graph. */
export interface Graph {
  readonly size: number;
  /** W, symmetric; an edge is an entry, and none is zero. */
  readonly weights: CsrMatrix;
  /**
   * The weights that were given are `scale` times `weights`. A power of two: 1 if the largest weight is from 2⁻¹⁶ to 2¹⁶,
   * else the one that brings it into [1, 2). Degrees and volume are those of `weights`.
   */
  readonly scale: number;
  /** D = diag(W·1), in Float64. */
  readonly degrees: Float64Array;
  /** The sum of all degrees. */
  readonly volume: number;
  readonly components: Components;
  /** The nodes of degree 0, ascending. */
  readonly isolated: Int32Array;
  readonly origin: GraphOrigin;
}

/** Entries (i, j) and (j, i) may differ by this many units in the last place of the larger; they are replaced by their mean. */
const roundings = 16;

/** A graph from given weights of any magnitude: square, symmetric up to rounding, none negative. Zeros are dropped. */
export function graphFrom(matrix: CsrMatrix): Graph {
  const caller = 'graphFrom';
  if (!(matrix instanceof CsrMatrix)) throw badKind(caller, 'a CsrMatrix', matrix, 'fromTriplets makes one.');
  checkSquare(caller, matrix);
  if (matrix.rows === 0) throw badValue(caller, 'at least one node', 'none');
  checkSigns(caller, matrix);
  const isSymmetric = isMirrored(caller, matrix);
  const scale = weightScale(largestMagnitude(matrix.values));
  const scaled = divideWeights(caller, matrix, scale);
  return graphOf(dropZeros(isSymmetric ? scaled : symmetrize(scaled)), { kind: 'given' }, scale);
}

/** A checksum of the degrees, to recognize a graph. */
export function graphFingerprint({ degrees }: Graph): number {
  return crc32(new Uint8Array(degrees.buffer, degrees.byteOffset, degrees.byteLength));
}

/** A graph from weights that are known to be symmetric, positive and finite. For this folder and `storage` only. */
export function graphOf(weights: CsrMatrix, origin: GraphOrigin, scale = 1): Graph {
  useThreads();
  const degrees = rowSums(weights);
  let volume = 0;
  const isolated: number[] = [];
  for (let i = 0; i < degrees.length; i++) {
    volume += degrees[i];
    if (degrees[i] === 0) isolated.push(i);
  }
  const components = findComponents(weights);
  const { rows: size } = weights;
  return { size, weights, scale, degrees, volume, components, isolated: Int32Array.from(isolated), origin };
}

/** The same graph with all weights multiplied by a positive factor, which keeps the eigenpairs of D⁻¹W. */
export function scaledGraph(graph: Graph, factor: number): Graph {
  const { weights, degrees, volume } = graph;
  return {
    ...graph,
    weights: mapValues(weights, (value) => factor * value),
    degrees: degrees.map((degree) => factor * degree),
    volume: factor * volume,
  };
}

/** Refuses anything that is not a graph. */
export function checkGraph(caller: string, graph: Graph): void {
  if (graph?.weights instanceof CsrMatrix && graph.degrees instanceof Float64Array) return;
  throw badKind(caller, 'a graph', graph, 'buildGraph and graphFrom make one.');
}

/** Refuses isolated nodes, for which D⁻¹ is not defined. */
export function checkDegrees(caller: string, { isolated }: Graph): void {
  if (isolated.length === 0) return;
  const named = [...isolated.subarray(0, 5)].join(', ');
  const got = `${isolated.length} of degree 0 (${isolated.length > 5 ? `${named}, …` : named})`;
  throw badValue(caller, 'no isolated nodes', got, 'Leave them out, or build the graph with more neighbors.');
}

/** Refuses a graph of one node, which has only the trivial eigenvector. */
export function checkTwoNodes(caller: string, { size }: Pick<Graph, 'size'>): void {
  if (size >= 2) return;
  const remedy = 'A graph of one node has no nontrivial eigenvector.';
  throw badValue(caller, 'a graph of at least two nodes', size, remedy);
}

/** Refuses negative weights. `first` is the number of the first row. Internal. */
export function checkSigns(caller: string, { rows, starts, columns, values }: CsrMatrix, first = 0): void {
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      if (values[e] < 0)
        throw badValue(caller, 'weights that are not negative', `${values[e]} at (${first + i}, ${columns[e]})`);
    }
  }
}

/** Refuses weights at (i, j) and (j, i) that differ by more than rounding. Internal. */
export function checkPair(caller: string, a: number, b: number, i: number, j: number, precision: Precision): void {
  const tolerance = roundings * (precision === 'double' ? 2 ** -52 : 2 ** -23);
  if (Math.abs(a - b) <= tolerance * Math.max(a, b)) return;
  const got = `${a} at (${i}, ${j}) and ${b} at (${j}, ${i})`;
  throw badValue(caller, 'a symmetric matrix', got, 'symmetrize(matrix) takes their mean.');
}

/** Whether the matrix is symmetric to the bit. Refuses entries that differ by more than rounding. */
function isMirrored(caller: string, matrix: CsrMatrix): boolean {
  let exact = true;
  forEachPair(matrix, (a, b, i, j, bothStored) => {
    if (bothStored && a === b) return;
    exact = false;
    checkPair(caller, a, b, i, j, matrix.precision);
  });
  return exact;
}
