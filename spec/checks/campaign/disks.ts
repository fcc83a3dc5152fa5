/** Writes that fail: on disks that are full, with errors at chosen moments, and two processes with the same targets. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../lib/index.ts';
import { inFolder, momentsOf, runUndisturbed } from './kills.ts';
import {
  contentsOf,
  type Ending,
  endingOf,
  inputs,
  namesIn,
  prepareWriter,
  runWriter,
  type Writer,
  writers,
} from './writers.ts';

export interface WriteReport {
  tries: number;
  /** Runs that ended with a message and code 1, or wrote everything. */
  right: number;
  raw: number;
  torn: number;
  drafts: number;
  hangs: number;
  readonly failures: string[];
  /** Why nothing was tried. */
  skipped?: string;
}

const empty = (): WriteReport => ({ tries: 0, right: 0, raw: 0, torn: 0, drafts: 0, hangs: 0, failures: [] });
const old = 'an older file';
/** In pages of 4 KiB, which is what such a disk counts in. The folders take one each. */
const pages = [1, 2, 3, 5, 8, 16];

/** Every writer on disks in memory of several sizes. */
export async function runFullDisks(model: Uint8Array): Promise<WriteReport> {
  const report = empty();
  await inFolder(model, async (folder) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    for (const writer of writers) {
      for (const count of pages) {
        const options = `size=${4 * count}k`;
        const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]).status === 0;
        if (!isMounted) return void (report.skipped = 'no disk can be mounted here');
        try {
          // oxlint-disable-next-line no-await-in-loop -- one disk
          await tryFull(writer, folder, disk, `${writer.name} on ${options}`, report);
        } finally {
          spawnSync('umount', [disk]);
        }
      }
    }
  });
  return report;
}

/** The inputs are elsewhere: their names on the disk are links to them. */
async function tryFull(writer: Writer, folder: string, disk: string, name: string, report: WriteReport): Promise<void> {
  for (const input of inputs) symlinkSync(join(folder, input), join(disk, input));
  const program = readFileSync(join(folder, 'jobs.mjs'), 'utf8').replace(`${folder}/out`, `${disk}/out`);
  writeFileSync(join(folder, 'jobs-on-disk.mjs'), program);
  symlinkSync(join(folder, 'jobs-on-disk.mjs'), join(disk, 'jobs.mjs'));
  await prepareWriter(writer, disk);
  const ending = await runWriter(writer, disk);
  judge(ending, name, disk, report);
}

/** Every writer and file, with errors of the disk at each moment: some of them, or all. */
export async function runFailures(seed: string, tries: number | undefined, model: Uint8Array): Promise<WriteReport> {
  const report = empty();
  const codes = ['ENOSPC', 'EIO', 'EDQUOT', 'EACCES'];
  const all = writers.flatMap((writer) =>
    writer.files.flatMap((file) =>
      momentsOf(file).map((moment, i) => ({ writer, file, moment, by: codes[i % codes.length] })),
    ),
  );
  const order = new Random(`${seed}/failures`).permutation(all.length);
  for (const at of order.subarray(0, tries)) {
    const { writer, file, moment, by } = all[at];
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a failure is that of one
    await inFolder(model, async (folder) => {
      const mayHaveOld = !writer.isResults && !writer.resumes?.includes(file);
      if (mayHaveOld) writeFileSync(join(folder, file), old);
      const stop = {
        SPECNET_TEST_STOP_AT: moment,
        SPECNET_TEST_STOP_FILE: endingOf(writer, file),
        SPECNET_TEST_STOP_BY: by,
      };
      const name = `${writer.name}, ${file}, ${by} at ${moment}`;
      await prepareWriter(writer, folder);
      const ending = await runWriter(writer, folder, stop);
      judge(ending, name, folder, report);
      const isReached = ending.code !== 0;
      if (mayHaveOld && isReached && !moment.startsWith('after') && readFileSync(join(folder, file), 'utf8') !== old) {
        report.torn++;
        report.failures.push(`${name}: the older file is gone`);
      }
    });
  }
  return report;
}

/** Every writer twice at once on the same files: first where there are none, then where there are. */
export async function runPairs(rounds: number, model: Uint8Array): Promise<WriteReport> {
  const report = empty();
  for (const writer of writers) {
    // oxlint-disable no-await-in-loop -- one pair after the other
    const expected = await runUndisturbed(writer, model);
    for (let round = 0; round < rounds; round++) {
      await inFolder(model, async (folder) => {
        await tryPair(writer, folder, expected.contents, report);
        await tryPair(writer, folder, expected.contents, report);
      });
    }
    // oxlint-enable no-await-in-loop
  }
  return report;
}

/** Both succeed. In a results folder one of them may be refused, because the other is at work or has been. */
async function tryPair(
  writer: Writer,
  folder: string,
  expected: Map<string, string | null>,
  report: WriteReport,
): Promise<void> {
  const name = `${writer.name} twice`;
  await prepareWriter(writer, folder);
  const endings = await Promise.all([runWriter(writer, folder), runWriter(writer, folder)]);
  const isBusy = ({ err }: Ending): boolean => /expected a folder in which no other process works, got /.test(err);
  const refused = endings.filter((ending) => writer.isResults && isBusy(ending)).length;
  const isLate = ({ err }: Ending): boolean => !!writer.keepsComplete && /expected a folder without a stored/.test(err);
  for (const ending of endings)
    judge(ending, name, folder, report, !(refused === 1 && isBusy(ending)) && !isLate(ending));
  for (const [file, content] of contentsOf(writer, folder)) {
    if (content === expected.get(file)) continue;
    report.torn++;
    report.failures.push(`${name}: ${file} differs from that of a single run`);
  }
}

/** Success, or exit code 1 with one message of our own, and no draft. */
function judge(
  { code, signal, err }: Ending,
  name: string,
  folder: string,
  report: WriteReport,
  mustSucceed = false,
): void {
  report.tries++;
  const drafts = namesIn(folder).filter((each) => each.endsWith('.draft'));
  const isMessage = /^(specnet \w+: (task \d+ failed: )?expected .*, got .*\n)+$/s.test(err) && !/\n {4}at /.test(err);
  const isRight = code === 0 || (!mustSucceed && code === 1 && isMessage);
  if (signal === 'SIGALRM') report.hangs++;
  else if (!isRight) report.raw++;
  if (drafts.length > 0) report.drafts++;
  if (isRight && drafts.length === 0) report.right++;
  else report.failures.push(`${name}: ${signal ?? code}, ${drafts.join(' ')} ${err.slice(0, 400)}`);
}
