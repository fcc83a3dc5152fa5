/** The command `reproduce`: runs the paper's experiments and writes a report on its claims. */

import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { drawFigure } from '../../../charts/chart.ts';
import { type Choices, type Experiments, minutesOf } from '../../../experiments/shared/experiment.ts';
import {
  figureFile,
  htmlReport,
  markdownReport,
  type Result,
  resultOf,
  verdictOf,
} from '../../../experiments/report/report.ts';
import { rawResults, readResult } from '../../../experiments/report/raw.ts';
import { experiments } from '../../../experiments/table.ts';
import { UsageError } from '../../shared/arguments.ts';
import { type Call, type Command, printReport } from '../../shared/command.ts';
import { commonFlags, type Flags } from '../../flags/flags.ts';
import { onInterrupt } from '../../../files/interrupt.ts';
import { listName } from './file-list.ts';
import { runJobs, type RunProgress } from './run.ts';
import { ResultsFolder } from './results-folder.ts';
import { formatTable } from '../../../charts/table.ts';
import type { ExitCode, Terminal } from '../../shared/terminal.ts';

const defaultFolder = 'specnet-results';

export const reproduce: Command = {
  summary: "run the paper's experiments and report which claims hold",
  operands: ['[NAME…]'],
  flags: ['quick', 'replicas', 'epochs', 'resume', 'list', ...commonFlags],
  overrides: {
    out: { help: `folder of the results and the report; default: ${defaultFolder}`, value: 'FOLDER' },
    epochs: { help: 'epochs of each training; default: as in the paper, or fewer with --quick' },
    threads: { help: 'replicas that run in parallel; default: one per processor; results do not depend on it' },
    seed: { help: 'seed of points and starts; the same seed gives the same numbers; default: 0' },
  },
  details: [
    `NAME: all, or some of\n  ${Object.keys(experiments).slice(0, 7).join(', ')},\n  ${Object.keys(experiments).slice(7).join(', ')}`,
    'Without a NAME, --resume rewrites the report of a folder from its JSON files',
    '--out: report.html, which is self-contained; report.md; a JSON file per experiment with settings, claims and all\n  replicas; the figures as SVG',
    'JSON: out, files, seconds, results (per claim: experiment, figure, claim, measured, agrees, why, files)',
  ],
  examples: [
    ['specnet reproduce --list', 'list the experiments and how long each takes'],
    ['specnet reproduce data --out results', 'draw the data sets'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, operands } = call;
    const choices = choicesFrom(flags);
    if (flags.list) {
      const list = listExperiments(choices, flags.threads ?? availableParallelism());
      printReport(call, { experiments: list }, () => describeList(list));
      return 0;
    }
    const names = flags.resume && operands.length === 0 ? [] : chooseExperiments(operands);
    const folder = ResultsFolder.prepare(flags.out ?? defaultFolder);
    const release = onInterrupt(() => folder.close());
    try {
      return await runIn(folder, names, choices, call);
    } finally {
      release();
      folder.close();
    }
  },
};

/** The options of a run, from flags. */
export function choicesFrom(flags: Flags): Choices {
  if (flags.epochs === 0) throw new UsageError('expected --epochs of at least 1, got 0.');
  const { quick = false, replicas = null, epochs = null, seed = 0 } = flags;
  return { quick, replicas, epochs, seed };
}

/** Runs the experiments, and writes and prints the report. */
export async function runIn(
  folder: ResultsFolder,
  names: readonly string[],
  choices: Choices,
  call: Call,
): Promise<ExitCode> {
  const { flags, terminal } = call;
  folder.files.claim(['report.html', 'report.md', ...names.map((name) => `${name}.json`)]);
  if (!flags.resume) folder.deleteJobs();
  const fresh = await runAll(call, names, choices, folder);
  const results = flags.resume ? addEarlierResults(fresh, folder, terminal) : fresh;
  const files = writeResults(results, folder);
  const claims = results.flatMap(({ name, review }) =>
    review.claims.map((claim) => ({ experiment: name, ...claim, files: [figureFile(name, claim.figure)] })),
  );
  printReport(call, { out: folder.path, files, seconds: call.seconds(), results: claims }, () =>
    describe(results, folder.path),
  );
  return 0;
}

interface ExperimentInfo {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly minutes: { readonly quick: number; readonly full: number };
}

/** The experiments with their durations, for the chosen numbers of replicas and epochs. */
function listExperiments(choices: Choices, threads: number): ExperimentInfo[] {
  return Object.entries(experiments).map(([name, experiment]) => {
    const [quick, full] = [true, false].map((short) => minutesOf(experiment, { ...choices, quick: short }, threads));
    return { name, title: experiment.title, summary: experiment.summary, minutes: { quick, full } };
  });
}

