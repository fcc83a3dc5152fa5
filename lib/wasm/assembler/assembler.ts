/** An assembler that turns code into a WebAssembly module. It knows nothing of kernels. */

import { type Code, flatten, Local, unsigned, type ValueType } from './code.ts';
import * as i32 from './instructions/i32.ts';
import * as i32x4 from './instructions/i32x4.ts';

type Types = readonly ValueType[];

/** A T for each of these types: a tuple of as many. */
export type Each<Params extends Types, T> = { [K in keyof Params]: T };

export interface Signature<Params extends Types = Types, Result extends ValueType | null = ValueType | null> {
  readonly params: Params;
  readonly result: Result;
}

/** The most operands of a function: as many as the mailbox of the threads has room for. */
export const mostOperands = 15;

/** A function of the module under construction. `compile` exchanges handles for the functions of an instance. */
export class Handle<Params extends Types, Result extends ValueType | null> {
  declare readonly signature: Signature<Params, Result>;
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }

  /** The call of this function, for use inside others. */
  call(...operands: Each<Params, Code>): Code {
    return [...(operands as readonly Code[]), 0x10, unsigned(this.index)];
  }
}

/** Makes local variables while a function's body is written down. */
export interface Declare {
  (type: ValueType): Local;
  /** The same float in all four lanes, set once when the function starts: engines do not move constants out of loops. */
  constant(value: number): Local;
}

/** Collects functions for a module that imports `env.memory` and exports every function under its number. */
export class Assembler {
  readonly #signatures: Signature[] = [];
  /** Declarations of locals, instructions and end. */
  readonly #bodies: Uint8Array[] = [];

  /** Adds a function. */
  define<Params extends Types, Result extends ValueType | null>(
    signature: Signature<Params, Result>,
    write: (params: Each<Params, Local>, declare: Declare) => Code,
  ): Handle<Params, Result> {
    const { length } = signature.params;
    if (length > mostOperands) {
      throw new RangeError(`Assembler.define: expected at most ${mostOperands} operands, got ${length}.`);
    }
    const params = signature.params.map((_, index) => new Local(index)) as Each<Params, Local>;
    const locals: ValueType[] = [];
    const variable = (type: ValueType): Local => new Local(length + locals.push(type) - 1);
    const constants = new Map<number, Local>();
    const constant = (value: number): Local => {
      const [bits] = new Int32Array(Float32Array.of(value).buffer);
      if (!constants.has(bits)) constants.set(bits, variable('v128'));
      return constants.get(bits)!;
    };
    const code = write(params, Object.assign(variable, { constant }));
    const set = [...constants].map(([bits, local]) => local.set(i32x4.constant(bits)));
    this.#bodies.push(flatten([list(locals.map((type) => [1, typeByte[type]])), set, code, 0x0b]));
    return new Handle(this.#signatures.push(signature) - 1);
  }

  /** The finished module, for a memory of this kind. */
  assemble(memory: { readonly pages: number; readonly shared: boolean }): Uint8Array<ArrayBuffer> {
    const { pages, shared } = memory;
    const limits = shared ? [0x03, unsigned(pages), unsigned(pages)] : [0x00, unsigned(pages)];
    const types = this.#signatures.map(({ params, result }) => [
      0x60,
      list(params.map((type) => typeByte[type])),
      list(result ? [typeByte[result]] : []),
    ]);
    return flatten([
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, list(types)),
      section(2, list([[text('env'), text('memory'), 0x02, limits]])),
      section(3, list(types.map((_, index) => unsigned(index)))),
      section(7, list(types.map((_, index) => [text(`${index}`), 0x00, unsigned(index)]))),
      section(10, list(this.#bodies.map((body) => [unsigned(body.length), body]))),
    ]);
  }
}

/** Runs `body` if `condition` is not 0, else `otherwise`. */
export function when(condition: Code, body: Code, otherwise: Code = []): Code {
  return [condition, 0x04, 0x40, body, 0x05, otherwise, 0x0b];
}

/** Repeats `body` until `condition`, evaluated after it, is 0. */
export function doWhile(body: Code, condition: Code): Code {
  return [0x03, 0x40, body, condition, 0x0d, 0x00, 0x0b];
}

/** Counts `left` down by `step` while at least `step` remain, running `body` each time; what remains stays in `left`. */
export function whileAtLeast(left: Local, step: number, body: Code): Code {
  const enough = i32.atLeast(left, i32.constant(step));
  return when(enough, doWhile([body, left.step(-step)], enough));
}

/** A tuple of N of one type. */
export type Repeat<T, N extends number, All extends readonly T[] = []> = number extends N
  ? readonly T[]
  : All['length'] extends N
    ? All
    : Repeat<T, N, [...All, T]>;

/** So many integers, followed by other types. */
export type Integers<N extends number, Others extends Types = []> = readonly [
  ...Repeat<'i32', N>,
  ...Others,
] extends infer Params extends Types
  ? Params
  : never;

/** The signature of a function of so many integers, followed by operands of other types, without a result. */
export function taking<N extends number, Others extends Types>(
  integers: N,
  ...others: Others
): Signature<Integers<N, Others>, null> {
  const params: Types = [...new Array<ValueType>(integers).fill('i32'), ...others];
  return { params: params as Integers<N, Others>, result: null };
}

/** Several locals at once. */
export function variables<N extends number>(declare: Declare, type: ValueType, count: N): Repeat<Local, N> {
  return Array.from({ length: count }, () => declare(type)) as readonly Local[] as Repeat<Local, N>;
}

const typeByte: Record<ValueType, number> = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b };

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
