/** Runs a range of tries of one kind in this process, and counts what became of them. */

import { Random } from '../../../lib/index.ts';
import { isOwnError, type Kind, Misread } from './kind.ts';
import { emptyTally, note, type Tally } from './tally.ts';

export interface Range {
  readonly seed: string;
  readonly from: number;
  readonly to: number;
}

/** `before` is called before each try, for a watch from outside. */
export async function runTries(
  name: string,
  kind: Kind,
  isCompared: boolean,
  { seed, from, to }: Range,
  before: (index: number) => void = () => undefined,
): Promise<Tally> {
  const tally = emptyTally();
  const start = process.memoryUsage.rss();
  for (let index = from; index < to; index++) {
    before(index);
    const begin = performance.now();
    tally.tries++;
    try {
      // oxlint-disable-next-line no-await-in-loop -- one at a time, so that each has its own time
      const outcome = await kind.attempt(new Random(`${seed}/${name}/${index}`), index);
      tally[outcome === 'unread' || outcome === 'unchecked' ? 'accepted' : outcome]++;
      if (outcome === 'unread') tally.unread++;
      if (outcome === 'accepted' && isCompared) tally.compared++;
    } catch (error) {
      const isMisread = error instanceof Misread;
      tally[isMisread ? 'misreads' : 'raw']++;
      if (isMisread) tally.accepted++;
      note(tally, `${name} ${index}: ${isMisread ? error.message : describe(error)}`);
    }
    tally.largestMilliseconds = Math.max(tally.largestMilliseconds, performance.now() - begin);
  }
  tally.largestMegabytes = Math.max(0, process.resourceUsage().maxRSS / 1024 - start / 2 ** 20);
  Object.assign(tally.more, kind.counts);
  return tally;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /\((.*:\d+:\d+)\)/.exec(error.stack ?? '')?.[1].replace(/^.*\/(lib|spec)\//, '$1/') ?? '';
  return `${error.name}: ${error.message}${isOwnError(error) ? '' : ` at ${place}`}`;
}
