/** Vectors of either precision: their instructions, and columns of a row as vectors. */

import type { Code, Local } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { type Bytes, pairsOf } from '../columns.ts';
import { type Access, piecesOf } from '../loops.ts';

/** What code of either precision needs. */
export interface Vectors {
  readonly bytes: Bytes;
  /** The base-2 logarithm of `bytes`. */
  readonly shift: 2 | 3;
  /** Numbers of a vector. */
  readonly lanes: 4 | 2;
  add(a: Code, b: Code): Code;
  multiply(a: Code, b: Code): Code;
  /** a·b + c, for products with several columns. With one, a fused instruction would gain nothing. */
  multiplyAdd(a: Code, b: Code, c: Code): Code;
  /** A number in all lanes. */
  loadSplat(address: Code, offset?: number): Code;
  /** A number in lane 0, then zeros. */
  loadOne(address: Code, offset?: number): Code;
  storeOne(address: Code, value: Code, offset?: number): Code;
  /** Writes lane `lane` of a vector. */
  storeLane(address: Code, value: Code, lane: number): Code;
  /** The columns of a row. */
  pieces(width: number): Access[];
  /** One vector of numbers x[columns[k]], for as many k as there are lanes, from place `first` on. */
  gather(x: Local, columns: Local, first: number): Code;
}

export const singles: Vectors = {
  bytes: 4,
  shift: 2,
  lanes: 4,
  add: f32x4.add,
  multiply: f32x4.multiply,
  multiplyAdd: (a, b, c) => f32x4.add(c, f32x4.multiply(a, b)),
  loadSplat: v128.loadSplat,
  loadOne: v128.loadOne,
  storeOne: v128.storeOne,
  storeLane: (address, value, lane) => v128.storeLane(address, value, lane),
  pieces: piecesOf,
  /** Two pairs, which do not wait for each other. */
  gather: (x, columns, first) => {
    const pair = (k: number): Code =>
      v128.loadLane(addressOf(x, columns, k + 1, 2), v128.loadOne(addressOf(x, columns, k, 2)), 1);
    return v128.shuffle(pair(first), pair(first + 2), [0, 1, 4, 5]);
  },
};

export const doubles: Vectors = {
  bytes: 8,
  shift: 3,
  lanes: 2,
  add: f64x2.add,
  multiply: f64x2.multiply,
  multiplyAdd: (a, b, c) => f64x2.add(c, f64x2.multiply(a, b)),
  loadSplat: v128.loadSplat64,
  loadOne: v128.loadTwo,
  storeOne: v128.storeTwo,
  storeLane: (address, value, lane) => v128.storeLane64(address, value, lane),
  pieces: (width) => pairsOf(width),
  gather: (x, columns, first) =>
    v128.loadUpper(addressOf(x, columns, first + 1, 3), v128.loadTwo(addressOf(x, columns, first, 3))),
};

/** The address of x[columns[k]]. */
export function addressOf(x: Local, columns: Local, k: number, shift: number): Code {
  return i32.add(x, i32.shiftLeft(i32.load(columns, 4 * k), shift));
}

/** sum ← sum + a·b. */
export function addTerm({ add, multiply }: Vectors, sum: Local, a: Code, b: Code): Code {
  return sum.set(add(sum, multiply(a, b)));
}

/** Advances columns and values by `count` entries. */
export function skipEntries({ bytes }: Vectors, columns: Local, values: Local, count: number): Code {
  return [columns.step(4 * count), values.step(bytes * count)];
}
