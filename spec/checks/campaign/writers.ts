/** All commands that write files, small enough to be run hundreds of times, and the files that each of them writes. */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeNpyTensor } from '../../../lib/doors/formats.ts';
import { tensor } from '../../../lib/index.ts';

export interface Writer {
  readonly name: string;
  /** In the order in which they are finished. */
  readonly files: readonly string[];
  /** The words after `node`. `folder` contains what `prepareInputs` has written. */
  words(folder: string): string[];
  /** Whether the results are in a folder with a list, which is never shared with other files. */
  readonly isResults?: boolean;
  /** Whether the order of the files is not promised. */
  readonly isUnordered?: boolean;
  /** Files that an earlier run left and that this one continues from. */
  readonly resumes?: readonly string[];
  /** Those of the files that a complete run has deleted. */
  readonly passing?: readonly string[];
  /** The words of a command that runs before, and that nothing disturbs. */
  before?(folder: string): string[];
  /** A folder that is filled under another name, and takes its own when it is complete. */
  readonly drafted?: string;
  /** Whether a further run refuses to replace what is complete. */
  readonly keepsComplete?: boolean;
}

const command = 'dist/lib/cli/main.js';
const graph = ['--neighbors', '5', '-k', '1'];

/** The words of a command with the names of its files. */
function line(name: string, files: readonly string[], text: string, more: Partial<Writer> = {}): Writer {
  return { name, files, words: wordsOf(text), ...more };
}

/** The words of a command in a folder. Those that begin with @ are files in it. */
function wordsOf(text: string): Writer['words'] {
  return (folder) => [command, ...text.split(' ').map((word) => word.replace(/^@/, `${folder}/`))];
}

/** A command on the folder `run` of a plan. */
function onRun(
  name: string,
  plan: string,
  text: string,
  passing: readonly string[],
  lasting: readonly string[],
): Writer {
  const more = { before: wordsOf(`plan ${plan} --out @run`), isResults: true, isUnordered: true, passing };
  return line(name, [...passing, ...lasting], text, more);
}

/** The files of a stored graph, the header last. */
function storedIn(folder: string): string[] {
  const arrays = ['indptr', 'indices', 'data', 'degrees', 'checksums'].map((name) => `${name}.npy`);
  return [...arrays, 'specnet-graph.json'].map((name) => `${folder}/${name}`);
}

/** The records of task `number` while it is done, and afterwards. */
function begun(number: number): string {
  return `run/tasks/0000${number}.begun.json`;
}
function done(number: number): string {
  return `run/tasks/0000${number}.done.json`;
}

/** All arrays are begun before the first one is finished. */
const stored = { isResults: true, isUnordered: true, keepsComplete: true };
const jobs = { name: 'jobs', script: 'jobs.mjs', folder: 'out' };

