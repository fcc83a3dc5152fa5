/** Loops over the columns of a row, in pairs of Float64, for any number of columns and for rows of either precision. */

import type { Code, Local } from '../assembler/assembler.ts';
import * as f64x2 from '../assembler/instructions/f64x2.ts';
import * as v128 from '../assembler/instructions/v128.ts';
import { whileAtLeast } from '../assembler/statements.ts';

/** The bytes of a number: Float32 or Float64. */
export type Bytes = 4 | 8;

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

/** A row of which a loop visits all columns. */
export class Cursor {
  readonly bytes: Bytes;
  readonly pointer: Local;

  constructor(pointer: Local, bytes: Bytes = 8) {
    this.pointer = pointer;
    this.bytes = bytes;
  }

  load(pair: Pair): Code {
    return loadPair(this.bytes, pair, this.pointer);
  }

  /** Rounds where the row is Float32. */
  store(pair: Pair, value: Code): Code {
    return storePair(this.bytes, pair, this.pointer, this.bytes === 4 ? f64x2.toLower(value) : value);
  }
}

/** Runs `body` for all columns, two at a time, then one. Advances the cursors and uses up `columns`. */
export function forEachPair(columns: Local, cursors: readonly Cursor[], body: (pair: Pair) => Code): Code {
  return ([2, 1] as const).map((pair) =>
    whileAtLeast(columns, pair, [body(pair), cursors.map(({ pointer, bytes }) => pointer.step(bytes * pair))]),
  );
}
