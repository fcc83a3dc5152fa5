/** The moments of a write at which a test can stop the process. They do nothing unless an environment variable names one. */

/**
 * In the order of a write. `before-draft`: nothing is on disk yet. `half-written`: the draft holds half of the bytes.
 * `before-sync`: it holds all of them, perhaps only in the cache. `before-rename`: the draft is on the disk. `after-rename`:
 * the file has its name, perhaps only in the cache. `after-sync`: the name is on the disk too. `before-append` and
 * `after-append` enclose the addition of a line to a list.
 */
export const moments = [
  'before-draft',
  'half-written',
  'before-sync',
  'before-rename',
  'after-rename',
  'after-sync',
  'before-append',
  'after-append',
] as const;

export type Moment = (typeof moments)[number];

/** How often the chosen moment has come in this thread. */
let passed = 0;

/**
 * Stops here if SPECNET_TEST_STOP_AT names this moment. SPECNET_TEST_STOP_FILE: only for files whose path ends with this
 * text. SPECNET_TEST_STOP_COUNT: at the n-th such moment of a thread; default: 1. SPECNET_TEST_STOP_BY: the signal that the
 * process sends itself, or the code of an error that the disk reports, such as ENOSPC; default: SIGKILL.
 */
export function reach(moment: Moment, path: string): void {
  const { SPECNET_TEST_STOP_AT: chosen, SPECNET_TEST_STOP_FILE: ending = '' } = process.env;
  if (chosen !== moment || !path.endsWith(ending)) return;
  passed++;
  const { SPECNET_TEST_STOP_COUNT: count = '1', SPECNET_TEST_STOP_BY: by = 'SIGKILL' } = process.env;
  if (passed !== Number(count)) return;
  if (by.startsWith('SIG')) process.kill(process.pid, by);
  else throw Object.assign(new Error(`${by}: planted by a test, write`), { code: by });
}
