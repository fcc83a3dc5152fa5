/** Runs many fits in a process of its own, `fits-child.ts FITS SEED`, sends the counts to its parent, and ends by itself. */

import { runDisturbedFits, runFits } from './fits.ts';

const [fits, seed] = process.argv.slice(2);
const alone = await runFits(Number(fits));
const disturbed = await runDisturbedFits(Math.ceil(Number(fits) / 5), seed);
process.send?.(
  {
    ...disturbed,
    fits: alone.fits,
    unequal: alone.unequal + disturbed.unequal,
    growthMegabytes: alone.growthMegabytes,
    failures: [...alone.failures, ...disturbed.failures],
  },
  () => process.disconnect(),
);
