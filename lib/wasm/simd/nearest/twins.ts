/** SIMD twins of the searches for neighbors. */

import { type NearestKernels, plainNearest } from '../../../kernels/nearest/nearest.ts';
import { input, input32, type Marshal, output, output32, value } from '../../memory/marshal.ts';
import { type ChooseExecutor, inChunks } from '../../threads/executor.ts';
import type { NearestRoutines } from './code.ts';

/** The cost of a difference, squared and summed in double precision. */
const flopsOfTerm = 8;
/** A search in a tree takes at least a microsecond. */
const flopsOfVisitor = 3e4;

export function nearestTwins(
  routines: NearestRoutines,
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): NearestKernels {
  const sizes = [value, value, value, value, value, value] as const;
  return {
    siftPairs: marshal.kernel(
      plainNearest.siftPairs,
      [value, value, input, input, input, input, input, output, output],
      routines.siftPairs,
    ),
    listedDistances: marshal.kernel(
      plainNearest.listedDistances,
      [value, value, value, input, input32, input32, output32],
      (rows, count, d, lists, a, b, out) => {
        if (d === 0) return null;
        const executor = chooseExecutor(flopsOfTerm * rows * count * d);
        inChunks(executor, rows, routines.listedDistances, (measure, i, some) => {
          const list = 4 * i * count;
          measure(some, count, d, lists + list, a + 4 * i * d, b, out + list);
        });
        return executor.finish();
      },
    ),
    kdNearest: marshal.kernel(
      plainNearest.kdNearest,
      [...sizes, input, input, input, input, input, input, output, output],
      (start, end, count, dimension, leaves, self, starts, order, lowest, points, boxes, x, indices, distances) => {
        const executor = chooseExecutor(flopsOfVisitor * (end - start));
        inChunks(executor, end - start, routines.kdNearest, (search, i, some) => {
          const from = start + i;
          const to = from + some;
          const [ids, squares] = [indices + 4 * i * count, distances + 4 * i * count];
          search(from, to, count, dimension, leaves, self, starts, order, lowest, points, boxes, x, ids, squares);
        });
        executor.finish();
      },
    ),
  };
}
