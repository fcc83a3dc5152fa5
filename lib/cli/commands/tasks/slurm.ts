/** Tasks of a run as arrays of jobs in Slurm. Only this file and the command `submit` know Slurm. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { badValue } from '../../../core/check.ts';
import { sweepDrafts } from '../../../files/drafts.ts';
import { readSealed, type SealedFormat, writeSealed } from '../../../files/records/sealed-json.ts';
import { tasksOfStage } from '../../../tasks/plan.ts';
import type { RunFolder } from '../../../tasks/run-folder.ts';
import { mainScript } from './processes.ts';

/** An array of jobs, each of which does a task. */
export interface SlurmArray {
  readonly id: string;
  readonly stage: string;
  readonly tasks: readonly number[];
}

const listFormat: SealedFormat = {
  format: 'specnet-slurm',
  version: 1,
  otherVersion: 'Use the version of specnet that submitted the tasks.',
  damaged: 'Delete the file, and cancel its jobs with scancel.',
  longest: 2 ** 24,
};

/** Indices of an array are below 1,001 unless the configuration of Slurm says otherwise. */
const longestArray = 1000;

/** The arrays of the last submission. */
export function submittedArrays(folder: RunFolder): readonly SlurmArray[] {
  const path = listPath(folder);
  return existsSync(path) ? (readSealed('submit', path, listFormat) as readonly SlurmArray[]) : [];
}

/**
 * Submits all tasks that are not done: an array for each stage, which begins when those of the stage before have succeeded.
 * `extra`: further arguments of sbatch. The list in the folder is written after every call of sbatch.
 */
export function submitTasks(folder: RunFolder, extra: readonly string[]): readonly SlurmArray[] {
  sweepDrafts(listPath(folder));
  const arrays: SlurmArray[] = [];
  let before: string[] = [];
  for (const [stage, { name }] of folder.plan.stages.entries()) {
    const tasks = tasksOfStage(folder.plan, stage).filter((task) => folder.stateOf(task) !== 'done');
    const ids = chunksOf(tasks).map((chunk) => {
      const id = submitArray(folder, name, chunk, before, extra);
      arrays.push({ id, stage: name, tasks: chunk });
      writeSealed('the file', listPath(folder), listFormat, arrays);
      return id;
    });
    if (ids.length > 0) before = ids;
  }
  return arrays;
}

function listPath(folder: RunFolder): string {
  return folder.file('slurm.json');
}

/** Tasks that one array can have: their numbers lie within a thousand. */
function chunksOf(tasks: readonly number[]): number[][] {
  const chunks = new Map<number, number[]>();
  for (const task of tasks) {
    const chunk = Math.floor((task - 1) / longestArray);
    chunks.set(chunk, [...(chunks.get(chunk) ?? []), task]);
  }
  return [...chunks.values()];
}

function submitArray(
  folder: RunFolder,
  stage: string,
  tasks: readonly number[],
  before: readonly string[],
  extra: readonly string[],
): string {
  const base = longestArray * Math.floor((tasks[0] - 1) / longestArray);
  const words = [process.execPath, ...process.execArgv, mainScript, 'work', folder.path].map(quote).join(' ');
  const task = base === 0 ? '"$SLURM_ARRAY_TASK_ID"' : `"$((${base} + SLURM_ARRAY_TASK_ID))"`;
  const script = `#!/bin/sh\nexec ${words} --task ${task} --threads "\${SLURM_CPUS_PER_TASK:-1}" --quiet\n`;
  const args = [
    '--parsable',
    `--job-name=specnet-${folder.plan.kind}-${stage}`,
    `--array=${tasks.map((number) => number - base).join(',')}`,
    `--output=${folder.file('logs')}/%A-%a.log`,
    '--requeue',
    ...(before.length > 0 ? [`--dependency=afterok:${before.join(':')}`, '--kill-on-invalid-dep=yes'] : []),
    ...extra,
  ];
  return callSlurm('sbatch', args, script).trim().split(';')[0];
}

/** How many jobs of the arrays are in each state of Slurm, such as PENDING and RUNNING. Those that have ended are in none. */
export function queuedJobs(arrays: readonly SlurmArray[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  if (arrays.length === 0) return counts;
  const ids = new Set(arrays.map(({ id }) => id));
  for (const line of callSlurm('squeue', ['--array', '--noheader', '--format=%F %T']).split('\n')) {
    const [id, state] = line.trim().split(' ');
    if (ids.has(id)) counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

/** Cancels all jobs of the arrays that have not ended. */
export function cancelArrays(arrays: readonly SlurmArray[]): void {
  if (arrays.length > 0) callSlurm('scancel', arrays.map(({ id }) => id)); // oxfmt-ignore
}

/** Runs a program of Slurm, and returns what it prints. */
function callSlurm(program: string, args: readonly string[], input = ''): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  // A program that refuses without reading its input ends with a status, and with an error of its own.
  if (error && status === null) {
    const remedy = 'Submit from a machine of the cluster, or use specnet run.';
    throw badValue('submit', `the program ${program} of Slurm`, error.message, remedy);
  }
  if (status === 0) return stdout;
  throw badValue('submit', `${program} to succeed`, stderr.trim().replace(/\.$/, ''));
}

/** A word of a shell script. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
