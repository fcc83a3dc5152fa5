/** The command `submit`: hands the tasks of a run to Slurm, or cancels them. */

import { badValue } from '../../../core/check.ts';
import { formatTable } from '../../../charts/table.ts';
import { UsageError } from '../../shared/arguments.ts';
import { type Command, printReport } from '../../shared/command.ts';
import type { ExitCode } from '../../shared/terminal.ts';
import { openRun } from './do-task.ts';
import { cancelArrays, queuedJobs, submittedArrays, submitTasks } from './slurm.ts';

export const submit: Command = {
  summary: 'hand the tasks of a plan to Slurm',
  operands: ['RUN'],
  flags: ['slurm', 'cancel', 'json', 'help'],
  details: [
    'Every stage becomes an array of jobs that begins when the stage before has succeeded. Tasks that are done are left\n  out: to retry those that failed, submit again. The folder, its inputs and Node have the same path on all nodes.\n  What tasks print is in RUN/logs',
    'JSON: arrays (of each: id, stage, tasks); with --cancel, canceled (ids)',
  ],
  examples: [
    ["specnet submit search --slurm '--partition=main --time=2:00:00 --cpus-per-task=4'", 'with options of sbatch'],
    ['specnet submit search --cancel', 'cancel what was submitted'],
  ],
  run(call): ExitCode {
    const { flags, operands } = call;
    const [path] = operands;
    if (flags.cancel && flags.slurm !== undefined) throw new UsageError('expected --cancel or --slurm, got both.');
    const folder = openRun('submit', path);
    const submitted = submittedArrays(folder);
    if (flags.cancel) {
      cancelArrays(submitted);
      const canceled = submitted.map(({ id }) => id);
      printReport(call, { canceled }, () => `Canceled: ${canceled.join(', ') || 'nothing was submitted'}.`);
      return 0;
    }
    const waiting = Object.values(queuedJobs(submitted)).reduce((sum, count) => sum + count, 0);
    if (waiting > 0) {
      const remedy = `Wait for them, or cancel them: specnet submit ${path} --cancel.`;
      throw badValue('submit', 'no tasks of this run in Slurm', `${waiting} that have not ended`, remedy);
    }
    const arrays = submitTasks(
      folder,
      (flags.slurm ?? '').split(/\s+/).filter((word) => word !== ''),
    );
    printReport(call, { arrays }, () => {
      if (arrays.length === 0) return 'All tasks are done.';
      const rows = arrays.map(({ id, stage, tasks }) => [stage, id, String(tasks.length)]);
      return `${formatTable(['stage', 'job', 'tasks'], rows)}\n\nNext: specnet status ${path}`;
    });
    return 0;
  },
};
