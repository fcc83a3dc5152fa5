/** Which instructions work through arrays element by element? In Float32, and a few in Float64 as well. */

import type { Activation } from '../kernels/types.ts';
import { type Assembler, type Declare, whileAtLeast } from './assembler.ts';
import type { Code, Local } from './code.ts';
import * as f32x4 from './instructions/f32x4.ts';
import * as f64x2 from './instructions/f64x2.ts';
import * as v128 from './instructions/v128.ts';
import { exp, expm1, log1p, sigmoid, tanh } from './functions-code.ts';

/** How the element under each pointer is read and written: four lanes in the main loop, one in the tail. */
interface Access {
  load(pointer: Local): Code;
  store(pointer: Local, value: Code): Code;
  /** Whether this is the second of two vectors side by side. */
  readonly second?: boolean;
}

/**
 * Every element of `n`, of so many bytes: two vectors at a time, then one, then one by one, with zeros beside it. Advances
 * `pointers` and uses up `n`.
 */
export function forEachElement(
  n: Local,
  pointers: readonly Local[],
  body: (access: Access) => Code,
  bytes: 4 | 8 = 4,
): Code {
  const vector = (offset: number): Access => ({
    load: (pointer) => v128.load(pointer, offset),
    store: (pointer, value) => v128.store(pointer, value, offset),
    second: offset > 0,
  });
  const [load, store] = bytes === 4 ? [v128.loadOne, v128.storeOne] : [v128.loadTwo, v128.storeTwo];
  const single: Access = { load: (pointer) => load(pointer), store: (pointer, value) => store(pointer, value) };
  const by = (size: number, code: Code): Code =>
    whileAtLeast(n, size / bytes, [code, pointers.map((pointer) => pointer.step(size))]);
  return [by(32, [body(vector(0)), body(vector(16))]), by(16, body(vector(0))), by(bytes, body(single))];
}

type Unary = (x: Local, declare: Declare) => { before: Code; value: Code };

/** f of a local; `before` runs first and fills locals of its own. */
const functions: Record<Exclude<Activation, 'identity'>, Unary> = {
  relu: (x, declare) => ({ before: [], value: f32x4.larger(x, declare.constant(0)) }),
  softplus: (x, declare) => {
    const power = exp(f32x4.negate(f32x4.abs(x)), declare);
    const u = declare('v128');
    const log = log1p(u, declare);
    const before = [power.before, u.set(power.value), log.before];
    return { before, value: f32x4.add(f32x4.larger(x, declare.constant(0)), log.value) };
  },
  tanh,
  sigmoid,
};

/** f′ of a value y = f(x). */
const slopes: Record<Exclude<Activation, 'identity'>, Unary> = {
  relu: (y, declare) => ({
    before: [],
    value: v128.and(f32x4.greater(y, declare.constant(0)), declare.constant(1)),
  }),
  softplus: (y, declare) => {
    const power = expm1(f32x4.negate(y), declare);
    return { before: power.before, value: f32x4.negate(power.value) };
  },
  tanh: (y, declare) => ({
    before: [],
    value: f32x4.multiply(f32x4.subtract(declare.constant(1), y), f32x4.add(declare.constant(1), y)),
  }),
  sigmoid: (y, declare) => ({ before: [], value: f32x4.multiply(y, f32x4.subtract(declare.constant(1), y)) }),
};

/** name(n, a, b, out), or with `accumulate` name+(…), which adds to out. */
function defineBinary(module: Assembler, name: string, combine: (a: Code, b: Code) => Code, accumulate: boolean): void {
  module.define(accumulate ? `${name}+` : name, { params: ['i32', 'i32', 'i32', 'i32'] }, ([n, a, b, out]) =>
    forEachElement(n, [a, b, out], ({ load, store }) => {
      const value = combine(load(a), load(b));
      return store(out, accumulate ? f32x4.add(load(out), value) : value);
    }),
  );
}

export function defineElementwise(module: Assembler): void {
  defineBinary(module, 'add', f32x4.add, false);
  defineBinary(module, 'subtract', f32x4.subtract, false);
  defineBinary(module, 'multiply', f32x4.multiply, false);
  defineBinary(module, 'multiply', f32x4.multiply, true);
  module.define('multiply64', { params: ['i32', 'i32', 'i32', 'i32'] }, ([n, a, b, out]) =>
    forEachElement(n, [a, b, out], ({ load, store }) => store(out, f64x2.multiply(load(a), load(b))), 8),
  );
  for (const [lanes, type, bytes, suffix] of [[f32x4, 'f32', 4, ''] as const, [f64x2, 'f64', 8, '64'] as const]) {
    for (const accumulate of [false, true]) {
      // scale(n, a, out, factor) and scale64
      const name = `scale${suffix}${accumulate ? '+' : ''}`;
      module.define(name, { params: ['i32', 'i32', 'i32', type] }, ([n, a, out, factor], declare) => {
        const factors = declare('v128');
        const each = ({ load, store }: Access): Code => {
          const value = lanes.multiply(factors, load(a));
          return store(out, accumulate ? lanes.add(load(out), value) : value);
        };
        return [factors.set(lanes.splat(factor)), forEachElement(n, [a, out], each, bytes)];
      });
    }
  }
  for (const activation of Object.keys(functions) as (keyof typeof functions)[]) {
    // relu(n, x, out)
    module.define(activation, { params: ['i32', 'i32', 'i32'] }, ([n, x, out], declare) => {
      const value = declare('v128');
      return forEachElement(n, [x, out], ({ load, store }) => {
        const result = functions[activation](value, declare);
        return [value.set(load(x)), result.before, store(out, result.value)];
      });
    });
    for (const accumulate of [false, true]) {
      // reluBackward(n, y, gradient, out)
      const name = `${activation}Backward${accumulate ? '+' : ''}`;
      module.define(name, { params: ['i32', 'i32', 'i32', 'i32'] }, ([n, y, gradient, out], declare) => {
        const value = declare('v128');
        return forEachElement(n, [y, gradient, out], ({ load, store }) => {
          const slope = slopes[activation](value, declare);
          const pulled = f32x4.multiply(slope.value, load(gradient));
          return [value.set(load(y)), slope.before, store(out, accumulate ? f32x4.add(load(out), pulled) : pulled)];
        });
      });
    }
  }
}
