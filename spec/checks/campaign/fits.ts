/** Many fits in one process: the same bits each time, memory that stays flat, and no thread left at the end. */

import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { oneMoon } from '../../../datasets/index.ts';
import { Random, setThreads, SpectralEmbedding, type SpectralEmbeddingOptions } from '../../../lib/index.ts';

/** The child loads TypeScript in another way than specs do, so that its coverage cannot be merged with theirs. */
const uncovered = { ...process.env, NODE_V8_COVERAGE: '' };

export interface FitReport {
  fits: number;
  /** Fits that ran at the same time as others, while the number of threads changed. */
  concurrent: number;
  /** Fits among these that were aborted at a random moment. */
  aborted: number;
  /** Fits whose bits differ from those of the first. */
  unequal: number;
  /** After a collection, at the end less than at the first quarter; typed arrays and the memory of kernels included. */
  growthMegabytes: number;
  /** Threads of the system that are left when the library uses one. 0 where they cannot be counted. */
  threadsLeft: number;
  readonly failures: string[];
}

/** More is a leak: collections leave a few hundred kilobytes more or less. */
const mostGrowth = 4;

const ways: SpectralEmbeddingOptions[] = [
  {},
  { method: 'ritz' },
  { method: 'regression', hidden: [8], training: { epochs: 1 } },
  { method: 'specnet1', hidden: [8], training: { epochs: 1 } },
  { method: 'specnet2', hidden: [8], training: { epochs: 1 } },
];

function emptyReport(): FitReport {
  return { fits: 0, concurrent: 0, aborted: 0, unequal: 0, growthMegabytes: 0, threadsLeft: 0, failures: [] };
}

/** Runs a number of fits, by one method after the other. */
export async function runFits(fits: number): Promise<FitReport> {
  const { points } = oneMoon({ n: 120, seed: 1 });
  const first = new Map<number, Float32Array>();
  const report = emptyReport();
  let begin = 0;
  for (let k = 0; k < fits; k++) {
    const way = k % ways.length;
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as memory is measured
    const { embedding } = await new SpectralEmbedding(ways[way]).fit(points);
    const expected = first.get(way);
    if (!expected) first.set(way, embedding.data.slice() as Float32Array);
    else if (!isSame(embedding.data, expected)) {
      report.unequal++;
      report.failures.push(`fit ${k} by ${ways[way].method ?? 'regression'} differs from the first`);
    }
    report.fits++;
    if (k === Math.floor(fits / 4)) begin = megabytes();
  }
  report.growthMegabytes = megabytes() - begin;
  if (report.growthMegabytes > mostGrowth)
    report.failures.push(`memory grew by ${report.growthMegabytes.toFixed(1)} MB`);
  return report;
}

/** Rounds of three fits at the same time, of which one is aborted at a random moment and the threads change meanwhile. */
export async function runDisturbedFits(rounds: number, seed: string): Promise<FitReport> {
  const { points } = oneMoon({ n: 700, seed: 2 });
  const random = new Random(`${seed}/fits`);
  const report = emptyReport();
  const fit = async (way: number, signal?: AbortSignal): Promise<Float32Array> =>
    (await new SpectralEmbedding(ways[way]).fit(points, { signal })).embedding.data as Float32Array;
  setThreads(1);
  const expected: Float32Array[] = [];
  // oxlint-disable no-await-in-loop -- one round after the other
  for (const way of ways.keys()) expected.push(await fit(way));
  const before = await countThreads();
  for (let round = 0; round < rounds; round++) {
    setThreads(1 + random.integer(3));
    const controller = new AbortController();
    const [aborting, changing] = [random.integer(300), random.integer(80)];
    const threads = 1 + random.integer(3);
    const timers = [setTimeout(() => controller.abort(), aborting), setTimeout(() => setThreads(threads), changing)];
    const chosen = [0, 1, 2].map(() => random.integer(ways.length));
    const found = await Promise.allSettled(chosen.map((way, k) => fit(way, k === 0 ? controller.signal : undefined)));
    timers.forEach(clearTimeout);
    for (const [k, one] of found.entries()) {
      report.concurrent++;
      const name = `round ${round}, fit ${k} by ${ways[chosen[k]].method ?? 'regression'}`;
      if (one.status === 'rejected') {
        if (k === 0 && (one.reason as Error).name === 'AbortError') report.aborted++;
        else report.failures.push(`${name}: ${one.reason}`);
      } else if (!isSame(one.value, expected[chosen[k]])) {
        report.unequal++;
        report.failures.push(`${name} differs from a fit alone`);
      }
    }
  }
  setThreads(1);
  const patience = 50;
  for (let look = 0; look < patience; look++) {
    report.threadsLeft = Math.max(0, (await countThreads()) - before);
    if (report.threadsLeft === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // oxlint-enable no-await-in-loop
  if (report.threadsLeft > 0) report.failures.push(`${report.threadsLeft} threads are left`);
  return report;
}

/** Both, in a process of its own, which must end by itself. */
export async function runFitsApart(fits: number, seed: string): Promise<FitReport> {
  const script = fileURLToPath(new URL('./fits-child.ts', import.meta.url));
  const child = fork(script, [String(fits), seed], { execArgv: ['--import', 'tsx'], env: uncovered });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  let report: FitReport | undefined;
  let timer: NodeJS.Timeout | undefined;
  child.once('message', (message: FitReport) => {
    report = message;
    timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  });
  const ending = await ended;
  clearTimeout(timer);
  const found = report ?? emptyReport();
  if (ending !== 0 || !report) found.failures.push(`the process of the fits did not end by itself, but by ${ending}`);
  return found;
}

function isSame(got: ArrayLike<number>, expected: ArrayLike<number>): boolean {
  return got.length === expected.length && Array.from(got).every((value, i) => Object.is(value, expected[i]));
}

/** The threads of this process. The pool for files, which starts at its first use, is counted from the first call on. */
async function countThreads(): Promise<number> {
  const folder = '/proc/self/task';
  if (!existsSync(folder)) return 0;
  await Promise.all(Array.from({ length: 8 }, () => readFile('package.json')));
  return readdirSync(folder).length;
}

/** What is held after a collection. */
export function megabytes(): number {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 2 ** 20;
}
