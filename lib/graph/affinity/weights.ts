/** The types and options that all recipes of graphs share: the rule of weights, the joining of parts, the normalization of densities. */

import type { Task } from '../../core/task.ts';
import type { Points } from '../../sparse/points.ts';

import type { Rules } from '../../core/options.ts';

/** The weight of nodes i and j at a squared distance. */
export type WeightRule = (squared: number, i: number, j: number) => number;

const connections = ['none', 'join'] as const;

/** Whether the parts of a graph are joined. */
export interface ConnectOptions {
  /**
   * 'join' adds the shortest edges between the parts: the minimum spanning tree of the parts. Default: 'none' in
   * `buildGraph`, 'join' in the estimators.
   */
  readonly connect?: (typeof connections)[number] | undefined;
}

export const connectRules = { connect: connections } as const satisfies Rules<ConnectOptions>;

/** The normalization of densities, for points that are sampled unevenly. */
export interface DensityOptions {
  /**
   * The density normalization of Coifman & Lafon, from 0 to 1: W becomes D^-α·W·D^-α. With weights that fall with the
   * distance, eigenvectors then tend to those of Δf + (2 − 2α)·∇f·∇p/p for points of density p: of the graph Laplacian for 0,
   * of the Fokker-Planck operator for ½, and of the Laplace-Beltrami operator, whatever the density, for 1. Default: 0.
   */
  readonly alpha?: number | undefined;
}

export const densityRules = { alpha: 'number' } as const satisfies Rules<DensityOptions>;

/** Rows of weights, in single precision: row i is at starts[i] … starts[i+1]−1. The entries of a row are in any order. */
export interface WeightRows {
  readonly rows: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float32Array;
}

/** Weights between some queries and the points of a graph. */
export interface QueryWeights {
  /** The queries to which the rows belong. */
  readonly queries: Int32Array;
  /** Row i holds w(x, ·) of query queries[i], up to one factor for the row. */
  readonly weights: WeightRows;
  /** ρ of the queries, under a variable bandwidth. */
  readonly bandwidths?: Float64Array;
}

/** Calls `use` with the weights of all queries, some of them at a time. What it gets is valid during the call. */
export type WeightsOfQueries = (queries: Points, use: (some: QueryWeights) => void) => Task<void>;
