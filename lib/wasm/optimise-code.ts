/** Which instructions move Float32 parameters? One pass over memory, and no moment ever a denormal. */

import { denormalGuard, overflowGuard } from '../kernels/optimise.ts';
import { type Assembler, variables } from './assembler.ts';
import type { Code, Local } from './code.ts';
import * as f32x4 from './instructions/f32x4.ts';
import * as i32x4 from './instructions/i32x4.ts';
import * as v128 from './instructions/v128.ts';
import { forEachElement } from './elementwise-code.ts';

const { splat, add, subtract, multiply, divide, sqrt } = f32x4;

export function defineOptimisers(module: Assembler): void {
  // sgd(n, gradient, velocity, parameters, rate, momentum)
  module.define('sgd', { params: ['i32', 'i32', 'i32', 'i32', 'f32', 'f32'] }, (locals, declare) => {
    const [n, gradient, velocity, parameters, rate, momentum] = locals;
    const [rates, momenta, v] = variables(declare, 'v128', 3);
    const guard = declare.constant(denormalGuard);
    return [
      rates.set(splat(rate)),
      momenta.set(splat(momentum)),
      forEachElement(n, [gradient, velocity, parameters], ({ load, store }) => [
        v.set(add(multiply(momenta, load(velocity)), load(gradient))),
        flush(v, f32x4.abs(v), guard),
        store(velocity, v),
        store(parameters, subtract(load(parameters), multiply(rates, v))),
      ]),
    ];
  });
  // adam(n, gradient, first, second, parameters, rate, 1 − beta1, 1 − beta2, epsilon) and, for decay, adamw(…, decay).
  // Division and root fill one of the two multiplying units; so the moments are updated with as few products as can be.
  for (const decaying of [false, true]) {
    const scalars = Array.from({ length: decaying ? 5 : 4 }, () => 'f32' as const);
    module.define(
      decaying ? 'adamw' : 'adam',
      { params: ['i32', 'i32', 'i32', 'i32', 'i32', ...scalars] },
      (locals, declare) => {
        const [n, gradient, first, second, parameters, ...numbers] = locals;
        const constants = variables(declare, 'v128', numbers.length);
        const [rate, rest1, rest2, epsilon, decay] = constants;
        const [g, m, v, p, magnitude] = variables(declare, 'v128', 5);
        const guard = declare.constant(denormalGuard);
        const smallest = declare.constant(Math.sqrt(denormalGuard));
        const largest = declare.constant(Math.sqrt(overflowGuard));
        return [
          constants.map((constant, i) => constant.set(splat(numbers[i]))),
          magnitude.set(i32x4.constant(0x7fffffff)), // all bits but the sign
          forEachElement(n, [gradient, first, second, parameters], ({ load, store }) => [
            g.set(load(gradient)),
            m.set(load(first)),
            m.set(add(m, multiply(rest1, subtract(g, m)))),
            flush(m, v128.and(m, magnitude), guard),
            g.set(f32x4.smaller(f32x4.larger(v128.and(g, magnitude), smallest), largest)),
            v.set(load(second)),
            v.set(add(v, multiply(rest2, subtract(multiply(g, g), v)))),
            store(first, m),
            store(second, v),
            p.set(load(parameters)),
            decaying ? p.set(subtract(p, multiply(decay, p))) : [],
            store(parameters, subtract(p, divide(multiply(rate, m), add(sqrt(v), epsilon)))),
          ]),
        ];
      },
    );
  }
}

/** value ← 0 where `magnitude` is below the guard; a NaN stays. */
function flush(value: Local, magnitude: Code, guard: Local): Code {
  return value.set(v128.andNot(value, f32x4.less(magnitude, guard)));
}
