/** The plan of a run: stages of tasks, what they read, and what they depend on. */

import { badValue } from '../core/check.ts';
import type { FileRecord } from '../files/records/file-record.ts';

/** Tasks that depend on all tasks of the stages before, and not on each other. */
export interface Stage {
  readonly name: string;
  readonly tasks: number;
}

/** Values that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Plan {
  /** What the tasks do. */
  readonly kind: string;
  /** The version of the package that made the plan, which does all of its tasks: bits may differ between versions. */
  readonly package: string;
  /** The files that the tasks read, by absolute path. */
  readonly inputs: readonly FileRecord[];
  readonly options: { readonly [name: string]: Json };
  readonly stages: readonly Stage[];
}

/** A task: its number in the plan, counted from 1, and its place among the tasks of its stage, counted from 0. */
export interface TaskPlace {
  readonly task: number;
  readonly stage: number;
  readonly index: number;
}

/** The number of tasks of a plan. */
export function countTasks({ stages }: Pick<Plan, 'stages'>): number {
  return stages.reduce((sum, { tasks }) => sum + tasks, 0);
}

/** The tasks of a stage, in order. */
export function tasksOfStage({ stages }: Pick<Plan, 'stages'>, stage: number): number[] {
  const before = countTasks({ stages: stages.slice(0, stage) });
  return Array.from({ length: stages[stage].tasks }, (_, index) => before + index + 1);
}

/** Finds a task by its number. */
export function placeOfTask(plan: Pick<Plan, 'stages'>, task: number): TaskPlace {
  for (let stage = 0, before = 0; stage < plan.stages.length; before += plan.stages[stage++].tasks) {
    if (task > before && task <= before + plan.stages[stage].tasks) return { task, stage, index: task - before - 1 };
  }
  throw badValue('--task', `a task from 1 to ${countTasks(plan)}`, task);
}

/** A range of rows, from … to − 1. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Ranges begin at multiples of this, so that kernels that take several rows at a time divide them as they do all rows. */
const rowUnit = 256;

/** The number of ranges that `size` rows are divided into, if `wanted` are wanted: none is empty. */
export function countRanges(size: number, wanted: number): number {
  return Math.min(wanted, Math.ceil(size / rowUnit));
}

/** Range `index` of `count` ranges of `size` rows. */
export function rangeOfRows(size: number, count: number, index: number): RowRange {
  const units = Math.ceil(size / rowUnit);
  const begin = (i: number): number => Math.min(size, rowUnit * Math.floor((units * i) / count));
  return { from: begin(index), to: begin(index + 1) };
}
