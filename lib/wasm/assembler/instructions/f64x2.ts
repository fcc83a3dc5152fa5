/** Instructions on vectors of two Float64 numbers. */

import { type Code, vectorOperator } from '../code.ts';

export const firstLane = (value: Code): Code => [value, 0xfd, 0x21, 0];
export const secondLane = (value: Code): Code => [value, 0xfd, 0x21, 1];
/** The lower two floats of a vector as doubles. */
export const fromLower = /* @__PURE__ */ vectorOperator(0x5f);
/** As floats in the lower half, then zeros. */
export const toLower = /* @__PURE__ */ vectorOperator(0x5e);
export const splat = /* @__PURE__ */ vectorOperator(0x14);
export const add = /* @__PURE__ */ vectorOperator(0xf0);
export const subtract = /* @__PURE__ */ vectorOperator(0xf1);
export const multiply = /* @__PURE__ */ vectorOperator(0xf2);
export const divide = /* @__PURE__ */ vectorOperator(0xf3);
/** a·b + c, rounded once or twice, as the engine likes: relaxed SIMD. Operands: a, b, c. */
export const relaxedMultiplyAdd = /* @__PURE__ */ vectorOperator(0x107);
/** All bits where the first is less than the second, else none. */
export const less = /* @__PURE__ */ vectorOperator(0x49);
/** Two integers, the lower half of a vector, as doubles. */
export const fromI32x4 = /* @__PURE__ */ vectorOperator(0xfe);
/** The sign bits of both lanes as the bits of one number. */
export const signs = /* @__PURE__ */ vectorOperator(0xc4);
export const absolute = /* @__PURE__ */ vectorOperator(0xec);
/** The smaller and the larger of two, one instruction each; for numbers that are not NaN. */
export const smaller = /* @__PURE__ */ vectorOperator(0xf6);
export const larger = /* @__PURE__ */ vectorOperator(0xf7);
