/** Kills a command at several moments, each time later, runs it again to its end, and compares the bits with an undisturbed run. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
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

/**
 * `command` makes the arguments that write to an output. It is run once undisturbed, then killed at `kills` moments in turn, evenly
 * spread over the time that it took, then run to its end. Returns the kills that hit, and whether the bits are equal.
 */
export async function killed(
  command: (out: string) => readonly string[],
  [expected, out]: readonly [expected: string, out: string],
  kills: number,
): Promise<{ readonly hits: number; readonly isSame: boolean }> {
  const started = performance.now();
  await run(command(expected), 2 ** 30);
  const whole = performance.now() - started;
  let hits = 0;
  const moments = Array.from({ length: kills }, (_, k) => ((k + 1) * whole) / (kills + 1));
  await sequentially(moments, async (moment) => {
    if (!existsSync(out) && (await run(command(out), moment))) hits++;
    else if (existsSync(out) && (await tryAgain(moment))) hits++;
  });
  if (!isComplete(out)) await run(command(out), 2 ** 30);
  return { hits, isSame: digest(out) === digest(expected) };

  /** A complete output ends the kills. */
  async function tryAgain(moment: number): Promise<boolean> {
    return isComplete(out) ? false : run(command(out), moment);
  }
}

/** Whether a stored graph, or a file, is there as a whole. */
function isComplete(out: string): boolean {
  if (!existsSync(out)) return false;
  return !statSync(out).isDirectory() || existsSync(join(out, 'specnet-graph.json'));
}
