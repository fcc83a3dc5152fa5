/** The certificate of a spectrum: a count of eigenvalues that proves that none was missed, and errors relative to the Laplacian's eigenvalues. */

import { badValue } from '../../core/check.ts';
import type { OptionCheck } from '../../core/options.ts';
import { subtask, type WaitingTask } from '../../core/task.ts';
import type { FactoredGraph } from './factored-graph.ts';
import { analysisWork, factorSize, factorWork, flopsOf, guessFactor } from './forecast.ts';
import { laplacianValues, type SmoothPairs, type SmoothProblem } from './solver-report.ts';
import { directPairsSteps } from './solvers.ts';

/** Whether completeness is proved: always, never, or where it takes at most a quarter of the time of the search. */
export type CertifyChoice = boolean | 'auto';

/** Refuses anything but a choice. */
export const certifyRule: OptionCheck = (caller, name, value: unknown) => {
  if (typeof value !== 'boolean' && value !== 'auto')
    throw badValue(caller, `${name} to be true, false or 'auto'`, value);
};

/** The fraction of the work of the search that a proof may take. */
const fairShare = 0.25;
/** 'auto' leaves larger graphs alone. */
const largest = 200_000;

/** The pairs with what a count of eigenvalues says about them. If some are missing, the direct solver searches for them. */
export function* certifySteps(
  problem: SmoothProblem,
  pairs: SmoothPairs,
  choice: CertifyChoice,
): WaitingTask<SmoothPairs> {
  const { factored } = problem;
  if (choice === false || !pairs.converged || pairs.complete === 'proved') return pairs;
  const budget = choice === true || pairs.solver === 'direct' ? Infinity : fairShare * pairs.work;
  if (budget < Infinity && problem.graph.size > largest) return pairs;
  const { graph } = problem;
  const isAffordable =
    budget === Infinity ||
    factored.isAnalyzed ||
    analysisWork(graph) + factorWork(guessFactor(graph, factored.breadth)) <= budget;
  if (!isAffordable) return pairs;
  const analysis =
    choice === true
      ? yield* subtask(factored.requiredAnalysisSteps('certify: true'), 0, 0.3)
      : yield* subtask(factored.analysisSteps(flopsOf(budget)), 0, 0.3);
  if (!analysis || factorWork(factorSize(analysis)) > budget) return pairs;
  const first = yield* subtask(countSteps(problem, factored, pairs), 0.3, 0.6);
  if (first.complete === 'proved' || !first.certificate) return first;
  // Some are missing: search again, thoroughly.
  const { counted, found } = first.certificate;
  const again = yield* subtask(directPairsSteps(problem, analysis, '', true), 0.6, 0.9);
  const second = yield* subtask(countSteps(problem, factored, again), 0.9, 1);
  const reason = `Of ${counted} eigenvalues up to the last one, ${found} were found at first.`;
  return { ...second, products: pairs.products + again.products, work: pairs.work + again.work, reason };
}

/** Counts eigenvalues: 'proved' if all were found; 'unknown' and not converged if some are missing. */
function* countSteps(problem: SmoothProblem, factored: FactoredGraph, pairs: SmoothPairs): WaitingTask<SmoothPairs> {
  const analysis = yield* factored.analysisSteps(Infinity);
  const values = laplacianValues(problem, pairs.values);
  const census = yield* factored.censusSteps(analysis!, values, pairs.residuals);
  if (census.verdict === 'open') return pairs;
  const value = problem.kind === 'random-walk' ? 1 - census.shift : census.shift;
  const certificate = { value, counted: census.counted, found: census.found };
  const isComplete = census.verdict === 'complete';
  return {
    ...pairs,
    certificate,
    complete: isComplete ? 'proved' : 'unknown',
    converged: pairs.converged && isComplete,
  };
}

/**
 * The relative error of each eigenvalue μ of the Laplacian. It is at most r/μ for a residual r, and about r²/(μ·gap) where the next
 * other eigenvalue is further away than r. A pair of eigenvalue 0 up to rounding has no relative error: 0.
 */
export function eigenvalueErrors(values: Float64Array, residuals: Float64Array): Float64Array {
  return values.map((value, k) => {
    const residual = residuals[k];
    if (!(value > Number.EPSILON)) return 0;
    const gaps = Array.from(values, (other, j) => (j === k ? Infinity : Math.abs(other - value)));
    const gap = Math.min(...gaps.filter((distance) => distance > 2 * residual), value);
    return Math.min(residual, residual ** 2 / gap) / value;
  });
}
