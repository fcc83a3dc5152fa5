/** The command `run`: does all tasks of a run on this machine, stage by stage. */

import { tasksOfStage } from '../../../tasks/plan.ts';
import type { RunFolder } from '../../../tasks/run-folder.ts';
import { withoutCaller } from '../../shared/arguments.ts';
import { type Call, type Command, printReport } from '../../shared/command.ts';
import type { ExitCode } from '../../shared/terminal.ts';
import { doTask, openRun } from './do-task.ts';
import { runProcess } from './processes.ts';
import { describeStatus, statusOf } from './status.ts';
import { runFlags } from './work.ts';

export const run: Command = {
  summary: 'do all tasks of a plan on this machine',
  operands: ['RUN'],
  flags: ['jobs', ...runFlags],
  overrides: {
    threads: {
      help: 'threads of each task; default: processors divided by --jobs; results do not depend on it',
    },
  },
  details: [
    'Tasks that are done are not done again, so that a run that was killed, or in which tasks failed, continues. A task\n  that fails does not stop the others of its stage; the next stage is then not begun, and the exit code is 1',
    'JSON: as status, and seconds',
  ],
  examples: [
    ['specnet run search', 'one task after the other'],
    ['specnet run coordinates --jobs 1 --json', 'with a report as JSON'],
  ],
  async run(call): Promise<ExitCode> {
    const [path] = call.operands;
    const folder = openRun('run', path);
    const { jobs = 1 } = call.flags;
    for (const task of folder.tasksIn('done')) folder.forgetBegin(task);
    for (const stage of folder.plan.stages.keys()) {
      const waiting = tasksOfStage(folder.plan, stage).filter((task) => folder.stateOf(task) !== 'done');
      // oxlint-disable-next-line no-await-in-loop -- a stage needs the one before
      const failed = await runStage(folder, waiting, jobs, call);
      if (failed) break;
    }
    if (folder.isComplete) folder.deletePieces();
    call.progress.clear();
    const report = { ...statusOf(folder, path), seconds: call.seconds() };
    printReport(call, report, () => describeStatus(report));
    return report.complete ? 0 : 1;
  },
};

/** Does tasks, `jobs` at a time. Returns whether one failed. */
async function runStage(folder: RunFolder, tasks: readonly number[], jobs: number, call: Call): Promise<boolean> {
  const queue = [...tasks];
  let failed = false;
  const runQueue = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      call.progress.show(`task ${task}; ${queue.length} more of its stage are waiting`);
      try {
        // oxlint-disable-next-line no-await-in-loop -- one task after the other
        await (jobs === 1 ? doTask(folder, task, call) : runProcess(folder, task, jobs, call));
      } catch (error) {
        failed = true;
        call.progress.clear();
        call.terminal.note(`specnet run: task ${task} failed: ${withoutCaller((error as Error).message)}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, tasks.length) }, runQueue));
  return failed;
}
