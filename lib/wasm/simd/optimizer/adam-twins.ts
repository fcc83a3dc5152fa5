/** How do threads share a step of Adam? By rows, each thread the same in every step; some of them can begin before the others. */

import { adamProduct, beginAdam } from '../../../kernels/batch/adam-product.ts';
import type { BatchKernels } from '../../../kernels/batch/batch.ts';
import { alone, type Crew, type Share, strip } from '../../threads/crew.ts';
import { adamFlops } from '../elementwise/twins.ts';
import type { Routines } from '../module.ts';
import { type AnyArray, isSingle, type Stage } from '../../memory/stage.ts';

/** Each falls back on its plain twin for Float64 and for want of room. */
export function adamTwins(
  wasm: Routines,
  stage: Stage,
  share: Share,
): Pick<BatchKernels, 'adamProduct' | 'beginAdam' | 'settleAdam'> {
  /** Who is at what was begun; the arrays must not be collected meanwhile. */
  let begunWith: { readonly crew: Crew; readonly arrays: readonly AnyArray[] } | null = null;
  const settle = (): void => {
    begunWith?.crew.finish();
    begunWith = null;
  };
  return {
    adamProduct(
      rows,
      width,
      starts,
      columns,
      values,
      x,
      rate,
      beta1,
      beta2,
      epsilon,
      decay,
      first,
      second,
      parameters,
      begun,
    ) {
      settle(); // for others their rows begin in the middle of what is noted now
      const arrays = [starts, columns, values, x, first, second, parameters];
      if (![values, x, first, second, parameters].every(isSingle) || !stage.admitAll(arrays)) {
        const numbers = [rate, beta1, beta2, epsilon, decay] as const;
        return adamProduct(rows, width, starts, columns, values, x, ...numbers, first, second, parameters, begun);
      }
      const [list, column, value, from, m, v, p] = arrays.map((array) => stage.at(array));
      if (decay !== 0) wasm['scale+'](rows * width, p, p, -decay);
      const crew = share(adamFlops * rows * width);
      const move = crew.later(wasm.adamProduct);
      const step = strip(rows, crew);
      for (let i = 0, some = 0; i < rows; i += some) {
        some = Math.min(step, (i < begun ? begun : rows) - i);
        const [entry, at] = [4 * starts[i], 4 * i * width];
        move(
          some,
          width,
          list + 4 * i,
          column + entry,
          value + entry,
          from,
          4 * width,
          m + at,
          v + at,
          p + at,
          i < begun ? 1 : 0,
          rate,
          1 - beta1,
          1 - beta2,
          epsilon,
        );
      }
      crew.finish();
      stage.close(first, second, parameters);
    },

    beginAdam(rows, width, starts, rate, beta1, beta2, epsilon, first, second, parameters) {
      const arrays = [starts, first, second, parameters];
      const canBe = arrays.every((array) => stage.memory.addresses.has(array)) && arrays.slice(1).every(isSingle);
      const crew = canBe ? share(adamFlops * rows * width) : alone;
      if (crew.count === 1) {
        return beginAdam(rows, width, starts, rate, beta1, beta2, epsilon, first, second, parameters);
      }
      settle();
      // As shares are taken, the caller's is the first: what is in its cache is left to it.
      const step = strip(rows, crew);
      const begun = step * Math.ceil(rows / step / crew.count);
      const [list, m, v, p] = arrays.map((array) => stage.at(array));
      const move = crew.later(wasm.adamOthers);
      for (let i = begun; i < rows; i += step) {
        const [some, at] = [Math.min(step, rows - i), 4 * i * width];
        move(some, width, list + 4 * i, m + at, v + at, p + at, rate, 1 - beta1, 1 - beta2, epsilon);
      }
      crew.begin();
      begunWith = { crew, arrays };
      return begun;
    },

    settleAdam: settle,
  };
}
