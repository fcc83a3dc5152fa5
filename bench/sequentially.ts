/** Runs measurements one after another, because simultaneous measurements would disturb each other. */

export async function sequentially<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) {
    // oxlint-disable-next-line no-await-in-loop -- waiting is the purpose
    results.push(await work(item));
  }
  return results;
}
