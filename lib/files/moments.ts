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

/**
 * Stops here if SPECNET_TEST_STOP_AT names this moment. SPECNET_TEST_STOP_FILE: only for files whose path ends with this
 * text. SPECNET_TEST_STOP_COUNT: at the n-th such moment of a thread, which counts it down; default: 1.
 * SPECNET_TEST_STOP_BY: the signal that the process sends itself, or the code of an error that the disk seems to report,
 * such as ENOSPC; default: SIGKILL.
 */
export function reach(moment: Moment, path: string): void {
  const { SPECNET_TEST_STOP_AT: chosen, SPECNET_TEST_STOP_FILE: ending = '' } = process.env;
  if (chosen !== moment || !path.endsWith(ending)) return;
  const { SPECNET_TEST_STOP_COUNT: count = '1', SPECNET_TEST_STOP_BY: by = 'SIGKILL' } = process.env;
  const left = Number(count) - 1;
  process.env.SPECNET_TEST_STOP_COUNT = String(left);
  if (left !== 0) return;
  if (by.startsWith('SIG')) process.kill(process.pid, by);
  else throw Object.assign(new Error(`${by}: planted by a test, write`), { code: by });
}
