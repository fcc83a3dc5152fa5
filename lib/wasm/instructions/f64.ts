/** Single doubles. */

import { type Code, memoryRead, memoryWrite, operator } from '../code.ts';

export const constant = (value: number): Code => [0x44, new Uint8Array(Float64Array.of(value).buffer)];
export const load = memoryRead(0x2b);
export const store = memoryWrite(0x39);
export const less = operator(0x63);
/** The first where the third is not 0, else the second. */
export const select = operator(0x1b);
export const add = operator(0xa0);
export const subtract = operator(0xa1);
export const multiply = operator(0xa2);
export const fromF32 = operator(0xbb);
export const toF32 = operator(0xb6);
