/** How do the kernels for neighbours call their routines? Each falls back on its plain twin for Float64 and for want of room. */

import { type Share, strip } from '../../threads/crew.ts';
import { type NearestKernels, plainNearest } from '../../../kernels/nearest/nearest.ts';
import type { Routines } from '../module.ts';
import type { Stage } from '../../memory/stage.ts';

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
      const crew = share(flopsOfTerm * rows * count * d);
      const listed = crew.later(wasm.listed);
      const step = strip(rows, crew);
      for (let i = 0; i < rows; i += step) {
        const list = 4 * i * count;
        const some = Math.min(step, rows - i);
        listed(some, count, d, stage.at(lists) + list, stage.at(a) + 4 * i * d, stage.at(b), stage.at(out) + list);
      }
      crew.finish();
      stage.close(out);
    },
    kdNearest(start, end, count, dimension, leaves, self, ...arrays) {
      if (!stage.admitAll(arrays)) return plainNearest.kdNearest(start, end, count, dimension, leaves, self, ...arrays);
      const visitors = end - start;
      const crew = share(flopsOfVisitor * visitors);
      const nearest = crew.later(wasm.kdNearest);
      const step = strip(visitors, crew);
      const [starts, order, lowest, points, boxes, x, indices, distances] = arrays.map((array) => stage.at(array));
      for (let i = 0; i < visitors; i += step) {
        const [from, to] = [start + i, Math.min(end, start + i + step)];
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
      crew.finish();
      stage.close(arrays[6], arrays[7]);
    },
  };
}
