/** The command `work`: does one task of a run. */

import { formatMilliseconds } from '../../../charts/table.ts';
import { placeOfTask } from '../../../tasks/plan.ts';
import { commonFlags } from '../../flags/flags.ts';
import { UsageError } from '../../shared/arguments.ts';
import { type Command, printReport } from '../../shared/command.ts';
import type { ExitCode } from '../../shared/terminal.ts';
import { doTask, openRun } from './do-task.ts';

/** Flags of commands on a run. Its plan has the seed and the names of outputs. */
export const runFlags = commonFlags.filter((name) => name !== 'out' && name !== 'seed');

export const work: Command = {
  summary: 'do one task of a plan',
  operands: ['RUN'],
  flags: ['task', ...runFlags],
  details: [
    'A task that is done is not done again. One that was killed or that failed is continued or done again. Outputs are\n  written as a whole, so that any scheduler may start, stop and repeat tasks. A task whose earlier stages are not\n  done, or whose inputs have changed, is refused',
    'JSON: task, stage (its name), worked (false if it was done before), seconds',
  ],
  examples: [
    ['specnet work search --task 1', 'the first task'],
    ['specnet work search --task 2 --json', 'with a report as JSON'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, operands } = call;
    if (flags.task === undefined) throw new UsageError('expected --task I, got none.');
    const folder = openRun('work', operands[0]);
    const { stage } = placeOfTask(folder.plan, flags.task);
    const worked = await doTask(folder, flags.task, call);
    const { name } = folder.plan.stages[stage];
    const report = { task: flags.task, stage: name, worked, seconds: call.seconds() };
    printReport(call, report, () =>
      worked
        ? `Task ${flags.task} (${name}) done in ${formatMilliseconds(1000 * report.seconds)}.`
        : `Task ${flags.task} (${name}) was done before.`,
    );
    return 0;
  },
};
