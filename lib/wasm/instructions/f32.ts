/** Single floats. */

import { type Code, memoryRead, memoryWrite, operator } from '../code.ts';

export const constant = (value: number): Code => [0x43, new Uint8Array(Float32Array.of(value).buffer)];
export const load = memoryRead(0x2a);
export const store = memoryWrite(0x38);
export const eq = operator(0x5b);
export const less = operator(0x5d);
export const atMost = operator(0x5f);
export const add = operator(0x92);
