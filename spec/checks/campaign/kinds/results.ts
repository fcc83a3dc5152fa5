/** Tries of results folders: changed jobs, states, shared data and lists, and files of other people among them. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { listName } from '../../../../lib/cli/commands/reproduce/file-list.ts';
import { ResultsFolder } from '../../../../lib/cli/commands/reproduce/results-folder.ts';
import { checksum } from '../../../../lib/files/checksum.ts';
import type { Random } from '../../../../lib/index.ts';
import { byteMutations, mutate, textMutations } from '../../../formats/mutations.ts';
import { attempted, type Kind, type Means, Misread, type Outcome, pick } from '../kind.ts';
import { hostileJson, type Json } from './hostile-json.ts';

const jobs = ['a', 'b', 'c'].map((key, i) => ({ kind: 'demo', key, task: { seed: i, epochs: 2 }, weight: 1 }));
const clock = { seconds: 1, cpu: 'none' } as never;
const outcome = { numbers: { rows: [1, 0.1, -3e-7], text: 'x' }, seconds: [0.5] };
const state = { rows: Float64Array.of(1, 2, 3), epoch: 1 };
const sharedBytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9);
/** Files of others, beside ours. */
const foreign = ['notes.txt', 'jobs/mine.json', 'shared/mine', 'report.html'];

type Files = Map<string, Uint8Array>;

export async function openResults({ reader, folder }: Means): Promise<Kind> {
  const root = mkdtempSync(join(folder, 'results-'));
  const intact = await writeIntact(join(root, 'intact'));
  const expected = new ResultsFolder(join(root, 'intact'));
  const original = { job: expected.finished(jobs[0]), list: [...expected.files.names()] };
  return {
    async attempt(random, index) {
      const path = join(root, `try-${index}`);
      const files: Files = new Map(intact);
      const change = changeFiles(random, files);
      for (const name of foreign) files.set(name, new TextEncoder().encode(`foreign: ${name}`));
      write(path, files);
      try {
        const read = await attempted(() => readAll(path));
        const answer = read ? await compareAll(read, change, files) : 'refused';
        checkForeign(path, files);
        return answer;
      } finally {
        rmSync(path, { recursive: true });
      }
    },
    close: async () => rmSync(root, { recursive: true }),
  };

  /** A file that was not changed gives the original or, if it is not in the list any more, nothing. */
  async function compareAll(read: Read, { name, isRepaired }: Change, files: Files): Promise<Outcome> {
    const isOther = read.job !== undefined && !isDeepStrictEqual(read.job, original.job);
    if (isOther && !(name === 'jobs/demo.a.json' && isRepaired)) throw new Misread('another job than was written');
    const other = read.job === undefined ? null : await reader?.read('json', files.get('jobs/demo.a.json')!);
    if (other) {
      const { format: _format, checksum: _checksum, ...rest } = other.facts as Record<string, unknown>;
      if (!isDeepStrictEqual(normal(read.job), normal(rest))) throw new Misread('another job than is in the file');
    }
    const mayDiffer = isRepaired && name === 'jobs/demo.b.kept';
    if (read.state !== undefined && !mayDiffer && !isDeepStrictEqual(read.state, state))
      throw new Misread('another state');
    const mayDifferShared = isRepaired && name === 'shared/salt';
    if (!mayDifferShared && !isDeepStrictEqual([...read.shared], [...sharedBytes]))
      throw new Misread('other shared data');
    return other ? 'accepted' : read.job === undefined ? 'unchecked' : 'unread';
  }
}

/** −0 and 0 are one number in JSON of either reader. */
function normal(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

interface Read {
  readonly job: unknown;
  readonly state: unknown;
  readonly shared: Uint8Array;
}

/** Uses a folder as `reproduce` does, then deletes its jobs. */
async function readAll(path: string): Promise<Read> {
  const results = ResultsFolder.prepare(path);
  try {
    results.claimJobs(jobs);
    results.files.sweep('killed');
    const read = {
      job: results.finished(jobs[0]),
      state: results.savedState(jobs[1]),
      shared: await results.shared('salt', async () => sharedBytes),
    };
    for (const job of jobs) results.outdated(job);
    results.deleteJobs();
    return read;
  } finally {
    results.close();
  }
}

/** No file that the list did not name when the try began is changed or deleted. */
function checkForeign(path: string, files: Files): void {
  const named = new Set(new TextDecoder().decode(files.get(listName) ?? new Uint8Array()).split('\n'));
  for (const name of foreign) {
    if (named.has(name)) continue;
    const text = readFileSync(join(path, name), 'utf8');
    if (text !== `foreign: ${name}`) throw new Misread(`${name}, which is not in the list, was changed`);
  }
}

async function writeIntact(path: string): Promise<Files> {
  const results = ResultsFolder.prepare(path);
  results.claimJobs(jobs);
  results.finish(jobs[0], outcome as never, clock);
  results.saveState(jobs[1], state);
  await results.shared('salt', async () => sharedBytes);
  results.close();
  const names = [listName, 'jobs/demo.a.json', 'jobs/demo.b.kept', 'shared/salt'];
  return new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(path, name)))]));
}

interface Change {
  readonly name: string;
  /** Whether the file has a right checksum after the change. */
  readonly isRepaired: boolean;
}

function changeFiles(random: Random, files: Files): Change {
  const name = pick(random, [...files.keys()]);
  const bytes = files.get(name)!;
  if (random.integer(15) === 0) {
    files.delete(name);
    return { name, isRepaired: false };
  }
  if (name === listName && random.integer(2) === 0) {
    const line = pick(random, [
      '../notes.txt',
      'notes.txt',
      'jobs/mine.json',
      '/etc/passwd',
      'jobs/../x',
      'jobs',
      '.hidden',
      'shared/a/b',
      '\\x',
      'x'.repeat(300),
      'jobs/\0',
    ]);
    files.set(name, new TextEncoder().encode(`${new TextDecoder().decode(bytes)}${line}${pick(random, ['\n', ''])}`));
    return { name, isRepaired: true };
  }
  if (random.integer(2) === 0 || name === listName) {
    files.set(name, mutate(random, bytes, pick(random, [byteMutations, textMutations])));
    return { name, isRepaired: false };
  }
  if (name.endsWith('.json')) {
    const { checksum: _checksum, ...rest } = JSON.parse(new TextDecoder().decode(bytes)) as { checksum: string };
    const text = JSON.stringify(hostileJson(random, rest as Json));
    const isObject = text.startsWith('{') && text !== '{}';
    files.set(
      name,
      new TextEncoder().encode(isObject ? `{"checksum":"${checksum(text)}",${text.slice(1)}\n` : `${text}\n`),
    );
  } else {
    const content = mutate(random, bytes.slice(8), byteMutations);
    files.set(name, Buffer.concat([Buffer.from(checksum(content)), content]));
  }
  return { name, isRepaired: true };
}

function write(path: string, files: Files): void {
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  }
}
