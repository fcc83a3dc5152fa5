/** Runs the spec files named on the command line, one after another, and prints a line about each when its tests have ended. */

import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { type Counts, describeEnd } from './ends.ts';

/** What `test.run()` of uvu adds to its queue: runs a suite, and returns its errors or true, and how many tests passed, were skipped and ran. */
type Suite = () => Promise<[errors: string | true, passed: number, skipped: number, ran: number]>;

const shared = globalThis as { UVU_DEFER?: number; UVU_INDEX?: number; UVU_QUEUE?: (Suite | null)[][] };
// uvu then starts no suite by itself. It reads this when it is loaded, so spec files are imported after it.
shared.UVU_DEFER = 1;

async function runQueue(queue: readonly (Suite | null)[]): Promise<Counts> {
  const counts = { total: 0, passed: 0, skipped: 0 };
  for (const run of queue) {
    if (run === null) continue;
    const [errors, passed, skipped, ran] = await run();
    counts.total += ran;
    counts.passed += passed;
    counts.skipped += skipped;
    if (errors !== true) console.log(`\n${errors}`);
  }
  return counts;
}

for (const [index, file] of process.argv.slice(2).entries()) {
  const queue: Suite[] = [];
  shared.UVU_INDEX = index;
  (shared.UVU_QUEUE ??= [])[index] = queue;
  await import(String(pathToFileURL(resolve(file))));
  console.log(describeEnd(await runQueue(queue)));
}
