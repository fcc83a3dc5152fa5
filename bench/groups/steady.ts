/** Speed of steps and size of the heap over a long training. Denormals, garbage and recompiled code would show here. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bothTwins } from '../loads/data.ts';
import { sequentially } from '../sequentially.ts';
import { type Load, mnistLoad, moonLoad, sizeOf, stepsOf } from '../loads/loads.ts';
import { mean, processorTime } from '../quality/section.ts';
import { type Context, givenRow, type Group, rivalOf, type Row } from '../report/row.ts';

const stretches = 10;
/** The number of stretches at each end that are compared. */
const ends = 2;

export const steady: Group = async (context) => {
  bothTwins();
  const steps = context.quick ? 10_000 : 100_000;
  const loads = [moonLoad, () => mnistLoad(context.quick ? 5000 : 20_000)];
  const rows = await sequentially(loads, async (make) => courseOf(context, await make(), steps));
  context.note('Times are those of the processor, for one step. Memory is the heap after a collection of garbage.');
  return rows.flat();
};

function courseOf(context: Context, load: Load, steps: number): Row[] {
  const { step, parameters } = stepsOf(load);
  const size = sizeOf(load);
  const each = steps / stretches;
  // One untimed stretch first, until the engine has compiled everything. Otherwise the first stretch would be slow.
  for (let k = 0; k < each; k++) step();
  const found = Array.from({ length: stretches }, (_, s) => {
    context.say(`${size}: steps ${s * each + 1} to ${(s + 1) * each}`);
    const start = processorTime();
    for (let k = 0; k < each; k++) step();
    const time = (1000 * (processorTime() - start)) / each;
    collectGarbage();
    return { time, bytes: process.memoryUsage().heapUsed };
  });
  const checksum = parameters().reduce((sum, value) => sum + value, 0);
  const times = found.map(({ time }) => time);
  const heaps = found.map(({ bytes }) => bytes);
  const [first, last] = [mean(times.slice(0, ends)), mean(times.slice(-ends))];
  return [
    ...found.map(({ time, bytes }, s) =>
      givenRow('steps', `${size}, to ${(s + 1) * each}`, time, { bytes, at: (s + 1) * each, checksum: 0 }),
    ),
    givenRow('last fifth', size, last, {
      others: { 'first fifth': rivalOf(first, last) },
      bytes: Math.max(...heaps) - heaps[0],
      checksum,
    }),
  ];
}

/** Collects garbage without a command-line flag. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
