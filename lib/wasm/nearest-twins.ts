/** How do the kernels for neighbours call their routines? Each falls back on its plain twin for Float64 and for want of room. */

import { type Kernels, plainKernels } from '../kernels/table.ts';
import type { Routines } from './module.ts';
import type { Stage } from './stage.ts';
import type { Threads } from './threads.ts';

type NearestTwins = Pick<Kernels, 'siftPairs' | 'listedDistances'>;

/** What a difference, squared and summed in double precision, counts for when work is worth sharing. */
const flopsOfTerm = 8;

export function nearestTwins(wasm: Routines, stage: Stage, threads: Threads): NearestTwins {
  return {
    siftPairs(m, n, products, aNorms, bNorms, aLimits, bLimits, places, distances) {
      if (!stage.open(products, aNorms, bNorms, aLimits, bLimits, places, distances)) {
        return plainKernels.siftPairs(m, n, products, aNorms, bNorms, aLimits, bLimits, places, distances);
      }
      const [from, an, bn, al, bl] = [products, aNorms, bNorms, aLimits, bLimits].map((array) => stage.at(array));
      const count = wasm.sift(m, n, from, an, bn, al, bl, stage.at(places), stage.at(distances));
      stage.close(places, distances);
      return count;
    },
    listedDistances(rows, count, d, lists, a, b, out) {
      if (d === 0 || !stage.open(lists, a, b, out)) {
        return plainKernels.listedDistances(rows, count, d, lists, a, b, out);
      }
      const shared = threads.pays(flopsOfTerm * rows * count * d);
      const listed = shared ? threads.later(wasm.listed) : wasm.listed;
      const strip = shared ? Math.ceil(rows / (8 * threads.count)) : Math.max(rows, 1);
      for (let i = 0; i < rows; i += strip) {
        const list = 4 * i * count;
        const some = Math.min(strip, rows - i);
        listed(some, count, d, stage.at(lists) + list, stage.at(a) + 4 * i * d, stage.at(b), stage.at(out) + list);
      }
      if (shared) threads.finish();
      stage.close(out);
    },
  };
}
