/** The table of kinds of tasks. */

import { badValue } from '../../../../core/check.ts';
import type { TaskKind } from './kind.ts';
import { fit } from './fit.ts';
import { neighbors } from './neighbors.ts';
import { reproduce } from './reproduce.ts';
import { sweep } from './sweep.ts';
import { transform } from './transform.ts';

export const taskKinds: Readonly<Record<string, TaskKind>> = { neighbors, fit, transform, sweep, reproduce };

/** The kind of a plan. */
export function kindOf(name: string): TaskKind {
  if (Object.hasOwn(taskKinds, name)) return taskKinds[name];
  throw badValue('work', `a plan of ${Object.keys(taskKinds).join(', ')}`, name);
}
