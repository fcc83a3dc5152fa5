/**
 * How do expressions written in TypeScript become a WebAssembly module? Code is nested arrays of bytes; an operator
 * puts its operands before itself, as the stack machine wants them. Knows nothing of kernels and imports nothing.
 */

export type ValueType = 'i32' | 'f32' | 'f64' | 'v128';

/** Instructions: bytes, other code, or a local, which stands for its value. */
export type Code = number | readonly Code[] | Local | Uint8Array;

/** A parameter or variable of the function under construction. */
export class Local {
  readonly index: number;
  readonly type: ValueType;
  constructor(index: number, type: ValueType) {
    this.index = index;
    this.type = type;
  }
  set(value: Code): Code {
    return [value, 0x21, unsigned(this.index)];
  }
  /** this ← this + amount, for addresses and counters. */
  advance(amount: Code): Code {
    return this.set(i32.add(this, amount));
  }
}

export interface Signature {
  readonly params: readonly ValueType[];
  readonly result?: ValueType;
}

interface Definition {
  readonly name: string;
  readonly signature: Signature;
  /** Declarations of locals, instructions and end. */
  readonly body: Uint8Array;
}

/** Makes local variables while a function's body is written down. */
export interface Declare {
  (type: ValueType): Local;
  /** The same float in all four lanes, set once when the function starts: engines do not move constants out of loops. */
  constant(value: number): Local;
}

/** Collects functions and turns them into a module that imports `env.memory` and exports every function. */
export class Assembler {
  readonly #definitions: Definition[] = [];

  /** Adds a function; the result is its call, for use inside others. */
  define(
    name: string,
    signature: Signature,
    write: (params: Local[], declare: Declare) => Code,
  ): (...operands: Code[]) => Code {
    const params = signature.params.map((type, index) => new Local(index, type));
    const locals: ValueType[] = [];
    const variable = (type: ValueType): Local => new Local(params.length + locals.push(type) - 1, type);
    const constants = new Map<number, Local>();
    const constant = (value: number): Local => {
      if (!constants.has(value)) constants.set(value, variable('v128'));
      return constants.get(value)!;
    };
    const code = write(params, Object.assign(variable, { constant }));
    const set = [...constants].map(([value, local]) => local.set(f32x4.constant(value)));
    const body = flatten([list(locals.map((type) => [1, typeByte[type]])), set, code, 0x0b]);
    const index = this.#definitions.push({ name, signature, body }) - 1;
    return (...operands) => [...operands, 0x10, unsigned(index)];
  }

  /** The finished module, for a memory of this kind. */
  assemble(memory: { readonly pages: number; readonly shared: boolean }): Uint8Array<ArrayBuffer> {
    const { pages, shared } = memory;
    const all = this.#definitions;
    const limits = shared ? [0x03, unsigned(pages), unsigned(pages)] : [0x00, unsigned(pages)];
    const types = all.map(({ signature: { params, result } }) => [
      0x60,
      list(params.map((type) => typeByte[type])),
      list(result ? [typeByte[result]] : []),
    ]);
    const bodies = all.map(({ body }) => [unsigned(body.length), body]);
    const bytes: Code = [
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, list(types)),
      section(2, list([[text('env'), text('memory'), 0x02, limits]])),
      section(3, list(all.map((_, index) => unsigned(index)))),
      section(7, list(all.map(({ name }, index) => [text(name), 0x00, unsigned(index)]))),
      section(10, list(bodies)),
    ];
    return flatten(bytes);
  }
}

type Operator = (...operands: Code[]) => Code;

const operator =
  (...opcode: number[]): Operator =>
  (...operands) => [...operands, ...opcode];

const vector =
  (opcode: number): Operator =>
  (...operands) => [...operands, 0xfd, unsigned(opcode)];

/** Memory instructions: an address, a constant byte offset, no promise of alignment. */
const memory =
  (...opcode: number[]) =>
  (address: Code, offset = 0): Code => [address, ...opcode, 0x00, unsigned(offset)];

const memoryWrite =
  (...opcode: number[]) =>
  (address: Code, value: Code, offset = 0): Code => [address, value, ...opcode, 0x00, unsigned(offset)];

/** Memory instructions on one lane of a vector. */
const laneWrite =
  (opcode: number) =>
  (address: Code, value: Code, offset = 0, lane = 0): Code => [
    address,
    value,
    0xfd,
    opcode,
    0x00,
    unsigned(offset),
    lane,
  ];

export const i32 = {
  constant: (value: number): Code => [0x41, signed(value)],
  load: memory(0x28),
  eqz: operator(0x45),
  eq: operator(0x46),
  lessThan: operator(0x48),
  greaterThan: operator(0x4a),
  atLeast: operator(0x4e),
  add: operator(0x6a),
  subtract: operator(0x6b),
  multiply: operator(0x6c),
  and: operator(0x71),
  shiftLeft: (value: Code, bits: number): Code => [value, i32.constant(bits), 0x74],
};

export const f32 = {
  load: memory(0x2a),
  store: memoryWrite(0x38),
  add: operator(0x92),
  multiply: operator(0x94),
};

export const f64 = {
  constant: (value: number): Code => [0x44, ...new Uint8Array(new Float64Array([value]).buffer)],
  load: memory(0x2b),
  store: memoryWrite(0x39),
  add: operator(0xa0),
  fromF32: operator(0xbb),
  toF32: operator(0xb6),
};