export const writers: readonly Writer[] = [
  line('embed', ['m.specnet', 't.csv'], `embed @points.csv ${graph.join(' ')} --model @m.specnet --out @t.csv`),
  line('embed, compressed', ['t.csv.gz'], `embed @points.csv ${graph.join(' ')} --out @t.csv.gz`),
  line('embed, picture', ['p.svg'], `embed @points.csv ${graph.join(' ')} --plot @p.svg`),
  line('embed, page', ['p.html'], `embed @points.csv ${graph.join(' ')} --plot @p.html`),
  line(
    'training',
    ['c.specnet', 'm.specnet', 't.npy'],
    `embed @points.csv ${graph.join(' ')} --method specnet2 --hidden 4 --epochs 3 --checkpoint @c.specnet --model @m.specnet --out @t.npy`,
    { resumes: ['c.specnet'] },
  ),
  line(
    'cluster',
    ['m.specnet', 't.csv'],
    'cluster @points.csv --clusters 2 --neighbors 5 --model @m.specnet --out @t.csv',
  ),
  line('transform', ['t.csv'], 'transform @given.specnet @points.csv --out @t.csv'),
  line('transform, array', ['t.npy'], 'transform @given.specnet @points.csv --out @t.npy'),
  line('demo', ['d.html'], 'demo --epochs 1 --out @d.html'),
  line('export', ['m.onnx'], 'export @given.specnet --out @m.onnx'),
  line('eigen', ['v.npy'], `eigen @points.csv ${graph.join(' ')} --out @v.npy`),
  line('solve', ['v.csv'], `solve @points.csv ${graph.join(' ')} --out @v.csv`),
  line('graph', ['g.mtx'], 'graph @points.csv --neighbors 5 --out @g.mtx'),
  line('graph, compressed', ['g.mtx.gz'], 'graph @points.csv --neighbors 5 --out @g.mtx.gz'),
  line('graph, archive', ['g.npz'], 'graph @points.csv --neighbors 5 --out @g.npz'),
  line(
    'bench',
    ['bench.json'],
    'bench banded-small --quick --columns 1 --precision single --threads 1 --out @bench.json',
  ),
  line(
    'reproduce',
    ['out/jobs/data.moons.json', 'out/data-moons.svg', 'out/data-matrix.svg', 'out/data.json', 'out/report.html'],
    'reproduce data --quick --out @out',
    { isResults: true, isUnordered: true },
  ),
  {
    name: jobs.name,
    isResults: true,
    files: [
      'out/specnet-results.txt',
      'out/shared/salt',
      'out/jobs/chain.start-0.kept',
      'out/jobs/chain.start-0.json',
      'out/jobs/chain.start-1.json',
    ],
    words: (folder) => [join(folder, jobs.script)],
  },
  line('store, edges', storedIn('stored'), 'store @edges.csv --edges --out @stored', stored),
  line(
    'store, points',
    ['stored/build-plan.json', 'stored/neighbors-00000.part', ...storedIn('stored')],
    'store @points.npy --neighbors 5 --out @stored',
    { ...stored, passing: ['stored/build-plan.json', 'stored/neighbors-00000.part'] },
  ),
  line('plan', ['run/specnet-run.json'], 'plan neighbors @points.npy --neighbors 5 --out @run', { isResults: true }),
  onRun(
    'work',
    'transform @given.specnet @points.npy --blocks 2',
    'work @run --task 2',
    [begun(2)],
    ['run/pieces/coordinates-00002.npy', done(2)],
  ),
  {
    ...onRun(
      'run, neighbors',
      'neighbors @points.npy --neighbors 5 --blocks 2',
      'run @run',
      [begun(1), 'run/pieces/neighbors-00001.part', begun(3)],
      [done(1), done(2), ...storedIn('run/graph'), done(3)],
    ),
    drafted: 'run/graph',
  },
  onRun(
    'run, transform',
    'transform @given.specnet @points.npy --blocks 2',
    'run @run',
    [begun(1), 'run/pieces/coordinates-00001.npy'],
    [done(1), done(2), 'run/coordinates.npy', done(3)],
  ),
  onRun(
    'run, sweep',
    'sweep cluster @points.csv --grid clusters=2,3;neighbors=5 --blocks 2',
    'run @run',
    ['run/pieces/runs-00001.json', begun(3)],
    [done(1), 'run/table.csv', 'run/chart.svg', done(3)],
  ),
  {
    ...onRun('submit', 'neighbors @points.npy --neighbors 5 --blocks 2', 'submit @run', [], ['run/slurm.json']),
    resumes: ['run/slurm.json'],
  },
];

/** The names of what the commands read, but for the program that runs jobs. */
export const inputs = ['points.csv', 'points.npy', 'edges.csv', 'given.specnet', 'workers.mjs', 'bin'] as const;

