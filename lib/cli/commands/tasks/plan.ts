/** The command `plan`: divides work into tasks, and writes them to a folder. */

import { formatTable } from '../../../charts/table.ts';
import { type Plan, tasksOfStage } from '../../../tasks/plan.ts';
import { RunFolder } from '../../../tasks/run-folder.ts';
import { commonFlags, type FlagName } from '../../flags/flags.ts';
import { UsageError } from '../../shared/arguments.ts';
import { type Call, type Command, inputsAmong, printReport } from '../../shared/command.ts';
import { checkOutputs } from '../../shared/output.ts';
import type { ExitCode } from '../../shared/terminal.ts';
import { packageVersion } from '../../shared/version.ts';
import { oneOf } from '../../flags/kinds.ts';
import type { TaskKind } from './kinds/kind.ts';
import { taskKinds } from './kinds/table.ts';

const kindFlags = [...new Set(Object.values(taskKinds).flatMap(({ flags }) => flags))];

export const plan: Command = {
  summary: 'divide work into tasks for several processes or machines',
  operands: ['KIND', '[ARGUMENT…]'],
  flags: [...kindFlags, ...commonFlags.filter((name) => !kindFlags.includes(name))],
  overrides: {
    out: { help: 'the folder of the run, which is empty or does not exist', value: 'RUN' },
    landmarks: { help: 'number of landmarks, for fit; default: half of the points, at most 2,048; not auto' },
    epochs: { help: 'epochs of each training, for reproduce; default: as in the paper, or fewer with --quick' },
    seed: { help: 'random seed, for fit and reproduce; the same seed gives the same bits; default: 0' },
  },
  details: [
    `KIND and its arguments:\n${Object.entries(taskKinds).map(describeKind).join('\n')}`,
    '--out: specnet-run.json, the plan, and folders for what tasks write. Tasks are numbered from 1, stage by stage;\n  a task needs all tasks of the stages before. Bits do not depend on --blocks',
    'JSON: out, kind, tasks (their number), stages (of each: name, first, last)',
  ],
  examples: [
    ['specnet plan neighbors points.npy --neighbors 10 --blocks 2 --out search', 'the graph of nearest neighbors'],
    ['specnet plan transform points.specnet points.npy --blocks 2 --out coordinates', 'the coordinates of many points'],
    [
      "specnet plan sweep cluster points.csv --grid 'clusters=3; neighbors=8,16,32; seed=0..3' --out runs",
      'a table and a chart of 12 runs',
    ],
  ],
  async run(call): Promise<ExitCode> {
    const { flags } = call;
    const [name, ...operands] = call.operands;
    const kind = chooseKind(name);
    checkArguments(name, kind, operands, call);
    if (flags.out === undefined) throw new UsageError('expected --out RUN, got none.');
    checkOutputs(inputsAmong(operands, kind.operands), flags, false); // a folder with files is refused below
    const content = await kind.plan(operands, call);
    call.progress.clear();
    const made: Plan = { kind: name, package: packageVersion(), ...content };
    const folder = RunFolder.create('plan', flags.out, made);
    const report = reportOf(flags.out, folder.plan);
    printReport(call, report, () => describe(report));
    return 0;
  },
};

function describeKind([name, { operands, flags }]: [string, TaskKind]): string {
  const all = flags.map((flag) => `--${flag}`);
  const lines: string[] = [`  ${[name, ...operands].join(' ')}:`];
  for (const flag of all) {
    const last = lines.at(-1)!;
    if (last.length + flag.length > 112) lines.push(`    ${flag}`);
    else lines[lines.length - 1] = `${last} ${flag}`;
  }
  return lines.join('\n');
}

function chooseKind(name: string | undefined): TaskKind {
  if (name !== undefined && Object.hasOwn(taskKinds, name)) return taskKinds[name];
  const got = name === undefined ? 'nothing' : `'${name}'`;
  throw new UsageError(`expected a kind of tasks, ${oneOf(Object.keys(taskKinds))}, got ${got}.`);
}

function checkArguments(name: string, kind: TaskKind, operands: readonly string[], { flags }: Call): void {
  if (operands.length !== kind.operands.length && !kind.operands.at(-1)?.endsWith('…]')) {
    const got = operands.length === 0 ? 'nothing' : `'${operands.join(' ')}'`;
    throw new UsageError(`expected ${kind.operands.join(' ')} after ${name}, got ${got}.`);
  }
  const allowed = new Set<FlagName>([...kind.flags, 'out', 'json', 'quiet', 'threads', 'no-simd']);
  const other = (Object.keys(flags) as FlagName[]).find((flag) => !allowed.has(flag));
  if (other !== undefined) throw new UsageError(`expected no --${other} with plan ${name}, got one.`);
}

interface PlanReport {
  readonly out: string;
  readonly kind: string;
  readonly tasks: number;
  readonly stages: readonly { readonly name: string; readonly first: number; readonly last: number }[];
}

function reportOf(out: string, made: Plan): PlanReport {
  const stages = made.stages.map(({ name }, stage) => {
    const tasks = tasksOfStage(made, stage);
    return { name, first: tasks[0], last: tasks.at(-1)! };
  });
  return { out, kind: made.kind, tasks: stages.at(-1)!.last, stages };
}

function describe({ out, kind, tasks, stages }: PlanReport): string {
  const rows = stages.map(({ name, first, last }) => [name, first === last ? `${first}` : `${first} to ${last}`]);
  const next = `Next: specnet run ${out} --jobs 2, or specnet work ${out} --task I for every I, stage by stage.`;
  return `${out}: ${kind} in ${tasks} tasks\n\n${formatTable(['stage', 'tasks'], rows)}\n\n${next}`;
}
