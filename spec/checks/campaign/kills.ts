/** Kills writers at chosen moments of each of their files, then runs them again: nothing torn, nothing lost, the same bits. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Moment, moments } from '../../../lib/files/moments.ts';
import { Random } from '../../../lib/index.ts';
import {
  contentsOf,
  endingOf,
  namesIn,
  prepareInputs,
  prepareWriter,
  runWriter,
  type Writer,
  writers,
} from './writers.ts';

/** What became of the kills of one writer. */
export interface KillCounts {
  files: number;
  kills: number;
  /** Runs that ended before the chosen moment. */
  missed: number;
  torn: number;
  /** Files that were reported as written, or were written before, and are not there. */
  lost: number;
  /** Runs after a kill that failed or did not give the bits of a run that was not killed. */
  unequal: number;
  /** Drafts and other files that the next run left, and that a run leaves nowhere else. */
  drafts: number;
  readonly failures: string[];
}

/** By the names of the writers. */
export type KillReport = Readonly<Record<string, KillCounts>>;

interface Kill {
  readonly writer: Writer;
  readonly file: string;
  readonly moment: Moment;
  /** At the n-th write of the file. */
  readonly count: number;
  /** Whether an older file is there before. */
  readonly hasOld: boolean;
}

const old = 'an older file';
/** Each kill has a folder of its own, and waits for the disk most of the time. */
const parallelRuns = 3;

/** `kills` of all that there are, or all, in an order that depends on the seed. */
export async function runKills(
  seed: string,
  kills: number | undefined,
  model: Uint8Array,
  isWanted: (writer: Writer) => boolean = () => true,
): Promise<KillReport> {
  const all = allKills().filter(({ writer }) => isWanted(writer));
  const order = new Random(`${seed}/kills`).permutation(all.length);
  const chosen = Array.from({ length: kills ?? all.length }, (_, k) => all[order[k % all.length]]);
  const expected = new Map<Writer, Promise<Outcome>>();
  const report: Record<string, KillCounts> = {};
  for (const { writer } of chosen) report[writer.name] ??= emptyCounts(writer);
  const queue = [...chosen];
  const runQueue = async (): Promise<void> => {
    for (let kill = queue.shift(); kill; kill = queue.shift()) {
      const { writer } = kill;
      if (!expected.has(writer)) expected.set(writer, runUndisturbed(writer, model));
      // oxlint-disable-next-line no-await-in-loop -- a queue
      await tryKill(kill, model, await expected.get(writer)!, report[writer.name]);
    }
  };
  await Promise.all(Array.from({ length: parallelRuns }, runQueue));
  return report;
}

function emptyCounts({ files }: Writer): KillCounts {
  return { files: files.length, kills: 0, missed: 0, torn: 0, lost: 0, unequal: 0, drafts: 0, failures: [] };
}

/** Every writer, file, moment, and number of the write, with and without an older file. */
function allKills(): Kill[] {
  return writers.flatMap((writer) =>
    writer.files.flatMap((file) => {
      // Of three states of a training, the second may be skipped. A job saves four.
      const counts = file.endsWith('.kept') ? [1, 2, 3] : writer.resumes?.includes(file) ? [1, 2] : [1];
      const mayHaveOld = !writer.isResults && !writer.resumes?.includes(file);
      return momentsOf(file).flatMap((moment) =>
        counts.flatMap((count) =>
          (mayHaveOld ? [false, true] : [false]).map((hasOld) => ({ writer, file, moment, count, hasOld })),
        ),
      );
    }),
  );
}

/** Lines are added to the list of a results folder, and to no other file. */
export function momentsOf(file: string): readonly Moment[] {
  const isList = file.endsWith('specnet-results.txt');
  return moments.filter((moment) => isList || !moment.endsWith('append'));
}

/** What a run leaves: the contents of its files, and all names in the folder. */
export interface Outcome {
  readonly contents: Map<string, string | null>;
  readonly names: ReadonlySet<string>;
}

/** The outcome of a run that nothing disturbs. */
export async function runUndisturbed(writer: Writer, model: Uint8Array): Promise<Outcome> {
  return inFolder(model, async (folder) => {
    await prepareWriter(writer, folder);
    const { code, err } = await runWriter(writer, folder);
    if (code !== 0) throw new Error(`${writer.name} ended with ${code}: ${err}`);
    return { contents: contentsOf(writer, folder), names: new Set(namesIn(folder)) };
  });
}

async function tryKill(
  kill: Kill,
  model: Uint8Array,
  { contents: expected, names }: Outcome,
  report: KillCounts,
): Promise<void> {
  const { writer, file, moment, count, hasOld } = kill;
  await inFolder(model, async (folder) => {
    const name = `${writer.name}, ${file}, ${moment}, ${count}${hasOld ? ', older file' : ''}`;
    const fail = (what: 'torn' | 'lost' | 'unequal' | 'drafts', text: string): void => {
      report[what]++;
      report.failures.push(`kill of ${name}: ${text}`);
    };
    if (hasOld)
      for (const other of writer.files) if (!writer.resumes?.includes(other)) writeFileSync(join(folder, other), old);
    await prepareWriter(writer, folder);
    const { signal } = await runWriter(writer, folder, {
      SPECNET_TEST_STOP_AT: moment,
      SPECNET_TEST_STOP_FILE: endingOf(writer, file),
      SPECNET_TEST_STOP_COUNT: String(count),
    });
    if (signal === 'SIGKILL') report.kills++;
    else {
      report.missed++;
      report.failures.push(`kill of ${name}: the run ended before`);
    }
    const isCompared = (other: string): boolean =>
      !/\.kept$|results\.txt$/.test(other) && !writer.resumes?.includes(other) && !writer.passing?.includes(other);
    const found = contentsOf(writer, folder);
    for (const [other, content] of found) {
      if (!isCompared(other)) continue;
      const isBefore = content === (hasOld ? old : null);
      const isNew = content === expected.get(other);
      if (!isBefore && !isNew) fail('torn', `${other} is neither the old file nor the new one`);
      const isDone =
        other === file
          ? moment.startsWith('after') && endingOf(writer, file) === file
          : !writer.isUnordered && writer.files.indexOf(other) < writer.files.indexOf(file);
      if (isDone && !isNew) fail('lost', `${other} was written before, and is not there`);
    }
    const again = await runWriter(writer, folder);
    const isWhole =
      writer.keepsComplete &&
      writer.files.every((each) => (found.get(each) === null) === (expected.get(each) === null));
    if (again.code !== (isWhole ? 1 : 0))
      fail('unequal', `the next run ended with ${again.code ?? again.signal}: ${again.err}`);
    for (const [other, content] of contentsOf(writer, folder)) {
      const isEqual = content === expected.get(other) || other.endsWith('results.txt');
      if (!isEqual) fail('unequal', `${other} differs from that of a run that was not killed`);
    }
    const left = namesIn(folder).filter((each) => !names.has(each));
    if (left.length > 0) fail('drafts', `left ${left.join(', ')}`);
  });
}

/** A temporary folder on a disk, with the inputs of all writers. */
export async function inFolder<T>(model: Uint8Array, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'specnet-campaign-'));
  try {
    prepareInputs(folder, model);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
