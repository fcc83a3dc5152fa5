/** Upper bounds for every kernel on this machine: arithmetic throughput and memory bandwidth. */

import { sequentially } from '../sequentially.ts';
import { memoryCompetitors, peakCompetitor, peakFlops } from '../machine.ts';
import { type Group, measureRow } from '../report/row.ts';

/** Floats per array. Three arrays are either far larger than any cache or fit into the second-level cache. */
const lengths = { '3 × 128 MiB': 2 ** 25, '3 × 64 KiB': 2 ** 14 };

export const ceiling: Group = async (context) => {
  const work = { amount: peakFlops, unit: 'flop' } as const;
  const peak = await measureRow(context, 'multiply, add', 'in registers', work, [peakCompetitor()]);
  const passes = await sequentially(Object.entries(lengths), async ([size, length]) => {
    const { copy, triad } = memoryCompetitors(length);
    return [
      await measureRow(context, 'copy', size, { amount: 8 * length, unit: 'byte' }, [copy]),
      await measureRow(context, 'triad', size, { amount: 12 * length, unit: 'byte' }, [triad]),
    ];
  });
  context.note('Rates count what the program reads and writes, not what the cache fetches before it is overwritten.');
  return [peak, ...passes.flat()];
};
