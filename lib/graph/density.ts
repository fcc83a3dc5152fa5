/** Density normalization: of Coifman & Lafon by the degrees of a graph, and of Berry & Harlim under a variable bandwidth. */

import { badValue } from '../core/check.ts';
import { diagonalMatrix } from '../sparse/build.ts';
import { combine, dropZeros } from '../sparse/combine.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { reduceKernels } from '../wasm/families.ts';
import { densityPower } from './affinity/variable-bandwidth.ts';
import type { QueryWeights, WeightRows } from './affinity/weights.ts';
import { checkDegrees, checkGraph, type Graph, graphOf, type GraphOrigin } from './graph.ts';

/** Refuses anything but a number from 0 to 1. */
export function checkAlpha(caller: string, alpha: number): void {
  if (!(typeof alpha === 'number' && alpha >= 0 && alpha <= 1)) throw badValue(caller, 'alpha from 0 to 1', alpha);
}

/**
 * The graph with weights wᵢⱼ / (qᵢqⱼ)^α, where q are its degrees over their mean, so that weights keep their order of
 * magnitude. Its degrees are those of the new weights. A graph is normalized once.
 */
export function normalizeDensity(graph: Graph, alpha: number): Graph {
  const caller = 'normalizeDensity';
  checkGraph(caller, graph);
  checkAlpha(caller, alpha);
  return withAlpha(caller, graph, alpha);
}

/**
 * `normalizeDensity` with errors in the name of `caller`. Under a variable bandwidth, the densities are the degrees over
 * ρ^dimension, the exponent is the one of `exponentOf`, and every node has a loop of (ρ²/min ρ² − 1) times its degree: the
 * eigenvectors are then those of Berry and Harlim, of (D⁻¹W − I)/ρ², since loops change D but not D − W.
 */
export function withAlpha(caller: string, graph: Graph, alpha: number): Graph {
  const { origin } = graph;
  const isPlain = alpha === 0 && !origin.variable;
  if (origin.alpha === alpha || (isPlain && origin.alpha === undefined)) return graph;
  if (origin.alpha !== undefined) {
    throw badValue(caller, 'a graph whose density is not normalized', `one with alpha ${origin.alpha}`);
  }
  checkDegrees(caller, graph);
  const densities = densitiesOf(origin, graph.degrees, origin.variable?.bandwidths);
  const normalized = { ...origin, alpha, densities };
  const factors = densityFactors(normalized);
  checkFactors(caller, normalized, factors);
  const { rows, cols, starts, columns } = graph.weights;
  const values = graph.weights.values.slice();
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) values[e] *= factors[i] * factors[columns[e]];
  }
  const result = graphOf(new CsrMatrix(rows, cols, starts, columns, values), normalized, graph.scale);
  return origin.variable ? withLoops(result, loopsOf(origin, result.degrees, origin.variable.bandwidths)) : result;
}

/** Weights of queries as a graph has them. */
export interface NormalizedRows {
  readonly weights: WeightRows;
  /** Under a variable bandwidth: the weight of each query with itself, which is not in its row. */
  readonly loops?: Float64Array;
}

/** How rows of weights between new points and those of a graph are normalized, in place: as the graph is. */
export function rowNormalization({ origin }: Graph): (some: QueryWeights) => NormalizedRows {
  const { densities } = origin;
  if (!densities) return ({ weights }) => ({ weights });
  const factors = densityFactors(origin);
  const mean = meanOf(densities);
  const exponent = exponentOf(origin);
  return ({ weights, bandwidths }) => {
    const { rows, starts, columns, values } = weights;
    const own = densitiesOf(origin, degreesOf(weights), bandwidths);
    for (let i = 0; i < rows; i++) {
      const factor = (own[i] / mean) ** -exponent;
      for (let e = starts[i]; e < starts[i + 1]; e++) values[e] *= factor * factors[columns[e]];
    }
    return bandwidths ? { weights, loops: loopsOf(origin, degreesOf(weights), bandwidths) } : { weights };
  };
}

/** The sums of the rows. */
function degreesOf({ rows, starts, values }: WeightRows): Float64Array {
  const sums = new Float64Array(rows);
  reduceKernels().csrRowSums(rows, starts, values, sums);
  return sums;
}

/** Degrees, over ρ^dimension where the bandwidth varies: a wider kernel sees more points. */
function densitiesOf({ dimension }: GraphOrigin, degrees: Float64Array, bandwidths?: Float64Array): Float64Array {
  return bandwidths ? degrees.map((degree, i) => degree / bandwidths[i] ** dimension!) : degrees;
}

/**
 * The exponent for which eigenvectors tend to those of Δf + (2 − 2α)·∇f·∇p/p. With ρ = p^β and dimension m, weights over
 * (qᵢqⱼ)^e give Δf + (2 − 2e + mβ + 2β)·∇f·∇p/p (Berry & Harlim 2016).
 */
function exponentOf({ alpha = 0, variable, dimension }: GraphOrigin): number {
  return variable ? alpha + densityPower * (dimension! / 2 + 1) : alpha;
}

/** (q / mean of q)^-e. */
function densityFactors(origin: GraphOrigin): Float64Array {
  const densities = origin.densities!;
  const mean = meanOf(densities);
  const exponent = exponentOf(origin);
  return densities.map((density) => (density / mean) ** -exponent);
}

/** Weights that differ by more are lost in single precision. */
const widestRange = 1e15;

function checkFactors(caller: string, { variable, dimension }: GraphOrigin, factors: Float64Array): void {
  if (!variable) return;
  const [least, most] = factors.reduce(([low, high], f) => [Math.min(low, f), Math.max(high, f)], [Infinity, 0]);
  if (least > 1 / widestRange && most < widestRange) return;
  const got = `densities that differ too much in dimension ${dimension!.toFixed(1)}`;
  const remedy = "Leave outliers out, reduce the columns by pca, or take bandwidth: 'fixed'.";
  throw badValue(caller, 'densities that single precision holds, for a variable bandwidth', got, remedy);
}

/** (ρ²/min ρ² − 1) times the degrees. */
function loopsOf({ variable }: GraphOrigin, degrees: Float64Array, bandwidths: Float64Array): Float64Array {
  const least = variable!.bandwidths.reduce((low, each) => Math.min(low, each), Infinity);
  return degrees.map((degree, i) => degree * ((bandwidths[i] / least) ** 2 - 1));
}

function withLoops({ weights, origin, scale }: Graph, loops: Float64Array): Graph {
  return graphOf(dropZeros(combine(1, weights, 1, diagonalMatrix(loops, weights.precision))), origin, scale);
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
