/** Instructions on vectors of four Float32 numbers. */

import { type Code, fourTimes, vectorOperator } from '../code.ts';

export const constant = (value: number): Code => fourTimes(Float32Array.of(value).buffer);
export const splat = vectorOperator(0x13);
export const lane = (value: Code, index: number): Code => [value, 0xfd, 0x1f, index];
export const notEqual = (a: Code, b: Code): Code => [a, b, 0xfd, 0x42];
export const less = vectorOperator(0x43);
export const greater = vectorOperator(0x44);
export const atMost = (a: Code, b: Code): Code => [a, b, 0xfd, 0x45];
export const nearest = vectorOperator(0x6a);
export const abs = vectorOperator(0xe0);
export const negate = vectorOperator(0xe1);
export const sqrt = vectorOperator(0xe3);
export const add = vectorOperator(0xe4);
export const subtract = vectorOperator(0xe5);
export const multiply = vectorOperator(0xe6);
export const divide = vectorOperator(0xe7);
/** The smaller and the larger of two, one instruction each; a NaN in the first operand stays. */
export const smaller = vectorOperator(0xea);
export const larger = vectorOperator(0xeb);
