/** Runs the tries of a kind in processes of their own, and ends one whose call does not return. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Message } from './child.ts';
import { kinds, type KindName } from './kinds.ts';
import { add, emptyTally, note, type Tally } from './tally.ts';

/** The child loads TypeScript in another way than specs do, so that its coverage cannot be merged with theirs. */
const uncovered = { ...process.env, NODE_V8_COVERAGE: '' };

/** The time to load the modules and to make the files that are changed. */
const startSeconds = 120;
/** Counts of a process that is ended are lost, so that a range is not too long. */
const rangeLength = 5000;

/** All tries of a kind from index `from` to `to`. */
export async function runWatched(name: KindName, seed: string, from: number, to: number): Promise<Tally> {
  const total = emptyTally();
  for (let next = from; next < to;) {
    const end = Math.min(to, next + rangeLength);
    // oxlint-disable-next-line no-await-in-loop -- one process after the other
    const { tally, stoppedAt, reason } = await runRange(name, seed, next, end);
    if (tally) {
      add(total, tally);
      next = end;
      continue;
    }
    if (stoppedAt === null) throw new Error(`${name}: the process ended before its first try (${reason})`);
    // The tries before it are repeated, without it.
    // oxlint-disable-next-line no-await-in-loop -- one process after the other
    if (stoppedAt > next) add(total, await runWatched(name, seed, next, stoppedAt));
    add(total, { ...emptyTally(), tries: 1, [reason === 'hang' ? 'hangs' : 'raw']: 1 });
    note(total, `${name} ${stoppedAt}: ${reason}`);
    next = stoppedAt + 1;
  }
  return total;
}

interface RangeResult {
  readonly tally: Tally | null;
  /** The try that did not return. */
  readonly stoppedAt: number | null;
  readonly reason: string;
}

function runRange(name: KindName, seed: string, from: number, to: number): Promise<RangeResult> {
  const script = fileURLToPath(new URL('./child.ts', import.meta.url));
  const child = fork(script, [name, seed, String(from), String(to)], { execArgv: ['--import', 'tsx'], env: uncovered });
  let [stoppedAt, tally, reason]: [number | null, Tally | null, string] = [null, null, ''];
  const limit = 1000 * kinds[name].seconds;
  const stop = (): void => {
    reason = 'hang';
    child.kill('SIGKILL');
  };
  let timer = setTimeout(stop, 1000 * startSeconds);
  child.on('message', (message: Message) => {
    clearTimeout(timer);
    if ('tally' in message) tally = message.tally;
    else {
      stoppedAt = message.index;
      timer = setTimeout(stop, limit);
    }
  });
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ tally, stoppedAt, reason: reason || `ended with ${signal ?? code}` });
    });
  });
}
