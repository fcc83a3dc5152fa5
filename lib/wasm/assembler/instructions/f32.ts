/** Instructions on Float32 numbers. */

import { type Code, memoryRead, memoryWrite } from '../code.ts';

export const constant = (value: number): Code => [0x43, new Uint8Array(Float32Array.of(value).buffer)];
export const load = memoryRead(0x2a);
export const store = (address: Code, value: Code, offset = 0): Code => memoryWrite(0x38)(address, value, offset);
export const eq = (a: Code, b: Code): Code => [a, b, 0x5b];
export const less = (a: Code, b: Code): Code => [a, b, 0x5d];
export const atMost = (a: Code, b: Code): Code => [a, b, 0x5f];
export const add = (a: Code, b: Code): Code => [a, b, 0x92];
