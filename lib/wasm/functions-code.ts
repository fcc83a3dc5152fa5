/** How are exponentials and their relatives computed four at a time? By series that end below half an ulp of Float32. */

import { type Declare, variables } from './assembler.ts';
import type { Code, Local } from './code.ts';
import * as f32x4 from './instructions/f32x4.ts';
import * as i32x4 from './instructions/i32x4.ts';

/** `before` fills the locals that `value` reads. */
export interface Evaluated {
  readonly before: Code;
  readonly value: Code;
}

const { add, subtract, multiply, divide, negate } = f32x4;

/** Beyond this e^x leaves the normal range of Float32. */
const largestExponent = 87;
/** ln 2 in two parts, the first with so few bits that its product with a whole number below 256 is exact. */
const ln2High = 0.693359375;
const ln2Low = Math.LN2 - ln2High;

/** e^x − 1, with a relative error of a few ε everywhere. */
export function expm1(x: Code, declare: Declare): Evaluated {
  const { before, power, rest } = splitExponential(x, declare);
  return { before, value: add(multiply(power, rest), subtract(power, declare.constant(1))) };
}

/** e^x. */
export function exp(x: Code, declare: Declare): Evaluated {
  const { before, power, rest } = splitExponential(x, declare);
  return { before, value: add(multiply(power, rest), power) };
}

/**
 * x = n·ln 2 + r, so that e^x = 2ⁿ + 2ⁿ(e^r − 1): `power` is 2ⁿ and `rest` the Taylor series of e^r − 1 to r⁷
 * (remainder 5e-9 at |r| = ln 2 / 2).
 */
function splitExponential(x: Code, declare: Declare): { before: Code; power: Local; rest: Code } {
  const [r, n, power] = variables(declare, 'v128', 3);
  const series = [6, 5, 4, 3, 2, 1].reduce<Code>(
    (sum, k) => add(multiply(sum, r), declare.constant(1 / factorial(k))),
    declare.constant(1 / factorial(7)),
  );
  const before = [
    r.set(f32x4.larger(f32x4.smaller(x, declare.constant(largestExponent)), declare.constant(-largestExponent))),
    n.set(f32x4.nearest(multiply(r, declare.constant(Math.LOG2E)))),
    r.set(subtract(subtract(r, multiply(n, declare.constant(ln2High))), multiply(n, declare.constant(ln2Low)))),
    power.set(i32x4.shiftLeft(i32x4.add(i32x4.fromF32x4(n), i32x4.constant(127)), 23)),
  ];
  return { before, power, rest: multiply(r, series) };
}

/** log(1 + u) for 0 ≤ u ≤ 1 as 2·artanh(z), z = u/(2 + u) ≤ 1/3, to z¹⁵ (remainder 1.4e-9 of z). */
export function log1p(u: Local, declare: Declare): Evaluated {
  const [z, square] = variables(declare, 'v128', 2);
  const series = [13, 11, 9, 7, 5, 3, 1].reduce<Code>(
    (sum, k) => add(multiply(sum, square), declare.constant(2 / k)),
    declare.constant(2 / 15),
  );
  return {
    before: [z.set(divide(u, add(u, declare.constant(2)))), square.set(multiply(z, z))],
    value: multiply(z, series),
  };
}

/** (1 − e^−2x)/(1 + e^−2x) through e^2x − 1, which keeps the digits of small x. ±1 from |x| = 44 on at the latest. */
export function tanh(x: Local, declare: Declare): Evaluated {
  const power = expm1(add(x, x), declare);
  const m = declare('v128');
  return { before: [power.before, m.set(power.value)], value: divide(m, add(m, declare.constant(2))) };
}

/** 1/(1 + e^−x). */
export function sigmoid(x: Local, declare: Declare): Evaluated {
  const power = exp(negate(x), declare);
  return { before: power.before, value: divide(declare.constant(1), add(power.value, declare.constant(1))) };
}

function factorial(k: number): number {
  return k <= 1 ? 1 : k * factorial(k - 1);
}
