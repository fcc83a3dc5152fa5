/** Which instructions work through Float32 arrays element by element? */

import type { Activation } from '../../../kernels/types.ts';
import { type Assembler, type Call, type Declare, taking, variables, whileAtLeast } from '../../assembler/assembler.ts';
import type { Code, Local } from '../../assembler/code.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { exp, expm1, log1p, sigmoid, tanh } from './functions-code.ts';

/** How the elements under each pointer are read and written, as many at once as the turn of the loop takes. */
export interface Access {
  load(pointer: Local): Code;
  store(pointer: Local, value: Code): Code;
}

/** So many elements, that many bytes behind each pointer. */
export function accessOf(lanes: 4 | 2 | 1, offset: number): Access {
  return {
    load: (pointer) => v128.loadLanes[lanes](pointer, offset),
    store: (pointer, value) => v128.storeLanes[lanes](pointer, value, offset),
  };
}

/**
 * Every element of `n`, so many a turn as `widths` say, one after the other; eight are two vectors, the body's two
 * halves. Advances `pointers` and uses up `n`.
 */
export function forEachElement(
  n: Local,
  widths: readonly (8 | 4 | 2 | 1)[],
  pointers: readonly Local[],
  body: (access: Access, half: number) => Code,
): Code {
  return widths.map((width) =>
    whileAtLeast(n, width, [
      width === 8 ? [0, 1].map((half) => body(accessOf(4, 16 * half), half)) : body(accessOf(width, 0), 0),
      pointers.map((pointer) => pointer.step(4 * width)),
    ]),
  );
}

/** `store`, or with `accumulate` the value is added to what is there. */
export function put({ load, store }: Access, out: Local, value: Code, accumulate: boolean): Code {
  return store(out, accumulate ? f32x4.add(load(out), value) : value);
}

/** What to do with the elements under the pointers, given the scalars in all lanes. */
export type Body = (access: Access, pointers: Local[], scalars: Local[], declare: Declare) => Code;

/** name(n, …so many arrays, …so many scalars). */
export function defineLoop(module: Assembler, name: string, arrays: number, scalars: number, body: Body): Call {
  const signature = taking(1 + arrays, ...new Array<'f32'>(scalars).fill('f32'));
  return module.define(name, signature, ([n, ...others], declare) => {
    const pointers = others.slice(0, arrays);
    const vectors = variables(declare, 'v128', scalars);
    return [
      vectors.map((vector, i) => vector.set(f32x4.splat(others[arrays + i]))),
      forEachElement(n, [8, 4, 1], pointers, (access) => body(access, pointers, vectors, declare)),
    ];
  });
}

type Unary = (x: Local, declare: Declare) => Code;

const functions: Record<Exclude<Activation, 'identity'>, Unary> = {
  relu: (x, declare) => f32x4.larger(x, declare.constant(0)),
  softplus: (x, declare) => {
    const u = declare('v128');
    const power = exp(f32x4.negate(f32x4.abs(x)), declare);
    return [u.set(power), f32x4.add(f32x4.larger(x, declare.constant(0)), log1p(u, declare))];
  },
  tanh,
  sigmoid,
};

/** f′ of a value y = f(x). */
const slopes: typeof functions = {
  relu: (y, declare) => v128.and(f32x4.greater(y, declare.constant(0)), declare.constant(1)),
  softplus: (y, declare) => f32x4.negate(expm1(f32x4.negate(y), declare)),
  tanh: (y, declare) => f32x4.multiply(f32x4.subtract(declare.constant(1), y), f32x4.add(declare.constant(1), y)),
  sigmoid: (y, declare) => f32x4.multiply(y, f32x4.subtract(declare.constant(1), y)),
};

const binaries = { add: f32x4.add, subtract: f32x4.subtract, multiply: f32x4.multiply };

/** With a + behind it where the result is added to what is there. */
const nameOf = (name: string, accumulate: boolean): string => (accumulate ? `${name}+` : name);

/** scale(n, a, out, factor) */
export function defineScale(module: Assembler, accumulate: boolean): Call {
  return defineLoop(module, nameOf('scale', accumulate), 2, 1, (access, [a, out], [factor]) =>
    put(access, out, f32x4.multiply(factor, access.load(a)), accumulate),
  );
}

/** Each of them, and with a + behind its name one that adds to out. */
export function defineElementwise(module: Assembler): void {
  for (const accumulate of [false, true]) {
    const named = (name: string): string => nameOf(name, accumulate);
    // add(n, a, b, out)
    for (const [name, combine] of Object.entries(binaries)) {
      defineLoop(module, named(name), 3, 0, (access, [a, b, out]) =>
        put(access, out, combine(access.load(a), access.load(b)), accumulate),
      );
    }
    defineScale(module, accumulate);
    // reluBackward(n, y, gradient, out)
    for (const [name, slope] of Object.entries(slopes)) {
      defineLoop(module, named(`${name}Backward`), 3, 0, (access, [y, gradient, out], _, declare) => {
        const value = declare('v128');
        const pulled = f32x4.multiply(slope(value, declare), access.load(gradient));
        return [value.set(access.load(y)), put(access, out, pulled, accumulate)];
      });
    }
  }
  // relu(n, x, out)
  for (const [name, value] of Object.entries(functions)) {
    defineLoop(module, name, 2, 0, ({ load, store }, [x, out], _, declare) => {
      const local = declare('v128');
      return [local.set(load(x)), store(out, value(local, declare))];
    });
  }
}
