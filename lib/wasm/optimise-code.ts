/** Which instructions move Float32 parameters? One pass over memory, and no moment ever a denormal. */

import { denormalGuard, overflowGuard } from '../kernels/optimise.ts';
import { type Assembler, type Call, type Declare, variables } from './assembler.ts';
import type { Code, Local } from './code.ts';
import { add, divide, larger, less, multiply, smaller, sqrt, subtract } from './instructions/f32x4.ts';
import * as v128 from './instructions/v128.ts';
import { type Body, defineLoop } from './elementwise-code.ts';

export function defineOptimisers(module: Assembler): void {
  // sgd(n, gradient, velocity, parameters, rate, momentum)
  defineLoop(module, 'sgd', 3, 2, ({ load, store }, [gradient, velocity, parameters], [rate, momentum], declare) => {
    const v = declare('v128');
    return [
      v.set(add(multiply(momentum, load(velocity)), load(gradient))),
      flush(v, declare),
      store(velocity, v),
      store(parameters, subtract(load(parameters), multiply(rate, v))),
    ];
  });
  for (const name of ['adam', 'adamw'] as const) defineAdam(module, name);
}

/**
 * adam(n, gradient, first, second, parameters, rate, 1 − beta1, 1 − beta2, epsilon) and, for decay, adamw(…, decay).
 * Division and root fill one of the two multiplying units; so the moments are updated with as few products as can be.
 */
export function defineAdam(module: Assembler, name: 'adam' | 'adamw'): Call {
  const scalars = name === 'adam' ? 4 : 5;
  const body: Body = ({ load, store }, [gradient, first, second, parameters], numbers, declare) => {
    const [rate, rest1, rest2, epsilon, decay] = numbers;
    const [g, m, v, p] = variables(declare, 'v128', 4);
    const smallest = declare.constant(Math.sqrt(denormalGuard));
    const largest = declare.constant(Math.sqrt(overflowGuard));
    return [
      g.set(load(gradient)),
      m.set(load(first)),
      m.set(add(m, multiply(rest1, subtract(g, m)))),
      flush(m, declare),
      g.set(smaller(larger(magnitude(g, declare), smallest), largest)),
      v.set(load(second)),
      v.set(add(v, multiply(rest2, subtract(multiply(g, g), v)))),
      store(first, m),
      store(second, v),
      p.set(load(parameters)),
      decay ? p.set(subtract(p, multiply(decay, p))) : [],
      store(parameters, subtract(p, divide(multiply(rate, m), add(sqrt(v), epsilon)))),
    ];
  };
  return defineLoop(module, name, 4, scalars, body);
}

/** value ← 0 where its size is below the guard; a NaN stays. */
function flush(value: Local, declare: Declare): Code {
  return value.set(v128.andNot(value, less(magnitude(value, declare), declare.constant(denormalGuard))));
}

/** Without the bit of the sign, which stays in a register: the instruction for it would make its mask anew each time. */
function magnitude(value: Local, declare: Declare): Code {
  return v128.andNot(value, declare.constant(-0));
}
