/** Weights between new points and a graph of a kernel with compact support. */

import type { Task } from '../../core/task.ts';
import type { Points } from '../../sparse/points.ts';
import type { Graph } from '../graph.ts';
import { metricRows } from '../neighbors/metric.ts';
import { longestRow } from '../neighbors/points.ts';
import { metricOfPoints } from '../neighbors/source.ts';
import { prepareWithinSteps } from '../neighbors/within.ts';
import { type CompactRecipe, type CompactRule, ruleOf, scaleSteps, weighSteps } from './compact-affinity.ts';
import type { WeightsOfQueries } from './weights.ts';

const caller = 'nystrom';

/** Row i holds the weights of query i and the points, in any order. The bandwidth of the recipe is a number. */
export function* compactWeightsAmongSteps(
  given: Points,
  recipe: CompactRecipe,
  { weights: { rows, starts } }: Graph,
): Task<WeightsOfQueries> {
  const rule = recipe.kind === 'gaussian' ? tabulated(ruleOf(recipe), recipe.sigma as number) : ruleOf(recipe);
  const metric = metricOfPoints(caller, recipe);
  const points = metricRows(caller, metric, given);
  const usual = longestRow({ rows, starts });
  const searchSteps = yield* prepareWithinSteps(caller, points, rule.radius, metric.power, usual);
  return function* weightsSteps(queries, use) {
    yield* searchSteps(metricRows(caller, metric, queries), function* weighSomeSteps(some, pairs) {
      const scale = yield* scaleSteps(recipe, rule, pairs); // a common factor drops out of means
      use({ queries: some, weights: yield* weighSteps(pairs, rule, scale) });
    });
  };
}

/** Steps of the table of a Gaussian kernel, and the longest for which four terms of a series give ten digits. */
const steps = 4096;
const longestStep = 2 ** -7;

/**
 * The rule of a Gaussian kernel, whose weights are exp(−u) for u from 0 to −ln threshold: at u = h·(k + r) they are a number of a
 * table, exp(−h·k), times the series of exp(−h·r). Its error is below 2e-10, far below the rounding of weights to single precision.
 */
function tabulated(rule: CompactRule, sigma: number): CompactRule {
  const { radius, threshold } = rule;
  const h = -Math.log(threshold) / steps;
  if (h > longestStep) return rule;
  // Two more, since the search is somewhat wider than the radius at which the threshold is reached.
  const table = Float64Array.from({ length: steps + 2 }, (_, k) => Math.exp(-h * k));
  const unit = 1 / (2 * sigma * sigma * h);
  return { radius, threshold, weight: (squared) => series(table, h, squared * unit) };
}

function series(table: Float64Array, h: number, place: number): number {
  const k = Math.trunc(place);
  const t = h * (place - k);
  return table[k] * (1 - t * (1 - t * (1 / 2 - t * (1 / 6))));
}
