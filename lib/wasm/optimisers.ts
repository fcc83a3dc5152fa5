/** Which kernels move parameters? They are compiled when they are first asked for. */

import { type OptimiserKernels, plainOptimisers } from '../kernels/optimise.ts';
import type { Routines } from './module.ts';
import { defineOptimisers } from './optimise-code.ts';
import { kernelFamily } from './simd.ts';
import type { Stage } from './stage.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const optimiserKernels = kernelFamily(plainOptimisers, defineOptimisers, optimiserTwins);

/** Each falls back on its plain twin for Float64 and for want of room. */
export function optimiserTwins(wasm: Routines, stage: Stage): OptimiserKernels {
  return {
    sgdStep(n, rate, momentum, gradient, velocity, parameters) {
      if (!stage.open(gradient, velocity, parameters)) {
        return plainOptimisers.sgdStep(n, rate, momentum, gradient, velocity, parameters);
      }
      wasm.sgd(n, stage.at(gradient), stage.at(velocity), stage.at(parameters), rate, momentum);
      stage.close(velocity, parameters);
    },
    adamStep(n, rate, beta1, beta2, epsilon, decay, gradient, first, second, parameters) {
      if (!stage.open(gradient, first, second, parameters)) {
        return plainOptimisers.adamStep(n, rate, beta1, beta2, epsilon, decay, gradient, first, second, parameters);
      }
      const [g, m, v, p] = [stage.at(gradient), stage.at(first), stage.at(second), stage.at(parameters)];
      if (decay === 0) wasm.adam(n, g, m, v, p, rate, 1 - beta1, 1 - beta2, epsilon);
      else wasm.adamw(n, g, m, v, p, rate, 1 - beta1, 1 - beta2, epsilon, decay);
      stage.close(first, second, parameters);
    },
  };
}
