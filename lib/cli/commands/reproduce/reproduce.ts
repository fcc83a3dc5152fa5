/** Does the paper hold? The command `reproduce`, which runs its experiments and writes a report on them. */

import { existsSync, readFileSync } from 'node:fs';
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
import { type Call, type Command, present } from '../../shared/command.ts';
import { commonFlags } from '../../shared/flags.ts';
import { writeWhole } from '../../shared/output.ts';
import { runJobs, type RunProgress } from './run.ts';
import { ResultsFolder } from './results-folder.ts';
import { formatTable } from '../../../charts/table.ts';
import type { ExitCode, Terminal } from '../../shared/terminal.ts';

const usualFolder = 'specnet-results';

export const reproduce: Command = {
  summary: "run the paper's experiments, and report what agrees",
  operands: ['[NAME…]'],
  flags: ['quick', 'replicas', 'epochs', 'resume', 'list', ...commonFlags],
  meanings: {
    out: { help: `the folder for results and report; ${usualFolder} unless said` },
    epochs: { help: 'of each training; as in the paper, or fewer with --quick, unless said' },
    threads: { help: 'replicas at once; one a processor unless said; no result depends on it' },
    seed: { help: 'of points and starts; same seed, same numbers; 0 unless said' },
  },
  details: [
    `NAME: all, or some of\n  ${Object.keys(experiments).slice(0, 7).join(', ')},\n  ${Object.keys(experiments).slice(7).join(', ')}`,
    'Without a NAME, --resume writes the report of a folder anew, from its JSON files',
    '--out: report.html, which needs no network; report.md; a JSON file for each experiment with settings, claims and all\n  replicas; the figures as SVG',
    'JSON: out, files, seconds, results (of each claim: experiment, figure, claim, measured, agrees, why, files)',
  ],
  examples: [
    ['specnet reproduce --list', 'what there is, and how long it takes'],
    ['specnet reproduce data --out results', 'the data sets as pictures'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, operands } = call;
    if (flags.epochs === 0) throw new UsageError('expected --epochs of at least 1, got 0.');
    const choices: Choices = {
      quick: flags.quick ?? false,
      replicas: flags.replicas ?? null,
      epochs: flags.epochs ?? null,
      seed: flags.seed ?? 0,
    };
    if (flags.list) {
      const list = listed(choices, flags.threads ?? availableParallelism());
      present(call, { experiments: list }, () => describeList(list));
      return 0;
    }
    const names = flags.resume && operands.length === 0 ? [] : chosen(operands);
    const folder = new ResultsFolder(flags.out ?? usualFolder);
    if (!flags.resume) folder.forget();
    const fresh = await runAll(call, names, choices, folder);
    const results = flags.resume ? withEarlier(fresh, folder.path, call.terminal) : fresh;
    const files = await writeResults(results, folder.path);
    const claims = results.flatMap(({ name, review }) =>
      review.claims.map((claim) => ({ experiment: name, ...claim, files: [figureFile(name, claim.figure)] })),
    );
    present(call, { out: folder.path, files, seconds: call.seconds(), results: claims }, () =>
      describe(results, folder.path),
    );
    return 0;
  },
};

interface Listed {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly minutes: { readonly quick: number; readonly full: number };
}

/** With as many replicas and epochs as asked for. */
function listed(choices: Choices, threads: number): Listed[] {
  return Object.entries(experiments).map(([name, experiment]) => {
    const [quick, full] = [true, false].map((short) => minutesOf(experiment, { ...choices, quick: short }, threads));
    return { name, title: experiment.title, summary: experiment.summary, minutes: { quick, full } };
  });
}

function describeList(list: readonly Listed[]): string {
  const rows = list.map(({ name, summary, minutes }) => [
    name,
    summary,
    duration(60 * minutes.quick),
    duration(60 * minutes.full),
  ]);
  return formatTable(['name', 'what it shows', '--quick', 'full'], rows);
}

function chosen(operands: readonly string[]): readonly string[] {
  const names = Object.keys(experiments);
  if (operands.length === 0) throw new UsageError(`expected NAME, got nothing; there is all, ${names.join(', ')}.`);
  if (operands.includes('all')) return names;
  const stray = operands.find((name) => !Object.hasOwn(experiments, name));
  if (stray !== undefined)
    throw new UsageError(`there is no experiment '${stray}'; there is all, ${names.join(', ')}.`);
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
        `specnet reproduce: ${jobs} replica${jobs === 1 ? '' : 's'} in ${folder.path}, of another version or with other settings, computed anew.\n`,
      ),
  });
  progress.clear();
  let at = 0;
  return names.map((name, i) =>
    resultOf(name, table[name], { choices, machine, replicas: done.slice(at, (at += lists[i].length)) }),
  );
}

/** The report of a folder that is gone on with tells of all that is in it, from the JSON. */
function withEarlier(fresh: readonly Result[], folder: string, { note }: Terminal): readonly Result[] {
  const fileOf = (name: string): string => join(folder, `${name}.json`);
  const read = (name: string): unknown => (existsSync(fileOf(name)) ? jsonIn(fileOf(name)) : undefined);
  return Object.entries(experiments).flatMap(([name, experiment]) => {
    const now = fresh.find((result) => result.name === name);
    if (now) return [now];
    const path = fileOf(name);
    if (!existsSync(path)) return [];
    const result = readResult(name, experiment, read);
    if (!('problem' in result)) return [result];
    note(`specnet reproduce: ${path} ${result.problem}, and is left out of the report.\n`);
    return [];
  });
}

/** Undefined for what is no JSON. */
function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const workersModule = new URL(
  `../../../experiments/workers.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
).href;

const machine = `${cpus()[0]?.model ?? 'an unknown processor'}, ${cpus().length} cores, Node ${process.version}`;

function progressLine({ finished, jobs, secondsLeft, running }: RunProgress): string {
  const left = Number.isFinite(secondsLeft) ? `, about ${duration(secondsLeft)} left` : '';
  return `${finished} of ${jobs} replicas${left} … ${running.join(', ')}`;
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** The paths, as written. */
async function writeResults(results: readonly Result[], folder: string): Promise<string[]> {
  const texts: [string, string][] = [
    ['report.html', htmlReport(results)],
    ['report.md', markdownReport(results)],
    ...rawResults(results).map(({ name, raw }): [string, string] => [`${name}.json`, `${JSON.stringify(raw)}\n`]),
    ...results.flatMap(({ name, review }) =>
      review.figures.map((figure): [string, string] => [figureFile(name, figure.name), drawFigure(figure, true)]),
    ),
  ];
  for (const [name, text] of texts) await writeWhole(join(folder, name), new TextEncoder().encode(text));
  return texts.map(([name]) => join(folder, name));
}

function describe(results: readonly Result[], folder: string): string {
  const parts = results.map(({ name, experiment, review }) => {
    const claims = review.claims.map((claim) => `  ${verdictOf(claim)}: ${claim.claim}\n    ${claim.measured}`);
    return `${name}: ${experiment.title}\n${claims.join('\n')}`;
  });
  return `${parts.join('\n\n')}\n\nThe report: ${join(folder, 'report.html')}`;
}
