/** Instructions on Float32 numbers. */

import { type Code, memoryRead, memoryWrite, operator } from '../code.ts';

export const constant = (value: number): Code => [0x43, new Uint8Array(Float32Array.of(value).buffer)];
export const load = /* @__PURE__ */ memoryRead(0x2a);
export const store = /* @__PURE__ */ memoryWrite(0x38);
export const eq = /* @__PURE__ */ operator(0x5b);
export const less = /* @__PURE__ */ operator(0x5d);
export const atMost = /* @__PURE__ */ operator(0x5f);
export const add = /* @__PURE__ */ operator(0x92);
