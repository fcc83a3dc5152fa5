/** Instructions on Float64 numbers. */

import { type Code, memoryRead, memoryWrite, operator } from '../code.ts';

export const constant = (value: number): Code => [0x44, new Uint8Array(Float64Array.of(value).buffer)];
export const load = memoryRead(0x2b);
export const store = memoryWrite(0x39);
export const less = (a: Code, b: Code): Code => [a, b, 0x63];
/** The first where the third is not 0, else the second. */
export const select = (a: Code, b: Code, condition: Code): Code => [a, b, condition, 0x1b];
export const absolute = operator(0x99);
export const larger = (a: Code, b: Code): Code => [a, b, 0xa5];
export const add = operator(0xa0);
export const subtract = (a: Code, b: Code): Code => [a, b, 0xa1];
export const multiply = (a: Code, b: Code): Code => [a, b, 0xa2];
export const fromF32 = operator(0xbb);
export const toF32 = operator(0xb6);
