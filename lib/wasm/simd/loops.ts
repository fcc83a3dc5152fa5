/** Loops, addresses and sums that the code of several families shares. */

import type { Assembler, Code, Declare, Handle, Local } from '../assembler/assembler.ts';
import * as f32x4 from '../assembler/instructions/f32x4.ts';
import * as f64 from '../assembler/instructions/f64.ts';
import * as f64x2 from '../assembler/instructions/f64x2.ts';
import * as i32 from '../assembler/instructions/i32.ts';
import * as v128 from '../assembler/instructions/v128.ts';
import { type Integers, type Repeat, taking, variables, whileAtLeast } from '../assembler/statements.ts';

export type Lanes = 1 | 2 | 4;

/** Reads and writes the elements at each pointer, as many as an iteration of the loop processes. */
export interface Access {
  load(pointer: Local): Code;
  store(pointer: Local, value: Code): Code;
}

/** Access to `lanes` elements at `offset` bytes after each pointer. */
export function accessOf(lanes: Lanes, offset = 0): Access {
  return {
    load: (pointer) => v128.loadLanes[lanes](pointer, offset),
    store: (pointer, value) => v128.storeLanes[lanes](pointer, value, offset),
  };
}

/** A row segment of `width` floats as vectors of four, then two, then one. */
export function piecesOf(width: number): Access[] {
  const pieces: Access[] = [];
  let at = 0;
  for (const lanes of [4, 2, 1] as const) {
    for (; width - at >= lanes; at += lanes) pieces.push(accessOf(lanes, 4 * at));
  }
  return pieces;
}

/**
 * Every element of `n`, as many per iteration as `widths` say, one width after the other; eight are two vectors, the two halves of
 * the body. Advances `pointers` and uses up `n`.
 */
export function forEachElement(
  n: Local,
  widths: readonly (8 | Lanes)[],
  pointers: readonly Local[],
  body: (access: Access, half: number) => Code,
): Code {
  return widths.map((width) =>
    whileAtLeast(n, width, [
      width === 8 ? [0, 1].map((half) => body(accessOf(4, 16 * half), half)) : body(accessOf(width), 0),
      stepAll(pointers, 4 * width),
    ]),
  );
}

/** `store`; with `accumulate` the value is added to what is there. */
export function put({ load, store }: Access, out: Local, value: Code, accumulate: boolean): Code {
  return store(out, accumulate ? f32x4.add(load(out), value) : value);
}

/** The routine that overwrites its output and the one that adds to it. */
export function bothModes<T>(define: (accumulate: boolean) => T) {
  return { set: define(false), add: define(true) };
}

/** The code for the elements at the pointers, with the scalars in all lanes. */
export type Body<Arrays extends number, Scalars extends number> = (
  access: Access,
  pointers: Repeat<Local, Arrays>,
  scalars: Repeat<Local, Scalars>,
  declare: Declare,
) => Code;

type LoopParams<Arrays extends number, Scalars extends number> = Integers<1, Integers<Arrays, Repeat<'f32', Scalars>>>;

/** (n, …arrays, …scalars): runs `body` for every element of Float32 arrays. */
export function defineLoop<Arrays extends number, Scalars extends number>(
  module: Assembler,
  arrays: Arrays,
  scalars: Scalars,
  body: Body<Arrays, Scalars>,
): Handle<LoopParams<Arrays, Scalars>, null> {
  const { params } = taking(1 + arrays, ...new Array<'f32'>(scalars).fill('f32'));
  return module.define({ params: params as LoopParams<Arrays, Scalars>, result: null }, (locals, declare) => {
    const [n, ...others] = locals as readonly Local[];
    const pointers = others.slice(0, arrays) as readonly Local[] as Repeat<Local, Arrays>;
    const vectors = variables(declare, 'v128', scalars);
    return [
      (vectors as readonly Local[]).map((vector, i) => vector.set(f32x4.splat(others[arrays + i]))),
      forEachElement(n, [8, 4, 1], pointers, (access) => body(access, pointers, vectors, declare)),
    ];
  });
}

/** clear(at, bytes): zeros. */
export function defineClear(module: Assembler) {
  return module.define(taking(2), ([at, bytes]) => i32.fill(at, 0, bytes));
}

/** Advances every pointer by the same number of bytes. */
export function stepAll(pointers: readonly Local[], bytes: number): Code {
  return pointers.map((pointer) => pointer.step(bytes));
}

/** The address of element `index` of an array of four-byte elements. */
export function element(array: Code, index: Code): Code {
  return i32.add(array, i32.shiftLeft(index, 2));
}

/** The same for elements of eight bytes. */
export function element64(array: Code, index: Code): Code {
  return i32.add(array, i32.shiftLeft(index, 3));
}

/** The address of row i of a matrix. */
export function rowOf(pointer: Code, stride: Code, i: number): Code {
  return i32.add(pointer, i32.multiply(stride, i));
}

/** How many entries the CSR row has whose start is at this address. */
export function entriesOf(start: Code): Code {
  return i32.subtract(i32.load(start, 4), i32.load(start));
}

/** Runs `body` for every row of a CSR matrix with `entries` set to its number of entries; uses up `rows` and `starts`. */
export function forEachRow(rows: Local, starts: Local, entries: Local, body: Code): Code {
  return whileAtLeast(rows, 1, [entries.set(entriesOf(starts)), body, starts.step(4)]);
}

/** sum ← sum + a·b, of floats. */
export function addProduct(sum: Local, a: Code, b: Code): Code {
  return sum.set(f32x4.add(sum, f32x4.multiply(a, b)));
}

/** sum ← sum + a·b, of doubles. */
export function addProduct64(sum: Local, a: Code, b: Code): Code {
  return sum.set(f64x2.add(sum, f64x2.multiply(a, b)));
}

/** Sets sums of doubles to 0. */
export function clearSums(sums: readonly Local[]): Code {
  return sums.map((sum) => sum.set(f64x2.splat(f64.constant(0))));
}

/** sum ← the total of its four floats, in lane 0. */
export function addLanes(sum: Local): Code {
  return [
    sum.set(f32x4.add(sum, v128.shuffle(sum, sum, [2, 3, 0, 1]))),
    sum.set(f32x4.add(sum, v128.shuffle(sum, sum, [1, 0, 3, 2]))),
  ];
}

/** The total of two doubles. */
export function total(sum: Local): Code {
  return f64.add(f64x2.firstLane(sum), f64x2.secondLane(sum));
}
