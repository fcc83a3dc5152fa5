/** Loops over the columns of a row, in pairs of Float64, for any number of columns and for rows of either precision. */

import type { Code, Declare, Local } from '../assembler/assembler.ts';
import * as f64x2 from '../assembler/instructions/f64x2.ts';
import * as i32 from '../assembler/instructions/i32.ts';
import * as v128 from '../assembler/instructions/v128.ts';
import { whileAtLeast } from '../assembler/statements.ts';
import type { Access } from './loops.ts';

/** The bytes of a number: Float32 or Float64. */
export type Bytes = 4 | 8;

/** One of something for each precision. */
export function byBytes<T>(make: (bytes: Bytes) => T): Record<Bytes, T> {
  return { 4: make(4), 8: make(8) };
}

/** The number of columns of a pair: the last one of an odd number stands alone. */
export type Pair = 2 | 1;

/** Columns of a row `offset` columns behind the pointer, as Float64: Float32 is widened when it is read. */
export function loadPair(bytes: Bytes, pair: Pair, pointer: Code, offset = 0): Code {
  if (bytes === 8) return (pair === 2 ? v128.load : v128.loadTwo)(pointer, 8 * offset);
  return f64x2.fromLower((pair === 2 ? v128.loadTwo : v128.loadOne)(pointer, 4 * offset));
}

/** Writes a pair. What goes into a Float32 row must have been rounded by `f64x2.toLower`. */
export function storePair(bytes: Bytes, pair: Pair, pointer: Code, value: Code, offset = 0): Code {
  if (bytes === 8) return (pair === 2 ? v128.store : v128.storeTwo)(pointer, value, 8 * offset);
  return (pair === 2 ? v128.storeTwo : v128.storeOne)(pointer, value, 4 * offset);
}

/** Number `index` of a row in both lanes, as Float64. */
export function loadTwice(bytes: Bytes, pointer: Code, index = 0): Code {
  return bytes === 8 ? v128.loadSplat64(pointer, 8 * index) : f64x2.fromLower(v128.loadSplat(pointer, 4 * index));
}

/** The columns of a row in pairs, as Float64. What goes into a Float32 row must have been rounded. */
export function pairsOf(width: number, bytes: Bytes = 8): Access[] {
  return Array.from({ length: Math.ceil(width / 2) }, (_, h) => {
    const pair = 2 * h + 2 <= width ? 2 : 1;
    return {
      load: (pointer) => loadPair(bytes, pair, pointer, 2 * h),
      store: (pointer, value) => storePair(bytes, pair, pointer, value, 2 * h),
    };
  });
}

/** What a loop over rows does at the beginning and at the end of each. */
interface RowPart {
  readonly begin: Code;
  readonly end: Code;
}

/** The rows of a matrix of which a loop visits all columns. */
export interface Cursor extends RowPart {
  readonly pointer: Local;
  readonly bytes: Bytes;
  load(pair: Pair): Code;
  /** Rounds where rows are Float32. */
  store(pair: Pair, value: Code): Code;
}

/** Rows one after the other, unless `begin` sets the pointer. */
export function contiguousRows(pointer: Local, bytes: Bytes, begin: Code = [], end: Code = []): Cursor {
  return {
    pointer,
    bytes,
    begin,
    end,
    load: (pair) => loadPair(bytes, pair, pointer),
    store: (pair, value) => storePair(bytes, pair, pointer, bytes === 4 ? f64x2.toLower(value) : value),
  };
}

/** Rows that are `stride` bytes apart, from `row` on. */
export function stridedRows(declare: Declare, row: Local, stride: Local, bytes: Bytes = 8): Cursor {
  const pointer = declare('i32');
  return contiguousRows(pointer, bytes, pointer.set(row), row.advance(stride));
}

/** The rows of x[·×columns] that `list` names. */
export function listedRows(declare: Declare, x: Local, list: Local, columns: Local, bytes: Bytes): Cursor {
  const pointer = declare('i32');
  const row = i32.add(x, i32.multiply(i32.load(list), i32.multiply(columns, bytes)));
  return contiguousRows(pointer, bytes, pointer.set(row), list.step(4));
}

/** `value` ← the number of a row in both lanes. The Float64 numbers of rows are `step` bytes apart. */
export function rowFactor(value: Local, factors: Local, step: Code): RowPart {
  return { begin: value.set(v128.loadSplat64(factors)), end: factors.advance(step) };
}

/** Runs `body` for all columns of `count` rows, two at a time, then one. */
export function forEachRowPair(
  declare: Declare,
  count: Local,
  columns: Local,
  cursors: readonly Cursor[],
  body: (pair: Pair) => Code,
  ...others: readonly RowPart[]
): Code {
  const left = declare('i32');
  const parts = [...others, ...cursors];
  return whileAtLeast(count, 1, [
    parts.map(({ begin }) => begin),
    left.set(columns),
    ([2, 1] as const).map((pair) =>
      whileAtLeast(left, pair, [body(pair), cursors.map(({ pointer, bytes }) => pointer.step(bytes * pair))]),
    ),
    parts.map(({ end }) => end),
  ]);
}
