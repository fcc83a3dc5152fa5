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
/** All bits where the first is less than the second, else none. */
export const less = /* @__PURE__ */ vectorOperator(0x49);
export const absolute = /* @__PURE__ */ vectorOperator(0xec);
/** The larger of two, one instruction; for numbers that are not NaN. */
export const larger = /* @__PURE__ */ vectorOperator(0xf7);
