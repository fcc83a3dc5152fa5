/** Kills a command at several moments, runs it again to its end, and compares the bits with an undisturbed run. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sequentially } from '../../../bench/sequentially.ts';

/** Runs Node with these arguments, and kills it after so many milliseconds. Returns whether it was killed. */
async function run(args: readonly string[], milliseconds: number): Promise<boolean> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const clock = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...ended) => resolve(ended)),
  );
  clearTimeout(clock);
  if (signal === 'SIGKILL') return true;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors}`);
  return false;
}

/** A checksum of a file, or of the names and contents of the files of a folder. */
export function digest(path: string): string {
  const hash = createHash('sha256');
  const files = statSync(path).isDirectory() ? readdirSync(path).toSorted() : [''];
  for (const name of files) hash.update(name).update(readFileSync(join(path, name)));
  return hash.digest('hex');
}

/** A run may end before its kill if the machine is less busy than before. Then the moment is tried again, so many times. */
const attempts = 4;

/**
 * `command` makes the arguments that write to an output. It is run once undisturbed. Then, at `kills` moments that are evenly
 * spread over the time that the last whole run took, it is killed and run again to its end. Returns the kills that hit, and the
 * outputs that differ.
 */
export async function killed(
  command: (out: string) => readonly string[],
  [expected, out]: readonly [expected: string, out: string],
  kills: number,
): Promise<{ readonly hits: number; readonly different: number }> {
  let whole = Infinity;
  /** Runs the command until `fraction` of the time of a whole run has passed. */
  const runUntil = async (path: string, fraction: number): Promise<boolean> => {
    const started = performance.now();
    let isKilled = await run(command(path), Math.min(fraction * whole, 2 ** 30));
    // The command had completed its output when its process was killed.
    if (isKilled && existsSync(path) && digest(path) === right) isKilled = false;
    if (!isKilled) whole = performance.now() - started;
    return isKilled;
  };
  let right = '';
  await runUntil(expected, 1);
  right = digest(expected);
  let [hits, different] = [0, 0];
  const fractions = Array.from({ length: kills }, (_, k) => (k + 0.5) / kills);
  await sequentially(fractions, async (fraction) => {
    let isKilled = false;
    for (let attempt = 0; attempt < attempts && !isKilled; attempt++) {
      // oxlint-disable no-await-in-loop -- one run at a time
      isKilled = await runUntil(out, fraction);
      if (isKilled) {
        hits++;
        await run(command(out), 2 ** 30);
      }
      // oxlint-enable no-await-in-loop
      if (digest(out) !== right) different++;
      for (const path of [out, `${out}.checkpoint`]) rmSync(path, { recursive: true, force: true });
    }
  });
  return { hits, different };
}
