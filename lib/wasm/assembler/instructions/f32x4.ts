/** Instructions on vectors of four Float32 numbers. */

import { type Code, fourTimes, vectorOperator } from '../code.ts';

export const constant = (value: number): Code => fourTimes(Float32Array.of(value).buffer);
export const splat = /* @__PURE__ */ vectorOperator(0x13);
export const lane = (value: Code, index: number): Code => [value, 0xfd, 0x1f, index];
export const notEqual = /* @__PURE__ */ vectorOperator(0x42);
export const less = /* @__PURE__ */ vectorOperator(0x43);
export const greater = /* @__PURE__ */ vectorOperator(0x44);
export const atMost = /* @__PURE__ */ vectorOperator(0x45);
export const nearest = /* @__PURE__ */ vectorOperator(0x6a);
export const abs = /* @__PURE__ */ vectorOperator(0xe0);
export const negate = /* @__PURE__ */ vectorOperator(0xe1);
export const sqrt = /* @__PURE__ */ vectorOperator(0xe3);
export const add = /* @__PURE__ */ vectorOperator(0xe4);
export const subtract = /* @__PURE__ */ vectorOperator(0xe5);
export const multiply = /* @__PURE__ */ vectorOperator(0xe6);
export const divide = /* @__PURE__ */ vectorOperator(0xe7);
/** a·b + c, rounded once or twice, as the engine likes: relaxed SIMD. Operands: a, b, c. */
export const relaxedMultiplyAdd = /* @__PURE__ */ vectorOperator(0x105);
/** The smaller and the larger of two, one instruction each; a NaN in the first operand stays. */
export const smaller = /* @__PURE__ */ vectorOperator(0xea);
export const larger = /* @__PURE__ */ vectorOperator(0xeb);
