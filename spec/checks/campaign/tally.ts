/** Counts of a kind: tries, what became of them, and the largest time and memory. */

export interface Tally {
  tries: number;
  accepted: number;
  refused: number;
  /** Stopped by their own signal, in time. */
  aborted: number;
  /** Accepted here, refused by the independent reader. */
  unread: number;
  /** Accepted and compared with the independent reader. */
  compared: number;
  /** Errors that are not in the words of the library. */
  raw: number;
  /** Calls that did not return within the limit. */
  hangs: number;
  /** Accepted, but with another result than the independent reader, or with a result that contradicts itself. */
  misreads: number;
  /** Of one call. */
  largestMilliseconds: number;
  /** The growth of the process from before the first call to its peak: no call took more. */
  largestMegabytes: number;
  /** What a kind counts besides, by name. */
  readonly more: Record<string, number>;
  /** The first failures, each with its index. */
  readonly failures: string[];
}

export function emptyTally(): Tally {
  return {
    tries: 0,
    accepted: 0,
    refused: 0,
    aborted: 0,
    unread: 0,
    compared: 0,
    raw: 0,
    hangs: 0,
    misreads: 0,
    largestMilliseconds: 0,
    largestMegabytes: 0,
    more: {},
    failures: [],
  };
}

const mostFailures = 20;

export function note(tally: Tally, failure: string): void {
  if (tally.failures.length < mostFailures) tally.failures.push(failure);
}

/** Adds the counts of one part of the tries to those of others. */
export function add(total: Tally, part: Tally): void {
  for (const name of countNames) total[name] += part[name];
  total.largestMilliseconds = Math.max(total.largestMilliseconds, part.largestMilliseconds);
  total.largestMegabytes = Math.max(total.largestMegabytes, part.largestMegabytes);
  for (const [name, count] of Object.entries(part.more)) total.more[name] = (total.more[name] ?? 0) + count;
  for (const failure of part.failures) note(total, failure);
}

/** The counts of a tally, in the order of the tables. */
export const countNames = [
  'tries',
  'accepted',
  'refused',
  'aborted',
  'compared',
  'unread',
  'raw',
  'hangs',
  'misreads',
] as const;
