/** SIMD twins of the optimizers' steps. */

import * as plain from '../../../kernels/optimizers.ts';
import type { Kernels } from '../../../kernels/table.ts';
import { input32, type Marshal, output32, value } from '../../memory/marshal.ts';
import { type ChooseExecutor, inChunks } from '../../threads/executor.ts';
import type { ElementwiseRoutines } from '../elementwise/code.ts';
import type { OptimizerRoutines } from './code.ts';

/** The cost of an element; division and root are weighted by their time. */
export const adamFlops = 24;
/** Chunks are whole lines of the cache. */
const line = 16;

export function optimizerTwins(
  { sgd, adam }: OptimizerRoutines,
  { scale }: ElementwiseRoutines,
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): Pick<Kernels, 'sgdStep' | 'adamStep'> {
  return {
    sgdStep: marshal.kernel(
      plain.sgdStep,
      [value, value, value, input32, output32, output32],
      (n, rate, momentum, gradient, velocity, parameters) => sgd(n, gradient, velocity, parameters, rate, momentum),
    ),
    adamStep: marshal.kernel(
      plain.adamStep,
      [value, value, value, value, value, value, input32, output32, output32, output32],
      (n, rate, beta1, beta2, epsilon, decay, g, m, v, p) => {
        if (decay !== 0) scale.add(n, p, p, -decay);
        const executor = chooseExecutor(adamFlops * n);
        inChunks(executor, n / line, adam, (step, from, lines) => {
          const at = 4 * line * from;
          step(line * lines, g + at, m + at, v + at, p + at, rate, 1 - beta1, 1 - beta2, epsilon);
        });
        executor.finish();
      },
    ),
  };
}
