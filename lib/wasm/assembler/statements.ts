/** Statements, local variables and signatures, from which the functions of a module are written. */

import type { Declare, Signature, Types } from './assembler.ts';
import type { Code, Local, ValueType } from './code.ts';
import * as i32 from './instructions/i32.ts';

/** Runs `body` if `condition` is not 0, else `otherwise`. */
export function when(condition: Code, body: Code, otherwise: Code = []): Code {
  return [condition, 0x04, 0x40, body, 0x05, otherwise, 0x0b];
}

/** Repeats `body` until `condition`, evaluated after it, is 0. */
export function doWhile(body: Code, condition: Code): Code {
  return [0x03, 0x40, body, condition, 0x0d, 0x00, 0x0b];
}

/** Counts `left` down by `step` while at least `step` remain, running `body` each time; what remains stays in `left`. */
export function whileAtLeast(left: Local, step: number, body: Code): Code {
  const enough = i32.atLeast(left, step);
  return when(enough, doWhile([body, left.step(-step)], enough));
}

/** Runs `body` as many times as `times` says. `left` counts down to 0. */
export function repeat(left: Local, times: Code, body: Code): Code {
  return [left.set(times), whileAtLeast(left, 1, body)];
}

/** A tuple of N of one type. */
export type Repeat<T, N extends number, All extends readonly T[] = []> = number extends N
  ? readonly T[]
  : All['length'] extends N
    ? All
    : Repeat<T, N, [...All, T]>;

/** A list of N integer types, followed by other types. */
export type Integers<N extends number, Others extends Types = []> = readonly [
  ...Repeat<'i32', N>,
  ...Others,
] extends infer Params extends Types
  ? Params
  : never;

/** The signature of a function without result: N integers, followed by operands of other types. */
export function taking<N extends number, Others extends Types>(
  integers: N,
  ...others: Others
): Signature<Integers<N, Others>, null> {
  const params: Types = [...new Array<ValueType>(integers).fill('i32'), ...others];
  return { params: params as Integers<N, Others>, result: null };
}

/** Several locals at once. */
export function variables<N extends number>(declare: Declare, type: ValueType, count: N): Repeat<Local, N> {
  return Array.from({ length: count }, () => declare(type)) as readonly Local[] as Repeat<Local, N>;
}