function describeList(list: readonly ExperimentInfo[]): string {
  const rows = list.map(({ name, summary, minutes }) => [
    name,
    summary,
    duration(60 * minutes.quick),
    duration(60 * minutes.full),
  ]);
  return formatTable(['name', 'what it shows', '--quick', 'full'], rows);
}

/** The names of experiments, in the order of the report. */
export function chooseExperiments(operands: readonly string[]): readonly string[] {
  const names = Object.keys(experiments);
  if (operands.length === 0)
    throw new UsageError(`expected NAME, got nothing. The names are: all, ${names.join(', ')}.`);
  if (operands.includes('all')) return names;
  const unknown = operands.find((name) => !Object.hasOwn(experiments, name));
  if (unknown !== undefined)
    throw new UsageError(`unknown experiment '${unknown}'. The names are: all, ${names.join(', ')}.`);
  return names.filter((name) => operands.includes(name));
}

async function runAll(
  { flags, progress, terminal }: Call,
  names: readonly string[],
  choices: Choices,
  folder: ResultsFolder,
  table: Experiments = experiments,
): Promise<readonly Result[]> {
  const lists = names.map((name) => table[name].jobs(choices));
  const done = await runJobs(lists.flat(), {
    folder,
    threads: flags.threads,
    simd: !flags['no-simd'],
    module: workersModule,
    now: terminal.now,
    progress: (state) => progress.show(progressLine(state)),
    outdated: (jobs) =>
      terminal.note(
        `specnet reproduce: recomputing ${jobs} replica${jobs === 1 ? '' : 's'} in ${folder.path} from another version or with other settings.\n`,
      ),
  });
  progress.clear();
  let at = 0;
  return names.map((name, i) =>
    resultOf(name, table[name], { choices, machine, replicas: done.slice(at, (at += lists[i].length)) }),
  );
}

/** Adds the results of earlier runs, read from the JSON files of the folder. */
function addEarlierResults(fresh: readonly Result[], folder: ResultsFolder, { note }: Terminal): readonly Result[] {
  const read = (name: string): unknown => parseJson(folder.files.read(`${name}.json`));
  return Object.entries(experiments).flatMap(([name, experiment]) => {
    const current = fresh.find((result) => result.name === name);
    if (current) return [current];
    const state = folder.files.stateOf(`${name}.json`);
    if (state === 'absent') return [];
    const result = state === 'foreign' ? { problem: `is not in ${listName}` } : readResult(name, experiment, read);
    if (!('problem' in result)) return [result];
    note(`specnet reproduce: ${join(folder.path, `${name}.json`)} ${result.problem}; it is omitted from the report.\n`);
    return [];
  });
}

/** The value in a JSON file. Undefined if the file is not valid JSON. */
function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return bytes && JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The module with the table of workers. */
export const workersModule = new URL('../../../experiments/workers.js', import.meta.url).href;

const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version}`;

function progressLine({ finished, jobs, secondsLeft, running }: RunProgress): string {
  const left = Number.isFinite(secondsLeft) ? `, about ${duration(secondsLeft)} left` : '';
  return `${finished} of ${jobs} replicas${left} … ${running.join(', ')}`;
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Writes the report, the JSON files and the figures. Returns their paths. */
function writeResults(results: readonly Result[], { path, files }: ResultsFolder): string[] {
  const texts: [string, string][] = [
    ['report.html', htmlReport(results)],
    ['report.md', markdownReport(results)],
    ...rawResults(results).map(({ name, raw }): [string, string] => [`${name}.json`, `${JSON.stringify(raw)}\n`]),
    ...results.flatMap(({ name, review }) =>
      review.figures.map((figure): [string, string] => [figureFile(name, figure.name), drawFigure(figure, true)]),
    ),
  ];
  files.claim(texts.map(([name]) => name));
  for (const [name, text] of texts) files.write(name, new TextEncoder().encode(text));
  return texts.map(([name]) => join(path, name));
}

function describe(results: readonly Result[], folder: string): string {
  const parts = results.map(({ name, experiment, review }) => {
    const claims = review.claims.map((claim) => `  ${verdictOf(claim)}: ${claim.claim}\n    ${claim.measured}`);
    return `${name}: ${experiment.title}\n${claims.join('\n')}`;
  });
  return `${parts.join('\n\n')}\n\nReport: ${join(folder, 'report.html')}`;
}
