/** Steps of optimizers in one pass over memory: routines and twins. No moment ever becomes a denormal. */

import { denormalGuard, type OptimizerKernels, overflowGuard, plainOptimizers } from '../../../kernels/optimizers.ts';
import type { Assembler, Code, Declare, Local, Routines } from '../../assembler/assembler.ts';
import { add, divide, larger, less, multiply, smaller, sqrt, subtract } from '../../assembler/instructions/f32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { variables } from '../../assembler/statements.ts';
import { input32, output32 } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { defineScale } from '../elementwise/elementwise.ts';
import { type Access, defineLoop } from '../loops.ts';

/** sgd(n, gradient, velocity, parameters, rate, momentum), adam(n, gradient, first, second, parameters, …adamScalars), scaleAdd(n, a, out, factor) */
export function defineOptimizers(module: Assembler) {
  return {
    sgd: defineLoop(module, 3, 2, ({ load, store }, [gradient, velocity, parameters], [rate, momentum], declare) => {
      const v = declare('v128');
      return [
        v.set(add(multiply(momentum, load(velocity)), load(gradient))),
        flush(v, declare),
        store(velocity, v),
        store(parameters, subtract(load(parameters), multiply(rate, v))),
      ];
    }),
    adam: defineAdamStep(module),
    scaleAdd: defineScale(module, true),
  };
}

/** (n, gradient, first, second, parameters, …adamScalars) */
export function defineAdamStep(module: Assembler) {
  return defineLoop(module, 4, 4, (access, [gradient, ...state], scalars, declare) => {
    const g = declare('v128');
    return [g.set(access.load(gradient)), adamMove(declare, scalars)(access, g, state)];
  });
}

/** The types of rate, 1 − beta1, 1 − beta2 and epsilon. */
export const adamScalars = ['f32', 'f32', 'f32', 'f32'] as const;

/** First moments, second moments and parameters. */
export type AdamState = readonly [first: Local, second: Local, parameters: Local];

/** The step of the elements at the pointers. The gradient is in a local, which is overwritten; null means zeros. */
export type AdamMove = (access: Access, gradient: Local | null, state: AdamState) => Code;

/**
 * A step of Adam by scalars in all lanes. Division and root fill one of the two multiplying units, so the moments are updated
 * with as few operations as possible.
 */
export function adamMove(declare: Declare, [rate, rest1, rest2, epsilon]: readonly Local[]): AdamMove {
  const [m, v] = variables(declare, 'v128', 2);
  const smallest = Math.fround(Math.sqrt(denormalGuard));
  const largest = Math.sqrt(overflowGuard);
  return ({ load, store }, g, [first, second, parameters]) => [
    m.set(load(first)),
    m.set(g ? add(m, multiply(rest1, subtract(g, m))) : subtract(m, multiply(rest1, m))),
    flush(m, declare),
    store(first, m),
    v.set(load(second)),
    g ? g.set(smaller(larger(magnitude(g, declare), declare.constant(smallest)), declare.constant(largest))) : [],
    v.set(
      add(v, multiply(rest2, subtract(g ? multiply(g, g) : declare.constant(Math.fround(smallest * smallest)), v))),
    ),
    store(second, v),
    store(parameters, subtract(load(parameters), divide(multiply(rate, m), add(sqrt(v), epsilon)))),
  ];
}

/** value ← 0 where its magnitude is below the guard; a NaN stays. */
function flush(value: Local, declare: Declare): Code {
  return value.set(v128.andNot(value, less(magnitude(value, declare), declare.constant(denormalGuard))));
}

/** Clears the sign bit by a mask that stays in a register: the instruction for it would create its mask each time. */
function magnitude(value: Local, declare: Declare): Code {
  return v128.andNot(value, declare.constant(-0));
}

/** The cost of an element; division and root are weighted by their time. */
export const adamFlops = 24;
/** Chunks are whole lines of the cache. */
const line = 16;

export function optimizerTwins(
  { sgd, adam, scaleAdd }: Routines<typeof defineOptimizers>,
  host: Host,
): OptimizerKernels {
  return {
    sgdStep: host.kernel(
      plainOptimizers.sgdStep,
      [input32, output32, output32],
      (n, rate, momentum, gradient, velocity, parameters) => sgd(n, gradient, velocity, parameters, rate, momentum),
    ),
    adamStep: host.kernel(
      plainOptimizers.adamStep,
      [input32, output32, output32, output32],
      (n, rate, beta1, beta2, epsilon, decay, g, m, v, p) => {
        if (decay !== 0) scaleAdd(n, p, p, -decay);
        const executor = host.chooseExecutor(adamFlops * n);
        inChunks(executor, n / line, adam, (step, from, lines) => {
          const at = 4 * line * from;
          step(line * lines, g + at, m + at, v + at, p + at, rate, 1 - beta1, 1 - beta2, epsilon);
        });
        executor.finish();
      },
    ),
  };
}
