/** Flags of work as a folder of tasks. */

import { booleanFlag, countFlag, type Flag, type FlagTable } from './kinds.ts';

/** The tasks of a plan, and how many are done at a time. */
export const taskTable = {
  blocks: countFlag(
    'blocks',
    'N',
    1,
    'largest number of tasks in the first stage; default: 16; for sweep and reproduce, one per run',
  ),
  task: countFlag('task', 'I', 1, 'the task to do, counted from 1'),
  jobs: countFlag('jobs', 'J', 1, 'tasks at a time, each in a process of its own; default: 1, in this process'),
  slurm: {
    value: 'TEXT',
    help: "further options of sbatch: '--partition=main --time=2:00:00'",
    dashes: true,
    read: (_caller: string, text: string) => text,
  } as Flag<string>,
  cancel: booleanFlag('cancel the jobs that were submitted'),
  grid: {
    value: 'TEXT',
    help: "options and their values: 'neighbors=8,16; seed=0..3; mutual=no,yes'",
    read: (_caller: string, text: string) => text,
  } as Flag<string>,
} satisfies FlagTable;
