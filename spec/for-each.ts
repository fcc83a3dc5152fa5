/** A loop over asynchronous checks. */

/** Runs the check on one item after the other. */
export async function forEachInOrder<T>(items: Iterable<T>, check: (item: T) => Promise<void>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its case
  for (const item of items) await check(item);
}
