/**
 * Exponentials and related functions of four floats at a time, by series whose remainder is below half an ulp of Float32. The
 * code of a function first sets its own locals and then leaves its value on the stack, so it can be used wherever a value can.
 */

import type { Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import { variables } from '../../assembler/statements.ts';

/** Arguments are clamped to ±87: beyond, e^x leaves the normal range of Float32. */
const largestExponent = 87;
/** ln 2 in two parts. The first has so few bits that its product with a whole number below 256 is exact. */
const ln2High = 0.693359375;
const ln2Low = Math.LN2 - ln2High;

/** e^x − 1, with a relative error of a few ε everywhere. */
export function expm1(x: Code, declare: Declare): Code {
  return exponential(x, declare, (power) => f32x4.subtract(power, declare.constant(1)));
}

/** e^x. */
export function exp(x: Code, declare: Declare): Code {
  return exponential(x, declare, (power) => power);
}

/**
 * x = n·ln 2 + r, so that e^x = 2ⁿ(e^r − 1) + 2ⁿ, with the Taylor series of e^r − 1 to r⁷ (remainder 5e-9 at
 * |r| = ln 2 / 2). `last` returns the term to add in place of the second 2ⁿ.
 */
function exponential(x: Code, declare: Declare, last: (power: Local) => Code): Code {
  const [r, n, power] = variables(declare, 'v128', 3);
  const rest = series(r, [5040, 720, 120, 24, 6, 2, 1], declare);
  return [
    r.set(f32x4.larger(f32x4.smaller(x, declare.constant(largestExponent)), declare.constant(-largestExponent))),
    n.set(f32x4.nearest(f32x4.multiply(r, declare.constant(Math.LOG2E)))),
    [ln2High, ln2Low].map((part) => r.set(f32x4.subtract(r, f32x4.multiply(n, declare.constant(part))))),
    power.set(i32x4.shiftLeft(i32x4.add(i32x4.fromF32x4(n), i32x4.constant(127)), 23)),
    f32x4.add(f32x4.multiply(power, f32x4.multiply(r, rest)), last(power)),
  ];
}

/** log(1 + u) for 0 ≤ u ≤ 1 as 2·artanh(z), z = u/(2 + u) ≤ 1/3, to z¹⁵ (remainder 1.4e-9 of z). */
export function log1p(u: Local, declare: Declare): Code {
  const [z, square] = variables(declare, 'v128', 2);
  return [
    z.set(f32x4.divide(u, f32x4.add(u, declare.constant(2)))),
    square.set(f32x4.multiply(z, z)),
    f32x4.multiply(f32x4.add(z, z), series(square, [15, 13, 11, 9, 7, 5, 3, 1], declare)),
  ];
}

/** (1 − e^−2x)/(1 + e^−2x) through e^2x − 1, which keeps the digits of small x. Exactly ±1 for |x| ≥ 44. */
export function tanh(x: Local, declare: Declare): Code {
  const m = declare('v128');
  return [m.set(expm1(f32x4.add(x, x), declare)), f32x4.divide(m, f32x4.add(m, declare.constant(2)))];
}

/** 1/(1 + e^−x). */
export function sigmoid(x: Local, declare: Declare): Code {
  return f32x4.divide(declare.constant(1), f32x4.add(exp(f32x4.negate(x), declare), declare.constant(1)));
}

/** Σ xⁱ/divisors[last − i], by Horner's rule. */
function series(x: Local, divisors: readonly number[], declare: Declare): Code {
  const [first, ...others] = divisors.map((divisor) => declare.constant(1 / divisor));
  return others.reduce<Code>((sum, coefficient) => f32x4.add(f32x4.multiply(sum, x), coefficient), first);
}
