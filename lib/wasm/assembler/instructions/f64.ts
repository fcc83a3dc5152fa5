/** Instructions on Float64 numbers. */

import { type Code, memoryRead, memoryWrite, operator } from '../code.ts';

export const constant = (value: number): Code => [0x44, new Uint8Array(Float64Array.of(value).buffer)];
export const load = /* @__PURE__ */ memoryRead(0x2b);
export const store = /* @__PURE__ */ memoryWrite(0x39);
export const less = /* @__PURE__ */ operator(0x63);
/** The first where the third is not 0, else the second. */
export const select = /* @__PURE__ */ operator(0x1b);
export const absolute = /* @__PURE__ */ operator(0x99);
export const larger = /* @__PURE__ */ operator(0xa5);
export const add = /* @__PURE__ */ operator(0xa0);
export const subtract = /* @__PURE__ */ operator(0xa1);
export const multiply = /* @__PURE__ */ operator(0xa2);
export const fromF32 = /* @__PURE__ */ operator(0xbb);
export const toF32 = /* @__PURE__ */ operator(0xb6);
