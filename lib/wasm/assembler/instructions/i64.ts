/** Instructions on 64-bit integers: pairs of 32-bit ones that are read at once. */

import { type Code, memoryRead, operator } from '../code.ts';

export const load = /* @__PURE__ */ memoryRead(0x29);
/** The lower half, as a 32-bit integer. */
export const lower = /* @__PURE__ */ operator(0xa7);
/** The upper half, as a 32-bit integer. */
export const upper = (value: Code): Code => lower([value, 0x42, 32, 0x88]);
