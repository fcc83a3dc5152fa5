/** All commands that write files, small enough to be run hundreds of times, and the files that each of them writes. */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

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
}

const command = 'dist/lib/cli/main.js';
const graph = ['--neighbors', '5', '-k', '1'];

/** The words of a command with the names of its files. Words that contain a dot and begin with @ are files of the folder. */
function line(name: string, files: readonly string[], text: string, more: Partial<Writer> = {}): Writer {
  const words = (folder: string): string[] =>
    text.split(' ').map((word) => (word.startsWith('@') ? join(folder, word.slice(1)) : word));
  return { name, files, words: (folder) => [command, ...words(folder)], ...more };
}

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
];

/** Writes what the commands read: points, a model and a program that runs jobs. */
export function prepareInputs(folder: string, model: Uint8Array): void {
  mkdirSync(folder, { recursive: true });
  const points = Array.from({ length: 40 }, (_, i) => `${Math.cos(i / 7)},${Math.sin(i / 7)}\n`).join('');
  writeFileSync(join(folder, 'points.csv'), points);
  writeFileSync(join(folder, 'given.specnet'), model);
  writeFileSync(join(folder, 'workers.mjs'), workers);
  writeFileSync(join(folder, jobs.script), program(folder));
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
  const env = { ...process.env, NODE_V8_COVERAGE: '', ...stop };
  const child = spawn(process.execPath, writer.words(folder), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text));
  const timer = setTimeout(() => child.kill('SIGALRM'), limit);
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      done({ code, signal, err });
    });
  });
}

/** The bytes of the files of a writer; null for those that are not there. Times, which differ between runs, are left out. */
export function contentsOf(writer: Writer, folder: string): Map<string, string | null> {
  return new Map(writer.files.map((name) => [name, contentOf(join(folder, name))]));
}

function contentOf(path: string): string | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return null;
  }
  const text = bytes.toString();
  if (path.endsWith('.json')) {
    return JSON.stringify(JSON.parse(text), (key, value: unknown) => (isTime(key) ? undefined : value));
  }
  // Of a page only its begin and its end: it shows times. The older file of a test is shorter.
  if (path.endsWith('.html') && text.length > 120) return text.slice(0, 60) + text.slice(-60);
  if (path.endsWith('.svg')) return text.replaceAll(/[\d.]+ m?s\b/g, '');
  return bytes.toString('latin1');
}

function isTime(key: string): boolean {
  return ['clock', 'seconds', 'checksum', 'machine'].includes(key);
}

/** Drafts that are left in a folder and below. */
export function draftsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.draft'));
}
