/** A process that runs one method on one data set and prints scores, time and peak memory, as a line of JSON. */

import { setThreads } from '../../lib/wasm/set-threads.ts';
import { processorTime } from '../quality/section.ts';
import { type MethodName, methods } from './methods.ts';
import { type Scores, scoresOf } from './scores.ts';
import { readSplit } from './split.ts';

/** The result of one method. Or why there is none. */
export type Run =
  | (Scores & {
      /** Processor time of fit and of the rows held out. */
      readonly seconds: number;
      /** How much the peak of the process is above what was resident with the points loaded. */
      readonly bytes: number;
      readonly chosen?: number;
      readonly warnings?: readonly string[];
    })
  | { readonly error: string };

const [folder, method] = process.argv.slice(2);
setThreads(1);
const split = await readSplit(folder);
const before = process.memoryUsage.rss();
const start = processorTime();
let run: Run;
try {
  const { clusters, coordinates, ...more } = await methods[method as MethodName](split);
  const seconds = processorTime() - start;
  const bytes = Math.max(0, 1024 * process.resourceUsage().maxRSS - before);
  run = { ...scoresOf(split, clusters, coordinates), seconds, bytes, ...more };
} catch (error) {
  run = { error: (error as Error).message };
}
console.log(JSON.stringify(run));
