/** Instructions on vectors of 16 bytes, independent of their lanes. */

import { type Code, memoryRead, memoryWrite, unsigned, vectorOperator } from '../code.ts';

/** Writes lane 0, of four or eight bytes. */
const laneWrite =
  (opcode: number) =>
  (address: Code, value: Code, offset = 0): Code => [address, value, 0xfd, opcode, 0x00, unsigned(offset), 0];

export const load = /* @__PURE__ */ memoryRead(0xfd, 0x00);
/** One float in every lane. */
export const loadSplat = /* @__PURE__ */ memoryRead(0xfd, 0x09);
/** One double in both lanes. */
export const loadSplat64 = /* @__PURE__ */ memoryRead(0xfd, 0x0a);
/** One or two floats, then zeros. */
export const loadOne = /* @__PURE__ */ memoryRead(0xfd, 0x5c);
export const loadTwo = /* @__PURE__ */ memoryRead(0xfd, 0x5d);
/** Two floats into the upper half of `value`. */
export const loadUpper = (address: Code, value: Code): Code => [address, value, 0xfd, 0x57, 0x00, 0x00, 1];
/** One float into a lane of `value`. */
export const loadLane = (address: Code, value: Code, lane: number): Code => [
  address,
  value,
  0xfd,
  0x56,
  0x00,
  0x00,
  lane,
];
export const store = /* @__PURE__ */ memoryWrite(0xfd, 0x0b);
/** Writes one lane: a float, or a double. */
export const storeLane = (address: Code, value: Code, lane: number): Code => [
  address,
  value,
  0xfd,
  0x5a,
  0x00,
  0x00,
  lane,
];
export const storeLane64 = (address: Code, value: Code, lane: number): Code => [
  address,
  value,
  0xfd,
  0x5b,
  0x00,
  0x00,
  lane,
];
export const storeOne = /* @__PURE__ */ laneWrite(0x5a);
export const storeTwo = /* @__PURE__ */ laneWrite(0x5b);
export const and = /* @__PURE__ */ vectorOperator(0x4e);
export const or = /* @__PURE__ */ vectorOperator(0x50);
/** Whether any bit is set: 1 or 0. */
export const anyTrue = /* @__PURE__ */ vectorOperator(0x53);
/** Bits of the first operand that are not set in the second. */
export const andNot = /* @__PURE__ */ vectorOperator(0x4f);
export const xor = /* @__PURE__ */ vectorOperator(0x51);
/** Bytes of `value` at the places that `order` names. */
export const swizzle = /* @__PURE__ */ vectorOperator(0x0e);
/** Four lanes, where 0–3 are the lanes of `a` and 4–7 those of `b`. */
export const shuffle = (a: Code, b: Code, lanes: readonly number[]): Code => [
  a,
  b,
  0xfd,
  0x0d,
  ...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => lane * 4 + byte)),
];

/** Loads and stores, by the number of floats. */
export const loadLanes = { 4: load, 2: loadTwo, 1: loadOne };
export const storeLanes = { 4: store, 2: storeTwo, 1: storeOne };
