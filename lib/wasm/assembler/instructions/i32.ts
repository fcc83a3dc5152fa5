/** Instructions on 32-bit integers: counts and addresses. */

import { type Code, memoryRead, memoryWrite, operator, signed } from '../code.ts';

export const constant = (value: number): Code => [0x41, signed(value)];
export const load = memoryRead(0x28);
export const store = (address: Code, value: Code): Code => memoryWrite(0x36)(address, value);
/** Every byte from the address on. */
export const fill = (address: Code, value: Code, bytes: Code): Code => [address, value, bytes, 0xfc, 0x0b, 0x00];
/** So many bytes, from the second address to the first. */
export const copy = (to: Code, from: Code, bytes: Code): Code => [to, from, bytes, 0xfc, 0x0a, 0x00, 0x00];
/** How many bits are set. */
export const ones = (value: Code): Code => [value, 0x69];
export const isZero = (value: Code): Code => [value, 0x45];
export const eq = operator(0x46);
export const notEqual = (a: Code, b: Code): Code => [a, b, 0x47];
export const lessThan = operator(0x48);
/** For addresses, which go up to 4 GiB. */
export const lessThanUnsigned = (a: Code, b: Code): Code => [a, b, 0x49];
export const atLeast = operator(0x4e);
export const add = operator(0x6a);
export const subtract = operator(0x6b);
export const multiply = operator(0x6c);
export const and = (a: Code, b: Code): Code => [a, b, 0x71];
export const or = (a: Code, b: Code): Code => [a, b, 0x72];
export const xor = (a: Code, b: Code): Code => [a, b, 0x73];
/** The numbers are never negative, so the treatment of the sign does not matter. */
export const shiftRight = (value: Code, bits: number): Code => [value, constant(bits), 0x75];
export const shiftLeft = (value: Code, bits: number): Code => [value, constant(bits), 0x74];
/** The first where the third is not 0, else the second. */
export const select = (a: Code, b: Code, condition: Code): Code => [a, b, condition, 0x1b];
