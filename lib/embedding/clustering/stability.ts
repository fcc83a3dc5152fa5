/** The stability of clusters: their agreement with those of other seeds. */

import { subtask, type Task, type WaitingTask } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Matrix } from '../../linalg/matrix.ts';
import { columns, spectrumSteps } from '../../spectral/spectrum/spectrum.ts';
import { adjustedRandIndex } from './agreement.ts';
import { labelingSteps, type LabelingOptions } from './labeling.ts';

/** The agreement of clusters with those of other seeds. */
export interface ClusterStability {
  /** The mean adjusted Rand index between the clusters and those of other seeds: 1 if all are equal. */
  readonly agreement: number;
  /** How many other seeds were tried. */
  readonly runs: number;
  /** Whether the agreement is at least 0.9. */
  readonly isStable: boolean;
}

export const defaultStabilityRuns = 3;
const leastAgreement = 0.9;
/** The eigenvectors of the comparison need not be exact. */
const tolerance = 1e-4;
/** Eigenvalues count as equal if they differ by at most this part of their distance from 1. */
const repetition = 0.01;

/**
 * Compares labels with those from the exact eigenvectors of the graph, as many as there are coordinates: found from another
 * random start, and clustered with other seeds. Where the next eigenvalue is nearly equal to the last one, the start decides
 * which vectors are found, and every run has a start of its own. Null for no runs.
 */
export function* stabilitySteps(
  graph: Graph,
  labels: Int32Array,
  { clusters, eigenvectors, runs, seed, ...options }: LabelingOptions & StabilityOptions,
): WaitingTask<ClusterStability | null> {
  if (runs === 0) return null;
  const random = new Random(seed).fork('stability');
  let rows: Matrix | null = null;
  let sum = 0;
  for (let run = 0; run < runs; run++) {
    const [from, middle, to] = [run / runs, (run + 0.6) / runs, (run + 1) / runs];
    const runSeed = random.fork(`run ${run}`);
    if (!rows) {
      const count = Math.min(eigenvectors + 1, graph.size);
      const settings = { count, tolerance, seed: runSeed.fork('eigenvectors').seed };
      const { values, vectors } = yield* subtask(spectrumSteps(graph, settings), from, middle);
      const others = columns(vectors, 0, Math.min(eigenvectors, count));
      sum += yield* subtask(agreementSteps(others, runSeed.fork('labels').seed), middle, to);
      if (!isRepeated(values, eigenvectors)) rows = others;
    } else {
      sum += yield* subtask(agreementSteps(rows, runSeed.fork('labels').seed), from, to);
    }
  }
  const agreement = sum / runs;
  return { agreement, runs, isStable: agreement >= leastAgreement };

  function* agreementSteps(others: Matrix, labelSeed: Seed): Task<number> {
    const source = { rows: others, hasConstant: true, degrees: graph.degrees };
    const found = yield* labelingSteps(source, clusters, { ...options, seed: labelSeed });
    return adjustedRandIndex(found.labels, labels);
  }
}

/** Whether eigenvalue number k, counted from 1, nearly equals the next one. */
function isRepeated(values: Float64Array, k: number): boolean {
  return k < values.length && values[k - 1] - values[k] <= repetition * (1 - values[k]);
}

export interface StabilityOptions {
  readonly clusters: number;
  /** The number of eigenvectors that are clustered, the constant one included. */
  readonly eigenvectors: number;
  /** How many other seeds to try. */
  readonly runs: number;
  readonly seed: Seed;
}
