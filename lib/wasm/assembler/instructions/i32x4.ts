/** Instructions on vectors of four 32-bit integers, the bits of floats. */

import { type Code, fourTimes, vectorOperator } from '../code.ts';
import * as i32 from './i32.ts';

export const constant = (value: number): Code => fourTimes(Int32Array.of(value).buffer);
export const lanes = (...values: number[]): Code => [0xfd, 0x0c, ...new Uint8Array(Int32Array.from(values).buffer)];
export const add = /* @__PURE__ */ vectorOperator(0xae);
export const shiftLeft = (value: Code, bits: number): Code => vectorOperator(0xab)(value, i32.constant(bits));
/** The sign bits of the four lanes as the bits of one number: which lanes of a comparison are true. */
export const signs = /* @__PURE__ */ vectorOperator(0xa4);
export const fromF32x4 = /* @__PURE__ */ vectorOperator(0xf8);
/** Two doubles as integers in the lower half, toward zero, then zeros. */
export const fromF64x2 = /* @__PURE__ */ vectorOperator(0xfc);
export const lane = (value: Code, index: number): Code => [value, 0xfd, 0x1b, index];
