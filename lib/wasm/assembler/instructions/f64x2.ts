/** Instructions on vectors of two Float64 numbers. */

import { type Code, vectorOperator } from '../code.ts';

export const firstLane = (value: Code): Code => [value, 0xfd, 0x21, 0];
export const secondLane = (value: Code): Code => [value, 0xfd, 0x21, 1];
/** The lower two floats of a vector as doubles. */
export const fromLower = vectorOperator(0x5f);
/** As floats in the lower half, then zeros. */
export const toLower = (value: Code): Code => [value, 0xfd, 0x5e];
export const splat = (value: Code): Code => [value, 0xfd, 0x14];
export const add = vectorOperator(0xf0);
export const subtract = (a: Code, b: Code): Code => [a, b, 0xfd, 0xf1, 0x01];
export const multiply = vectorOperator(0xf2);
export const divide = (a: Code, b: Code): Code => [a, b, 0xfd, 0xf3, 0x01];
/** All bits where the first is less than the second, else none. */
export const less = (a: Code, b: Code): Code => [a, b, 0xfd, 0x49];
export const absolute = (value: Code): Code => [value, 0xfd, 0xec, 0x01];
/** The larger of two, one instruction; for numbers that are not NaN. */
export const larger = (a: Code, b: Code): Code => [a, b, 0xfd, 0xf7, 0x01];
