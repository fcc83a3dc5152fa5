/** A run that is killed repeatedly ends in the same JSON as an uninterrupted one. Uses the built package, whose threads start at once. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { inFolder, put } from './run.ts';

const test = suite('killed runs');

const [jobs, epochs, kills] = [8, 100, 20];

/** Each epoch's number depends on all earlier ones. A log records what was computed. */
const workers = (log: string): string => `
import { appendFileSync } from 'node:fs';
const pause = new Int32Array(new SharedArrayBuffer(4));
export const workers = {
  async chain({ start }, { savedState, saveState, progress, shared }) {
    const [salt] = await shared('salt', async () => Uint8Array.of(7));
    const rows = savedState ?? [];
    for (let epoch = rows.length; epoch < ${epochs}; epoch++) {
      Atomics.wait(pause, 0, 0, 2);
      appendFileSync(${JSON.stringify(log)}, start + ' ' + epoch + '\\n');
      rows.push((((rows.at(-1) ?? start) * 1103515245 + 12345 + salt) >>> 0) / 2 ** 16 | 0);
      saveState(rows);
      progress(rows.length / ${epochs});
    }
    return { numbers: { rows }, seconds: [] };
  },
};`;

const program = (modules: string, folder: string, threads: number): string => `
import { writeFileSync } from 'node:fs';
import { runJobs } from ${JSON.stringify(pathToFileURL('dist/lib/cli/commands/reproduce/run.js').href)};
import { ResultsFolder } from ${JSON.stringify(pathToFileURL('dist/lib/cli/commands/reproduce/results-folder.js').href)};
const jobs = Array.from({ length: ${jobs} }, (_, start) => ({ kind: 'chain', key: 'start-' + start, task: { start }, weight: 1 }));
const options = { folder: ResultsFolder.prepare(${JSON.stringify(folder)}), threads: ${threads}, simd: true,
  module: ${JSON.stringify(pathToFileURL(modules).href)}, now: () => performance.now(), outdated() {}, progress({ running }) { if (running.length > 0) console.log('.'); } };
const done = await runJobs(jobs, options);
writeFileSync(${JSON.stringify(join(folder, 'all.json'))}, JSON.stringify(done));`;

/** Kills the run this many milliseconds after its start or, with `working`, after it began to compute. */
function run(path: string, after = Infinity, working = false): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  const kill = (): void => void setTimeout(() => child.kill('SIGKILL'), after);
  if (after < Infinity && !working) kill();
  child.stdout.once('data', () => after < Infinity && working && kill());
  child.stdout.resume();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve(signal));
  });
}

test('killed twenty times at random moments, a run ends as one that was not, and repeats nothing that was finished', () =>
  inFolder(async (folder) => {
    const [quietLog, log] = [join(folder, 'quiet.log'), join(folder, 'killed.log')];
    const quiet = put(
      folder,
      'quiet.mjs',
      program(put(folder, 'quiet-workers.mjs', workers(quietLog)), join(folder, 'quiet'), 1),
    );
    assert.is(await run(quiet), null);
    const killed = put(
      folder,
      'killed.mjs',
      program(put(folder, 'killed-workers.mjs', workers(log)), join(folder, 'killed'), 2),
    );

    const random = new Random(1);
    const result = join(folder, 'killed', 'all.json');
    let hits = 0;
    for (let kill = 0; kill < kills; kill++) {
      const finished = finishedJobs(join(folder, 'killed'));
      const before = existsSync(log) ? readFileSync(log, 'utf8').split('\n').length : 0;
      // Kills every third run while it starts, the others during their work.
      const working = kill % 3 > 0;
      if ((await run(killed, random.uniform(20, working ? 90 : 200), working)) === 'SIGKILL') hits++;
      const lines = existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .slice(Math.max(0, before - 1))
        : [];
      for (const line of lines.filter((text) => text !== '')) {
        assert.not(finished.includes(line.split(' ')[0]), `computed again: ${line}`);
      }
    }
    assert.is(hits, kills, 'every kill hits a run');
    assert.is(await run(killed), null);
    assert.is(readFileSync(result, 'utf8'), readFileSync(join(folder, 'quiet', 'all.json'), 'utf8'));
    const computed = readFileSync(log, 'utf8').trim().split('\n').length;
    assert.is(readFileSync(quietLog, 'utf8').trim().split('\n').length, jobs * epochs);
    assert.ok(
      computed <= jobs * epochs + 2 * hits,
      `${computed} epochs: more than one of each thread for each kill was lost`,
    );
  }));

function finishedJobs(folder: string): string[] {
  const names = Array.from({ length: jobs }, (_, start) => String(start));
  return names.filter((start) => existsSync(join(folder, 'jobs', `chain.start-${start}.json`)));
}

test.run();
