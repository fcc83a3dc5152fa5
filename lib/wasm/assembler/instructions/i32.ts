/** Instructions on 32-bit integers: counts and addresses. A number among the operands is a constant. */

import { type Code, memoryRead, type Operator, signed } from '../code.ts';

const operandOf = (value: Code): Code => (typeof value === 'number' ? constant(value) : value);
const operator =
  (...opcode: number[]): Operator =>
  (...operands) => [...operands.map(operandOf), ...opcode];

export const constant = (value: number): Code => [0x41, signed(value)];
export const load = /* @__PURE__ */ memoryRead(0x28);
/** To an address. */
export const store = /* @__PURE__ */ operator(0x36, 0x00, 0x00);
/** Address, value, number of bytes: every byte from the address on. */
export const fill = /* @__PURE__ */ operator(0xfc, 0x0b, 0x00);
/** So many bytes, from the second address to the first. */
export const copy = /* @__PURE__ */ operator(0xfc, 0x0a, 0x00, 0x00);
/** How many bits are set. */
export const ones = /* @__PURE__ */ operator(0x69);
export const isZero = /* @__PURE__ */ operator(0x45);
export const eq = /* @__PURE__ */ operator(0x46);
export const notEqual = /* @__PURE__ */ operator(0x47);
export const lessThan = /* @__PURE__ */ operator(0x48);
/** For addresses, which go up to 4 GiB. */
export const lessThanUnsigned = /* @__PURE__ */ operator(0x49);
export const atLeast = /* @__PURE__ */ operator(0x4e);
export const add = /* @__PURE__ */ operator(0x6a);
export const subtract = /* @__PURE__ */ operator(0x6b);
export const multiply = /* @__PURE__ */ operator(0x6c);
export const and = /* @__PURE__ */ operator(0x71);
export const or = /* @__PURE__ */ operator(0x72);
export const xor = /* @__PURE__ */ operator(0x73);
export const shiftLeft = /* @__PURE__ */ operator(0x74);
/** The numbers are never negative, so the treatment of the sign does not matter. */
export const shiftRight = /* @__PURE__ */ operator(0x75);
/** The first where the third is not 0, else the second. */
export const select = /* @__PURE__ */ operator(0x1b);
