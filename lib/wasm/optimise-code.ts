/** Which instructions move Float32 parameters? One pass over memory; moments below 1e-30 become 0. */

import { denormalGuard } from '../kernels/optimise.ts';
import { type Assembler, type Code, f32x4, type Local, v128, variables } from './assembler.ts';
import { forEachElement } from './elementwise-code.ts';

const { splat, add, subtract, multiply, divide, sqrt } = f32x4;

export function defineOptimisers(module: Assembler): void {
  // sgd(n, gradient, velocity, parameters, rate, momentum)
  module.define('sgd', { params: ['i32', 'i32', 'i32', 'i32', 'f32', 'f32'] }, (locals, declare) => {
    const [n, gradient, velocity, parameters, rate, momentum] = locals;
    const [rates, momenta, v] = variables(declare, 'v128', 3);
    return [
      rates.set(splat(rate)),
      momenta.set(splat(momentum)),
      forEachElement(n, [gradient, velocity, parameters], ({ load, store }) => [
        v.set(add(multiply(momenta, load(velocity)), load(gradient))),
        flush(v),
        store(velocity, v),
        store(parameters, subtract(load(parameters), multiply(rates, v))),
      ]),
    ];
  });
  // adam(n, gradient, first, second, parameters, rate, beta1, 1 − beta1, beta2, 1 − beta2, epsilon, 1 − decay)
  const scalars = Array.from({ length: 7 }, () => 'f32' as const);
  module.define('adam', { params: ['i32', 'i32', 'i32', 'i32', 'i32', ...scalars] }, (locals, declare) => {
    const [n, gradient, first, second, parameters, ...numbers] = locals;
    const constants = variables(declare, 'v128', numbers.length);
    const [rate, beta1, rest1, beta2, rest2, epsilon, kept] = constants;
    const [g, m, v] = variables(declare, 'v128', 3);
    return [
      constants.map((constant, i) => constant.set(splat(numbers[i]))),
      forEachElement(n, [gradient, first, second, parameters], ({ load, store }) => [
        g.set(load(gradient)),
        m.set(add(multiply(beta1, load(first)), multiply(rest1, g))),
        v.set(add(multiply(beta2, load(second)), multiply(multiply(rest2, g), g))),
        flush(m),
        flush(v),
        store(first, m),
        store(second, v),
        store(
          parameters,
          subtract(multiply(kept, load(parameters)), divide(multiply(rate, m), add(sqrt(v), epsilon))),
        ),
      ]),
    ];
  });
}

/** value ← 0 where its magnitude is below the guard; a NaN stays. */
function flush(value: Local): Code {
  const tiny = f32x4.less(f32x4.abs(value), f32x4.constant(denormalGuard));
  return value.set(v128.andNot(value, tiny));
}
