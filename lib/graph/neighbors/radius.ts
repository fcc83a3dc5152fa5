/** Neighbors within a radius, whose number varies from point to point. */

import { checkOptions, type Rules } from '../../core/options.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { withinRadiusOfAll, withinRadiusOfQueries } from './blocks/block-radius.ts';
import type { RadiusRows } from './hit-list.ts';
import { withinRadiusInTree } from './tree/kd-radius.ts';
import { growTree, treeColumns } from './tree/kd-tree.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import { checkLength, checkPoints } from './points.ts';

/** How to search for points within a radius. */
export interface RadiusOptions extends ProgressOptions {
  /** A k-d tree, or all pairs; 'auto' chooses by the number of columns. */
  readonly method?: 'auto' | 'tree' | 'brute' | undefined;
}

const radiusRules = { ...progressRules, method: ['auto', 'tree', 'brute'] } as const satisfies Rules<RadiusOptions>;

/** All pairs of points with ‖x − y‖ < radius, in CSR form. Each point is its own neighbor, at distance 0. */
export async function radiusNeighbors(
  points: Tensor,
  radius: number,
  options: RadiusOptions = {},
): Promise<RadiusRows> {
  checkOptions('radiusNeighbors', options, radiusRules);
  return runAsync(radiusAmongSteps('radiusNeighbors', points, points, radius, options.method), options);
}

/** The points with ‖x − y‖ < radius for every query x. */
export async function radiusAmong(
  points: Tensor,
  queries: Tensor,
  radius: number,
  options: RadiusOptions = {},
): Promise<RadiusRows> {
  checkOptions('radiusAmong', options, radiusRules);
  return runAsync(radiusAmongSteps('radiusAmong', points, queries, radius, options.method), options);
}

/** `radiusAmong` as a task, with errors in the name of `caller`; `radiusNeighbors` where the queries are the points. */
export function* radiusAmongSteps(
  caller: string,
  points: Tensor,
  queries: Tensor,
  radius: number,
  method: RadiusOptions['method'] = 'auto',
): Task<RadiusRows> {
  checkPoints(caller, points, queries);
  checkLength(caller, 'radius', radius);
  return yield* searchWithin(caller, points, queries, radius, method);
}

/** The same without checks, for a subset of points that were checked together. */
export function* searchWithin(
  caller: string,
  points: Tensor,
  queries: Tensor,
  radius: number,
  method: NonNullable<RadiusOptions['method']>,
): Task<RadiusRows> {
  useThreads();
  const limit = radius * radius;
  if (method === 'brute' || (method === 'auto' && points.cols > treeColumns)) {
    const all = queries === points;
    return yield* all
      ? withinRadiusOfAll(caller, points, limit)
      : withinRadiusOfQueries(caller, points, queries, limit);
  }
  const tree = yield* subtask(growTree(points), 0, 0.1);
  const visitors = queries === points ? tree : yield* subtask(growTree(queries), 0.1, 0.2);
  return yield* subtask(withinRadiusInTree(caller, tree, visitors, limit), 0.2, 1);
}