/** Writes what the commands read: points, edges, a model, programs that stand for Slurm's, and one that runs jobs. */
export function prepareInputs(folder: string, model: Uint8Array): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const points = Array.from({ length: 40 }, (_, i) => [Math.cos(i / 7), Math.sin(i / 7)]);
  const more = Array.from({ length: 600 }, (_, i) => [Math.cos(i / 90), Math.sin(i / 90)]);
  const contents: Record<Exclude<(typeof inputs)[number], 'bin'>, string | Uint8Array> = {
    'points.csv': points.map((row) => `${row.join(',')}\n`).join(''),
    'points.npy': writeNpyTensor(tensor(more)),
    'edges.csv': points.map((_, i) => `${i},${(i + 1) % points.length},${1 + (i % 3)}\n`).join(''),
    'given.specnet': model,
    'workers.mjs': workers,
  };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
  for (const [name, answer] of [
    ['sbatch', '7'],
    ['squeue', ''],
  ])
    // oxfmt-ignore
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\ncat > /dev/null\necho ${answer}\n`, { mode: 0o755 });
  writeFileSync(join(folder, jobs.script), program(folder));
}

/** Runs the command that a writer needs before it, if any. On a disk that is full, it may fail. */
export async function prepareWriter({ name, before }: Writer, folder: string): Promise<void> {
  if (before) await runWriter({ name, files: [], words: before }, folder);
}

/** Each epoch's number depends on all earlier ones. */
const workers = `
export const workers = {
  async chain({ start }, { savedState, saveState, shared }) {
    const [salt] = await shared('salt', async () => Uint8Array.of(7));
    const rows = savedState ?? [];
    while (rows.length < 4) {
      rows.push((((rows.at(-1) ?? start) * 1103515245 + 12345 + salt) >>> 0) / 2 ** 16 | 0);
      saveState(rows);
    }
    return { numbers: { rows }, seconds: [] };
  },
};`;

function program(folder: string): string {
  const built = (name: string): string =>
    JSON.stringify(pathToFileURL(resolve('dist/lib/cli/commands/reproduce', name)).href);
  return `
import { runJobs } from ${built('run.js')};
import { ResultsFolder } from ${built('results-folder.js')};
const jobs = [0, 1].map((start) => ({ kind: 'chain', key: 'start-' + start, task: { start }, weight: 1 }));
const failed = ({ message }) => {
  console.error('specnet reproduce: ' + message.replace(/^[\\w-]+: /, ''));
  process.exitCode = 1;
};
try {
  const folder = ResultsFolder.prepare(${JSON.stringify(join(folder, jobs.folder))});
  const module = ${JSON.stringify(pathToFileURL(join(folder, 'workers.mjs')).href)};
  await runJobs(jobs, { folder, module, threads: 1, simd: true, now: () => 0, outdated() {}, progress() {} })
    .finally(() => folder.close());
} catch (error) {
  failed(error);
}`;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly err: string;
}

/** A run that takes longer than a minute is a hang. */
const limit = 60_000;

/** Runs a writer in a process of its own. */
export function runWriter(writer: Writer, folder: string, stop: Record<string, string> = {}): Promise<Ending> {
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, NODE_V8_COVERAGE: '', ...stop };
  const child = spawn(process.execPath, writer.words(folder), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text));
  const timer = setTimeout(() => child.kill('SIGALRM'), limit);
  return new Promise((end, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      end({ code, signal, err });
    });
  });
}

/** How the path of a file ends while it is written. */
export function endingOf({ drafted }: Writer, file: string): string {
  return drafted !== undefined && file.startsWith(`${drafted}/`) ? file.slice(drafted.length) : file;
}

/**
 * The bytes of the files of a writer; null for those that are not there. Times and the path of the folder, which differ between
 * runs, are left out, and so are checksums of them.
 */
export function contentsOf(writer: Writer, folder: string): Map<string, string | null> {
  return new Map(writer.files.map((name) => [name, contentOf(folder, join(folder, name))]));
}

function contentOf(folder: string, path: string): string | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return null;
  }
  const text = bytes.toString();
  // All else in a benchmark is times, and depends on them.
  if (path.endsWith('bench.json') && text.startsWith('{')) return Object.keys(JSON.parse(text)).join();
  if (path.endsWith('.json') && text.startsWith('{')) {
    const kept = JSON.stringify(JSON.parse(text), (key, value: unknown) => (varies(key) ? undefined : value));
    return kept.replaceAll(folder, '');
  }
  // Of a page only its begin and its end: it shows times. The older file of a test is shorter.
  if (path.endsWith('.html') && text.length > 120) return text.slice(0, 60) + text.slice(-60);
  if (path.endsWith('.svg')) return text.replaceAll(/[\d.]+ m?s\b/g, '');
  return bytes.toString('latin1');
}

/** Whether a field differs from run to run. `plan` is the checksum of a plan, which has the paths of its inputs. */
function varies(key: string): boolean {
  return ['clock', 'seconds', 'checksum', 'machine', 'plan'].includes(key);
}

/** All names in a folder and below. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}
