/** Float32 arrays element by element: routines and twins. */

import * as plain from '../../../kernels/elementwise.ts';
import type { Assembler, Code, Declare, Local, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import { input32, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import { bothModes, defineLoop, put } from '../loops.ts';
import { exp, log1p, sigmoid, tanh } from './functions.ts';

export type ElementwiseRoutines = Routines<typeof defineElementwise>;

/** add(n, a, b, out), multiply(n, a, b, out), scale(n, a, out, factor), relu(n, x, out), … */
export function defineElementwise(module: Assembler) {
  return {
    add: defineBinary(module, f32x4.add, false),
    subtract: defineBinary(module, f32x4.subtract, false),
    multiply: bothModes((accumulate) => defineBinary(module, f32x4.multiply, accumulate)),
    scale: bothModes((accumulate) => defineScale(module, accumulate)),
    activations: {
      relu: defineUnary(module, (x, declare) => f32x4.larger(x, declare.constant(0))),
      softplus: defineUnary(module, softplus),
      tanh: defineUnary(module, tanh),
      sigmoid: defineUnary(module, sigmoid),
    },
  };
}

/** scale(n, a, out, factor) */
export function defineScale(module: Assembler, accumulate: boolean) {
  return defineLoop(module, 2, 1, (access, [a, out], [factor]) =>
    put(access, out, f32x4.multiply(factor, access.load(a)), accumulate),
  );
}

function defineBinary(module: Assembler, combine: (a: Code, b: Code) => Code, accumulate: boolean) {
  return defineLoop(module, 3, 0, (access, [a, b, out]) =>
    put(access, out, combine(access.load(a), access.load(b)), accumulate),
  );
}

export type Unary = (x: Local, declare: Declare) => Code;

function defineUnary(module: Assembler, value: Unary) {
  return defineLoop(module, 2, 0, ({ load, store }, [x, out], _, declare) => {
    const local = declare('v128');
    return [local.set(load(x)), store(out, value(local, declare))];
  });
}

function softplus(x: Local, declare: Declare): Code {
  const u = declare('v128');
  const power = exp(f32x4.negate(f32x4.abs(x)), declare);
  return [u.set(power), f32x4.add(f32x4.larger(x, declare.constant(0)), log1p(u, declare))];
}

export function elementwiseTwins(routines: ElementwiseRoutines, host: Host) {
  const { add, subtract, multiply, scale, activations } = routines;
  return {
    add: host.kernel(plain.add, [input32, input32, output32], add),
    subtract: host.kernel(plain.subtract, [input32, input32, output32], subtract),
    multiply: host.kernel(plain.multiply, [input32, input32, output32], (n, a, b, out, accumulate) =>
      (accumulate ? multiply.add : multiply.set)(n, a, b, out),
    ),
    scale: host.kernel(plain.scale, [input32, output32], (n, factor, a, out, accumulate) =>
      (accumulate ? scale.add : scale.set)(n, a, out, factor),
    ),
    activate: host.kernel(plain.activate, [input32, output32], (activation, n, x, out) =>
      activation === 'identity' ? null : activations[activation](n, x, out),
    ),
  };
}
