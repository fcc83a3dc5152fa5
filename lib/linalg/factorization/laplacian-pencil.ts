/** The matrix L − σM of a graph's Laplacian L = D − W and a positive diagonal matrix M, and its factorization. */

import type { Task } from '../../core/task.ts';
import type { AffinityGraph } from '../multilevel/hierarchy/finest.ts';
import { type Analysis, analysisSteps } from './analysis.ts';
import { factorizeSteps, type TinyPivot } from './factorize.ts';
import type { Factor } from './factor.ts';

/** The pencil (L, M) of a graph. */
export interface LaplacianPencil {
  readonly graph: AffinityGraph;
  readonly mass: Float64Array;
  /** The diagonal of L: degrees without loops. */
  readonly diagonal: Float64Array;
  /** The largest entry of the diagonal of M^-½LM^-½, at least half its norm. */
  readonly scale: number;
}

export function laplacianPencil(graph: AffinityGraph, mass: Float64Array): LaplacianPencil {
  const { starts, columns, values } = graph.weights;
  // A sum without the loop: the difference of degree and loop loses digits where the loop is heavy.
  const diagonal = new Float64Array(graph.size);
  for (let i = 0; i < graph.size; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) if (columns[e] !== i) diagonal[i] += values[e];
  }
  const scale = diagonal.reduce((most, entry, i) => Math.max(most, entry / mass[i]), 0);
  return { graph, mass, diagonal, scale: scale || 1 };
}

/** What a factorization of L − σM costs, for all shifts σ. Null if it takes more than `flopLimit` flops. */
export function analyzeGraphSteps({ size, weights }: AffinityGraph, flopLimit?: number): Task<Analysis | null> {
  return analysisSteps({ size, starts: weights.starts, columns: weights.columns }, flopLimit);
}

/** Factors L − σM into triangular and diagonal matrices, up to the order of the nodes. The caller closes the factor. */
export function shiftedFactorSteps(
  { graph, mass, diagonal }: LaplacianPencil,
  analysis: Analysis,
  shift: number,
): Task<Factor | TinyPivot> {
  const shifted = diagonal.slice();
  for (let i = 0; i < graph.size; i++) shifted[i] -= shift * mass[i];
  return factorizeSteps(analysis, { diagonal: shifted, values: graph.weights.values, factor: -1 });
}
