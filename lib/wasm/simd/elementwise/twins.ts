/** SIMD twins of the elementwise kernels. */

import * as plain from '../../../kernels/elementwise.ts';
import type { Kernels } from '../../../kernels/table.ts';
import { input32, type Marshal, output32, value } from '../../memory/marshal.ts';
import type { ElementwiseRoutines } from './code.ts';

type Elementwise = 'add' | 'subtract' | 'multiply' | 'scale' | 'activate' | 'activateBackward';

export function elementwiseTwins(routines: ElementwiseRoutines, marshal: Marshal): Pick<Kernels, Elementwise> {
  const { add, subtract, multiply, scale, activations, backward } = routines;
  return {
    add: marshal.kernel(plain.add, [value, input32, input32, output32], add),
    subtract: marshal.kernel(plain.subtract, [value, input32, input32, output32], subtract),
    multiply: marshal.kernel(plain.multiply, [value, input32, input32, output32, value], (n, a, b, out, accumulate) =>
      (accumulate ? multiply.add : multiply.set)(n, a, b, out),
    ),
    scale: marshal.kernel(plain.scale, [value, value, input32, output32, value], (n, factor, a, out, accumulate) =>
      (accumulate ? scale.add : scale.set)(n, a, out, factor),
    ),
    activate: marshal.kernel(plain.activate, [value, value, input32, output32], (activation, n, x, out) =>
      activation === 'identity' ? null : activations[activation](n, x, out),
    ),
    activateBackward: marshal.kernel(
      plain.activateBackward,
      [value, value, input32, input32, output32, value],
      (activation, n, y, gradient, out, accumulate) => {
        if (activation === 'identity') return (accumulate ? scale.add : scale.set)(n, gradient, out, 1);
        return backward[activation][accumulate ? 'add' : 'set'](n, y, gradient, out);
      },
    ),
  };
}
