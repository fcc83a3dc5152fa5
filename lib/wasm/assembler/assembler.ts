/** How does code become a WebAssembly module? Knows nothing of kernels. */

import { type Code, flatten, Local, unsigned, type ValueType } from './code.ts';
import * as i32 from './instructions/i32.ts';
import * as i32x4 from './instructions/i32x4.ts';

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

/** The call of a function, for use inside others. */
export type Call = (...operands: Code[]) => Code;

/** Makes local variables while a function's body is written down. */
export interface Declare {
  (type: ValueType): Local;
  /** The same float in all four lanes, set once when the function starts: engines do not move constants out of loops. */
  constant(value: number): Local;
}

/** Collects functions and turns them into a module that imports `env.memory` and exports every function. */
export class Assembler {
  readonly #definitions: Definition[] = [];

  /** Adds a function. */
  define(name: string, signature: Signature, write: (params: Local[], declare: Declare) => Code): Call {
    const params = signature.params.map((_, index) => new Local(index));
    const locals: ValueType[] = [];
    const variable = (type: ValueType): Local => new Local(params.length + locals.push(type) - 1);
    const constants = new Map<number, Local>();
    const constant = (value: number): Local => {
      const [bits] = new Int32Array(Float32Array.of(value).buffer);
      if (!constants.has(bits)) constants.set(bits, variable('v128'));
      return constants.get(bits)!;
    };
    const code = write(params, Object.assign(variable, { constant }));
    const set = [...constants].map(([bits, local]) => local.set(i32x4.constant(bits)));
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
  return when(enough, doWhile([body, left.step(-step)], enough));
}

/** A function of so many integers, and then what else is said. */
export function taking(integers: number, ...others: ValueType[]): Signature {
  return { params: [...new Array<ValueType>(integers).fill('i32'), ...others] };
}

/** Several locals at once. */
export function variables(declare: Declare, type: ValueType, count: number): Local[] {
  return Array.from({ length: count }, () => declare(type));
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
