/** Instructions on 32-bit integers: counts and addresses. A number among the operands is a constant. */

import { type Code, memoryRead, type Operator, signed } from '../code.ts';

const operandOf = (value: Code): Code => (typeof value === 'number' ? constant(value) : value);
const operator =
  (...opcode: number[]): Operator =>
  (...operands) => [...operands.map(operandOf), ...opcode];

export const constant = (value: number): Code => [0x41, signed(value)];
export const load = /* @__PURE__ */ memoryRead(0x28);
/** Stores a value. Operands: address, value. */
export const store = /* @__PURE__ */ operator(0x36, 0x00, 0x00);
/** Sets bytes to a value. Operands: address, value, number of bytes. */
export const fill = /* @__PURE__ */ operator(0xfc, 0x0b, 0x00);
/** Copies bytes. Operands: address to write, address to read, number of bytes. */
export const copy = /* @__PURE__ */ operator(0xfc, 0x0a, 0x00, 0x00);
/** The number of bits that are set. */
export const ones = /* @__PURE__ */ operator(0x69);
export const isZero = /* @__PURE__ */ operator(0x45);
export const eq = /* @__PURE__ */ operator(0x46);
export const notEqual = /* @__PURE__ */ operator(0x47);
export const lessThan = /* @__PURE__ */ operator(0x48);
/** These two are for addresses, which go up to 4 GiB. */
export const lessThanUnsigned = /* @__PURE__ */ operator(0x49);
export const atMostUnsigned = /* @__PURE__ */ operator(0x4d);
export const atLeast = /* @__PURE__ */ operator(0x4e);
export const add = /* @__PURE__ */ operator(0x6a);
export const subtract = /* @__PURE__ */ operator(0x6b);
export const multiply = /* @__PURE__ */ operator(0x6c);
export const and = /* @__PURE__ */ operator(0x71);
export const or = /* @__PURE__ */ operator(0x72);
export const xor = /* @__PURE__ */ operator(0x73);
export const shiftLeft = /* @__PURE__ */ operator(0x74);
/** Copies the sign bit. Operands are never negative, so this does not matter. */
export const shiftRight = /* @__PURE__ */ operator(0x75);
/** The first operand if the third is not 0, else the second. */
export const select = /* @__PURE__ */ operator(0x1b);
