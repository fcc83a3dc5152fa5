/** SIMD twins of Adam by a sparse product. Threads share its rows, each the same ones in every step. */

import { adamProduct, beginAdam } from '../../../kernels/batch/adam-product.ts';
import type { BatchKernels } from '../../../kernels/batch/batch.ts';
import { type AnyArray, input, input32, isSingle, type Marshal, output32, value } from '../../memory/marshal.ts';
import { chunk, type ChooseExecutor, type Executor, inline } from '../../threads/executor.ts';
import { adamFlops } from '../optimizer/twins.ts';
import type { BatchRoutines } from './code.ts';

export function adamTwins(
  routines: BatchRoutines,
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): Pick<BatchKernels, 'adamProduct' | 'beginAdam' | 'settleAdam'> {
  const { memory } = marshal;
  const { addresses } = memory;
  /** The executor of the step that was begun, and its arrays, which must not be collected meanwhile. */
  let begunWith: { readonly executor: Executor; readonly arrays: readonly AnyArray[] } | null = null;
  const settle = (): void => {
    begunWith?.executor.finish();
    begunWith = null;
  };
  const scalars = [value, value, value, value, value] as const;
  const product = marshal.kernel(
    (...operands: Parameters<typeof adamProduct>) => {
      settle();
      adamProduct(...operands);
    },
    [value, value, input, input, input32, input32, ...scalars, output32, output32, output32, value],
    (rows, width, starts, columns, values, x, rate, beta1, beta2, epsilon, decay, m, v, p, begun) => {
      settle(); // the rows that other threads take depend on all that is deferred
      if (decay !== 0) routines.scaleAdd(rows * width, p, p, -decay);
      const executor = chooseExecutor(adamFlops * rows * width);
      const move = executor.defer(routines.adamProduct);
      const step = chunk(rows, executor);
      const row = 4 * width;
      for (let i = 0, some = 0; i < rows; i += some) {
        some = Math.min(step, (i < begun ? begun : rows) - i);
        const [list, at, others] = [starts + 4 * i, i * row, i < begun ? 1 : 0];
        const entry = 4 * memory.firstEntry(starts, i);
        const [mi, vi, pi, column, by] = [m + at, v + at, p + at, columns + entry, values + entry];
        move(some, width, list, column, by, x, row, mi, vi, pi, others, rate, 1 - beta1, 1 - beta2, epsilon);
      }
      executor.finish();
    },
  );
  return {
    adamProduct: product,
    beginAdam(rows, width, starts, rate, beta1, beta2, epsilon, first, second, parameters) {
      const arrays = [starts, first, second, parameters];
      const canBegin = arrays.every((array) => addresses.has(array)) && arrays.slice(1).every(isSingle);
      const executor = canBegin ? chooseExecutor(adamFlops * rows * width) : inline;
      if (executor.count === 1) {
        return beginAdam(rows, width, starts, rate, beta1, beta2, epsilon, first, second, parameters);
      }
      settle();
      // The caller takes the first rows, which are left for later: they are in its cache.
      const step = chunk(rows, executor);
      const begun = step * Math.ceil(rows / step / executor.count);
      const [list, m, v, p] = arrays.map((array) => addresses.get(array)!);
      const move = executor.defer(routines.adamOthers);
      for (let i = begun; i < rows; i += step) {
        const [some, at] = [Math.min(step, rows - i), 4 * i * width];
        move(some, width, list + 4 * i, m + at, v + at, p + at, rate, 1 - beta1, 1 - beta2, epsilon);
      }
      executor.begin();
      begunWith = { executor, arrays };
      return begun;
    },
    settleAdam: settle,
  };
}
