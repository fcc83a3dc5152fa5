/** How do the kernels for neighbours call their routines? Each falls back on its plain twin for Float64 and for want of room. */

import { type NearestKernels, plainNearest } from '../kernels/nearest.ts';
import type { Routines } from './module.ts';
import type { Stage } from './stage.ts';
import type { Share } from './threads.ts';

/** What a difference, squared and summed in double precision, counts for when work is worth sharing. */
const flopsOfTerm = 8;
/** A search in a tree takes a microsecond at the least. */
const flopsOfVisitor = 3e4;

export function nearestTwins(wasm: Routines, stage: Stage, share: Share): NearestKernels {
  return {
    siftPairs(m, n, products, aNorms, bNorms, aLimits, bLimits, places, distances) {
      if (!stage.admitAll([products, aNorms, bNorms, aLimits, bLimits, places, distances])) {
        return plainNearest.siftPairs(m, n, products, aNorms, bNorms, aLimits, bLimits, places, distances);
      }
      const [from, an, bn, al, bl] = [products, aNorms, bNorms, aLimits, bLimits].map((array) => stage.at(array));
      const count = wasm.sift(m, n, from, an, bn, al, bl, stage.at(places), stage.at(distances));
      stage.close(places, distances);
      return count;
    },
    listedDistances(rows, count, d, lists, a, b, out) {
      if (d === 0 || !stage.open(lists, a, b, out)) {
        return plainNearest.listedDistances(rows, count, d, lists, a, b, out);
      }
      const threads = share(flopsOfTerm * rows * count * d);
      const listed = threads ? threads.later(wasm.listed) : wasm.listed;
      const strip = threads ? Math.ceil(rows / (8 * threads.count)) : Math.max(rows, 1);
      for (let i = 0; i < rows; i += strip) {
        const list = 4 * i * count;
        const some = Math.min(strip, rows - i);
        listed(some, count, d, stage.at(lists) + list, stage.at(a) + 4 * i * d, stage.at(b), stage.at(out) + list);
      }
      threads?.finish();
      stage.close(out);
    },
    kdNearest(start, end, count, dimension, leaves, self, ...arrays) {
      if (!stage.admitAll(arrays)) return plainNearest.kdNearest(start, end, count, dimension, leaves, self, ...arrays);
      const visitors = end - start;
      const threads = share(flopsOfVisitor * visitors);
      const nearest = threads ? threads.later(wasm.kdNearest) : wasm.kdNearest;
      const strip = threads ? Math.ceil(visitors / (8 * threads.count)) : Math.max(visitors, 1);
      const [starts, order, lowest, points, boxes, x, indices, distances] = arrays.map((array) => stage.at(array));
      for (let i = 0; i < visitors; i += strip) {
        const [from, to] = [start + i, Math.min(end, start + i + strip)];
        const found = 4 * i * count;
        nearest(
          from,
          to,
          count,
          dimension,
          leaves,
          self,
          starts,
          order,
          lowest,
          points,
          boxes,
          x,
          indices + found,
          distances + found,
        );
      }
      threads?.finish();
      stage.close(arrays[6], arrays[7]);
    },
  };
}