export const v128 = {
  load: memory(0xfd, 0x00),
  /** One float in every lane. */
  loadSplat: memory(0xfd, 0x09),
  /** One double in both lanes. */
  loadSplat64: memory(0xfd, 0x0a),
  /** One or two floats, then zeros. */
  loadOne: memory(0xfd, 0x5c),
  loadTwo: memory(0xfd, 0x5d),
  /** Two floats into the upper half of `value`. */
  loadUpper: (address: Code, value: Code): Code => [address, value, 0xfd, 0x57, 0x00, 0x00, 1],
  store: memoryWrite(0xfd, 0x0b),
  storeOne: laneWrite(0x5a),
  storeTwo: laneWrite(0x5b),
  and: vector(0x4e),
  andNot: vector(0x4f),
  or: vector(0x50),
  /** Bits of `a` where `mask` is set, else of `b`. */
  select: (a: Code, b: Code, mask: Code): Code => [a, b, mask, 0xfd, unsigned(0x52)],
  /** Lanes 0–3 of `a` and 4–7 of `b`, four of them. */
  shuffle: (a: Code, b: Code, lanes: readonly number[]): Code => [
    a,
    b,
    0xfd,
    0x0d,
    ...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => lane * 4 + byte)),
  ],
};

export const f32x4 = {
  constant: (value: number): Code => {
    const bytes = [...new Uint8Array(new Float32Array([value]).buffer)];
    return [0xfd, 0x0c, ...bytes, ...bytes, ...bytes, ...bytes];
  },
  splat: vector(0x13),
  firstLane: (value: Code): Code => [value, 0xfd, 0x1f, 0],
  less: vector(0x43),
  greater: vector(0x44),
  atLeast: vector(0x46),
  nearest: vector(0x6a),
  abs: vector(0xe0),
  negate: vector(0xe1),
  sqrt: vector(0xe3),
  add: vector(0xe4),
  subtract: vector(0xe5),
  multiply: vector(0xe6),
  divide: vector(0xe7),
  /** The smaller and the larger of two, one instruction each; a NaN in the first operand stays. */
  smaller: vector(0xea),
  larger: vector(0xeb),
};

export const i32x4 = {
  constant: (value: number): Code => {
    const bytes = [...new Uint8Array(new Int32Array([value]).buffer)];
    return [0xfd, 0x0c, ...bytes, ...bytes, ...bytes, ...bytes];
  },
  add: vector(0xae),
  shiftLeft: (value: Code, bits: number): Code => [value, i32.constant(bits), 0xfd, unsigned(0xab)],
  fromF32x4: vector(0xf8),
};

export const f64x2 = {
  firstLane: (value: Code): Code => [value, 0xfd, 0x21, 0],
  secondLane: (value: Code): Code => [value, 0xfd, 0x21, 1],
  splat: vector(0x14),
  /** The lower two floats as doubles. */
  fromLower: vector(0x5f),
  add: vector(0xf0),
  multiply: vector(0xf2),
};

/** Runs `body` if `condition` is not 0, else `otherwise`. */
export function when(condition: Code, body: Code, otherwise: Code = []): Code {
  return [condition, 0x04, 0x40, body, 0x05, otherwise, 0x0b];
}

/** Repeats `body` until `condition`, asked after it, is 0. */
export function doWhile(body: Code, condition: Code): Code {
  return [0x03, 0x40, body, condition, 0x0d, 0x00, 0x0b];
}

/** Counts `left` down by `step` while at least `step` remain, running `body` each time; what remains stays in `left`. */
export function whileAtLeast(left: Local, step: number, body: Code): Code {
  const enough = i32.atLeast(left, i32.constant(step));
  return when(enough, doWhile([body, left.advance(i32.constant(-step))], enough));
}

/** a ? b : c of numbers. */
export function choose(condition: Code, b: Code, c: Code): Code {
  return [b, c, condition, 0x1b];
}

/** Several locals at once. */
export function variables(declare: Declare, type: ValueType, count: number): Local[] {
  return Array.from({ length: count }, () => declare(type));
}

const typeByte: Record<ValueType, number> = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b };

/** The bytes of nested code, in order. */
function flatten(code: Code): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(1024);
  let length = 0;
  const reserve = (count: number): void => {
    if (length + count <= bytes.length) return;
    const larger = new Uint8Array(2 * (length + count));
    larger.set(bytes);
    bytes = larger;
  };
  const visit = (part: Code): void => {
    if (typeof part === 'number') {
      reserve(1);
      bytes[length++] = part;
    } else if (part instanceof Uint8Array) {
      reserve(part.length);
      bytes.set(part, length);
      length += part.length;
    } else if (part instanceof Local) {
      visit([0x20, unsigned(part.index)]);
    } else {
      for (let i = 0; i < part.length; i++) visit(part[i]);
    }
  };
  visit(code);
  return bytes.slice(0, length);
}

function section(id: number, content: Code): Code {
  const bytes = flatten(content);
  return [id, unsigned(bytes.length), bytes];
}

function list(items: readonly Code[]): Code {
  return [unsigned(items.length), items];
}

function text(value: string): Code {
  return list([...value].map((letter) => letter.charCodeAt(0)));
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? value : [(value & 0x7f) | 0x80, unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}
