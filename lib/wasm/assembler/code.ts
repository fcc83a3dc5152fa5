/** Code as nested arrays of bytes. An operator puts its operands before itself, as a stack machine needs them. */

export type ValueType = 'i32' | 'f32' | 'f64' | 'v128';

/** Instructions: bytes, other code, or a local, which means its value. */
export type Code = number | readonly Code[] | Local | Uint8Array;

/** A parameter or variable of the function under construction. */
export class Local {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
  set(value: Code): Code {
    return [value, 0x21, unsigned(this.index)];
  }
  /** this ← this + amount, for addresses and counters. */
  advance(amount: Code): Code {
    return this.set([this, amount, 0x6a]);
  }
  /** this ← this + a constant. */
  step(amount: number): Code {
    return this.advance([0x41, signed(amount)]);
  }
}

export type Operator = (...operands: Code[]) => Code;

/** Calls are marked as pure, so that bundles contain only the operators that they use. */
export const operator =
  (opcode: number): Operator =>
  (...operands) => [...operands, opcode];

/** The operators on vectors have a byte in front. */
export const vectorOperator =
  (opcode: number): Operator =>
  (...operands) => [...operands, 0xfd, unsigned(opcode)];

/** Memory instructions: an address, a constant byte offset, no promise of alignment. */
export const memoryRead =
  (...opcode: number[]) =>
  (address: Code, offset = 0): Code => [address, ...opcode, 0x00, unsigned(offset)];

export const memoryWrite =
  (...opcode: number[]) =>
  (address: Code, value: Code, offset = 0): Code => [address, value, ...opcode, 0x00, unsigned(offset)];

/** A float or int in every one of four lanes. */
export function fourTimes(bytes: ArrayBuffer): Code {
  const four = [...new Uint8Array(bytes)];
  return [0xfd, 0x0c, ...four, ...four, ...four, ...four];
}

/** The bytes of nested code, in order. */
export function flatten(code: Code): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  const visit = (part: Code): void => {
    if (typeof part === 'number') bytes.push(part);
    else if (part instanceof Local) visit([0x20, unsigned(part.index)]);
    else for (let i = 0; i < part.length; i++) visit(part[i]);
  };
  visit(code);
  return Uint8Array.from(bytes);
}

/** LEB128. */
export function unsigned(value: number): Code {
  return value < 0x80 ? value : [(value & 0x7f) | 0x80, unsigned(value >>> 7)];
}

export function signed(value: number): Code {
  return value >= -0x40 && value < 0x40 ? value & 0x7f : [(value & 0x7f) | 0x80, signed(value >> 7)];
}
