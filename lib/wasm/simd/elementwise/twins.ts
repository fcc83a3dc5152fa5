/** How do the elementwise and optimising kernels call their routines? Each falls back on its plain twin for Float64 and for want of room. */

import { type Share, strip } from '../../threads/crew.ts';
import * as plain from '../../../kernels/elementwise.ts';
import * as optimise from '../../../kernels/optimizers.ts';
import type { Kernels } from '../../../kernels/table.ts';
import type { Routines } from '../module.ts';
import type { Stage } from '../../memory/stage.ts';

type ElementwiseTwins = Pick<
  Kernels,
  'add' | 'subtract' | 'multiply' | 'scale' | 'activate' | 'activateBackward' | 'sgdStep' | 'adamStep'
>;

/** What an element costs, division and root as they weigh. */
export const adamFlops = 24;
/** A thread takes whole lines of the cache. */
const line = 16;

export function elementwiseTwins(wasm: Routines, stage: Stage, share: Share): ElementwiseTwins {
  return {
    add(n, a, b, out) {
      if (!stage.open(a, b, out)) return plain.add(n, a, b, out);
      wasm.add(n, stage.at(a), stage.at(b), stage.at(out));
      stage.close(out);
    },
    subtract(n, a, b, out) {
      if (!stage.open(a, b, out)) return plain.subtract(n, a, b, out);
      wasm.subtract(n, stage.at(a), stage.at(b), stage.at(out));
      stage.close(out);
    },
    multiply(n, a, b, out, accumulate) {
      if (!stage.open(a, b, out)) return plain.multiply(n, a, b, out, accumulate);
      (accumulate ? wasm['multiply+'] : wasm.multiply)(n, stage.at(a), stage.at(b), stage.at(out));
      stage.close(out);
    },
    scale(n, factor, a, out, accumulate) {
      if (!stage.open(a, out)) return plain.scale(n, factor, a, out, accumulate);
      (accumulate ? wasm['scale+'] : wasm.scale)(n, stage.at(a), stage.at(out), factor);
      stage.close(out);
    },
    activate(activation, n, x, out) {
      if (activation === 'identity' || !stage.open(x, out)) return plain.activate(activation, n, x, out);
      wasm[activation](n, stage.at(x), stage.at(out));
      stage.close(out);
    },
    activateBackward(activation, n, y, gradient, out, accumulate) {
      if (!stage.open(y, gradient, out)) {
        return plain.activateBackward(activation, n, y, gradient, out, accumulate);
      }
      const sign = accumulate ? '+' : '';
      if (activation === 'identity') wasm[`scale${sign}`](n, stage.at(gradient), stage.at(out), 1);
      else wasm[`${activation}Backward${sign}`](n, stage.at(y), stage.at(gradient), stage.at(out));
      stage.close(out);
    },
    sgdStep(n, rate, momentum, gradient, velocity, parameters) {
      if (!stage.open(gradient, velocity, parameters)) {
        return optimise.sgdStep(n, rate, momentum, gradient, velocity, parameters);
      }
      wasm.sgd(n, stage.at(gradient), stage.at(velocity), stage.at(parameters), rate, momentum);
      stage.close(velocity, parameters);
    },
    adamStep(n, rate, beta1, beta2, epsilon, decay, gradient, first, second, parameters) {
      if (!stage.open(gradient, first, second, parameters)) {
        return optimise.adamStep(n, rate, beta1, beta2, epsilon, decay, gradient, first, second, parameters);
      }
      if (decay !== 0) wasm['scale+'](n, stage.at(parameters), stage.at(parameters), -decay);
      const crew = share(adamFlops * n);
      const move = crew.later(wasm.adam);
      const step = line * strip(n / line, crew);
      for (let i = 0; i < n; i += step) {
        move(
          Math.min(step, n - i),
          stage.at(gradient) + 4 * i,
          stage.at(first) + 4 * i,
          stage.at(second) + 4 * i,
          stage.at(parameters) + 4 * i,
          rate,
          1 - beta1,
          1 - beta2,
          epsilon,
        );
      }
      crew.finish();
      stage.close(first, second, parameters);
    },
  };
}
