/** The command `status`: which tasks of a run are done, running, failed and waiting. */

import { join } from 'node:path';
import { formatTable } from '../../../charts/table.ts';
import { tasksOfStage } from '../../../tasks/plan.ts';
import { RunFolder, type TaskState } from '../../../tasks/run-folder.ts';
import { type Command, printReport } from '../../shared/command.ts';
import { queuedJobs, submittedArrays } from './slurm.ts';
import type { ExitCode } from '../../shared/terminal.ts';

export const status: Command = {
  summary: 'show which tasks of a plan are done',
  operands: ['RUN'],
  flags: ['json', 'help'],
  details: [
    'JSON: run, kind, complete, stages (of each: name, tasks, done, running, failed, waiting), failures (of each: task,\n  message), results (paths of the files); after submit, slurm (the number of jobs in each state of Slurm)',
  ],
  examples: [
    ['specnet status search', 'a table of stages'],
    ['specnet status search --json', 'as JSON'],
  ],
  run(call): ExitCode {
    const folder = RunFolder.open('status', call.operands[0]);
    const report: RunStatus = { ...statusOf(folder, call.operands[0]), ...slurmOf(folder) };
    printReport(call, report, () => describeStatus(report));
    return 0;
  },
};

/** How many jobs are in each state of Slurm, if tasks were submitted, and if Slurm answers here. */
function slurmOf(folder: RunFolder): Pick<RunStatus, 'slurm'> {
  const submitted = submittedArrays(folder);
  if (submitted.length === 0) return {};
  try {
    return { slurm: queuedJobs(submitted) };
  } catch {
    return { slurm: null };
  }
}

export interface RunStatus {
  readonly run: string;
  readonly kind: string;
  readonly complete: boolean;
  readonly stages: readonly ({ readonly name: string; readonly tasks: number } & Readonly<Record<TaskState, number>>)[];
  readonly failures: readonly { readonly task: number; readonly message: string }[];
  readonly results: readonly string[];
  /** Only if tasks were submitted. Null if Slurm does not answer. */
  readonly slurm?: Readonly<Record<string, number>> | null;
}

/** The state of every task of a run. `path` is that of the user. */
export function statusOf(folder: RunFolder, path: string): RunStatus {
  const stages = folder.plan.stages.map(({ name, tasks }, stage) => {
    const counts = { done: 0, running: 0, failed: 0, waiting: 0 };
    for (const task of tasksOfStage(folder.plan, stage)) counts[folder.stateOf(task)]++;
    return { name, tasks, ...counts };
  });
  const failures = folder.tasksIn('failed').map((task) => ({ task, message: folder.failureOf(task) }));
  const results = folder.isComplete ? folder.results().map((name) => join(path, name)) : [];
  return { run: path, kind: folder.plan.kind, complete: folder.isComplete, stages, failures, results };
}

/** The number of failures that are shown. */
const mostFailures = 5;

export function describeStatus({ run, kind, complete, stages, failures, results, slurm }: RunStatus): string {
  const header = ['stage', 'tasks', 'done', 'running', 'failed', 'waiting'];
  const rows = stages.map((stage) =>
    [stage.name, stage.tasks, stage.done, stage.running, stage.failed, stage.waiting].map(String),
  );
  const lines = failures.slice(0, mostFailures).map(({ task, message }) => `Task ${task} failed: ${message}`);
  if (failures.length > mostFailures) lines.push(`${failures.length - mostFailures} more tasks failed.`);
  if (slurm !== undefined && !complete) lines.push(`Slurm: ${describeSlurm(slurm)}.`);
  if (complete) lines.push(`Complete: ${results.join(', ')}`);
  return [`${run}: ${kind}`, formatTable(header, rows, 1), ...(lines.length > 0 ? [lines.join('\n')] : [])].join(
    '\n\n',
  );
}

function describeSlurm(slurm: NonNullable<RunStatus['slurm']> | null): string {
  if (!slurm) return 'does not answer on this machine';
  const counts = Object.entries(slurm).map(([state, count]) => `${count} ${state.toLowerCase()}`);
  return counts.length === 0 ? 'no job is queued or running; specnet submit submits the rest' : counts.join(', ');
}
