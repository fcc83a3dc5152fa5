/** An assembler that compiles statements to a WebAssembly module. It knows nothing of kernels. */

import { type Code, flatten, Local, unsigned, type ValueType } from './code.ts';
import * as i32x4 from './instructions/i32x4.ts';

export type { Code, Local };

export type Types = readonly ValueType[];

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

/** A function of an instance. */
export type Routine<Params extends Types, Result extends ValueType | null> = (
  ...operands: Each<Params, number>
) => Result extends null ? void : number;

/** Handles, and arrays and records of them, as functions of an instance. */
export type Bound<T> =
  T extends Handle<infer Params, infer Result> ? Routine<Params, Result> : { readonly [K in keyof T]: Bound<T[K]> };

/** The functions that `define` has added to a module, in an instance of it. */
export type Routines<Define extends (...operands: never[]) => unknown> = Bound<ReturnType<Define>>;

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
