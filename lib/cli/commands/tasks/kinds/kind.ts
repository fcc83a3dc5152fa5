/** The interface of a kind of tasks: how a plan is made from arguments, and how one of its tasks is done. */

import type { Plan, TaskPlace } from '../../../../tasks/plan.ts';
import type { RunFolder } from '../../../../tasks/run-folder.ts';
import type { FlagName } from '../../../flags/flags.ts';
import type { Call } from '../../../shared/command.ts';

/** The part of a plan that its kind determines. */
export type PlanContent = Pick<Plan, 'inputs' | 'options' | 'stages'>;

/** A task, its folder, and the command that does it. */
export interface TaskJob extends TaskPlace {
  readonly folder: RunFolder;
  readonly call: Call;
}

export interface TaskKind {
  /** The names of the operands after that of the kind. */
  readonly operands: readonly string[];
  /** The flags of `specnet plan` that it takes, beside --out and --json. */
  readonly flags: readonly FlagName[];
  /** Makes a plan. Refuses what its tasks could not do. */
  plan(operands: readonly string[], call: Call): Promise<PlanContent>;
  /**
   * Does a task whose inputs were checked. Returns the names of its outputs, relative to the folder. They are written as
   * a whole and depend on the plan alone: a task that is done again, or by two processes at a time, writes the same bytes.
   */
  work(job: TaskJob): Promise<readonly string[]>;
}

/** The number of blocks if --blocks is not given. */
export const defaultBlocks = 16;
