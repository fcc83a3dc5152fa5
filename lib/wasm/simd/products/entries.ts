/** Loops over the entries of compressed rows. An address of a column index is all that moves: values follow from it. */

import type { Code, Declare, Local } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { doWhile, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import type { Vectors } from './vectors.ts';

/** How many entries a loop takes at a time. */
export type GroupSize = 8 | 4 | 2 | 1;

/** A position in the entries of a matrix. */
export class Entries {
  /** The address of the column index of the next entry. */
  readonly column: Local;
  /** The address after the last column index of the row, or of what is summed of it. */
  readonly end: Local;
  /** The address of the value of the next entry, within the body of `forEachGroup`. */
  readonly value: Local;
  readonly #vectors: Vectors;
  /** What makes the address of a column index that of its value. */
  readonly #toValue: Local;
  readonly #limit: Local;

  constructor(vectors: Vectors, column: Local, declare: Declare) {
    this.#vectors = vectors;
    this.column = column;
    [this.end, this.value, this.#toValue, this.#limit] = variables(declare, 'i32', 4);
  }

  /** Begins at `column` and at this address of its value. */
  begin(values: Local): Code {
    return this.#toValue.set(i32.subtract(values, this.#scaledColumn()));
  }

  /** Runs `body` for every row of a matrix with `end` at its end; uses up `rows` and `starts`. `body` must arrive there. */
  forEachRow(declare: Declare, rows: Local, starts: Local, body: Code): Code {
    const origin = declare('i32');
    return [
      origin.set(i32.subtract(this.column, i32.shiftLeft(i32.load(starts), 2))),
      whileAtLeast(rows, 1, [starts.step(4), this.end.set(i32.add(origin, i32.shiftLeft(i32.load(starts), 2))), body]),
    ];
  }

  /**
   * Runs `body` for all entries up to `end`: for groups of `largest` entries as long as there are so many, then at most once for each smaller power of two. A body
   * finds its entries from `column` and `value` on. Larger groups need fewer branches, which are most of the cost of short rows.
   */
  forEachGroup(largest: GroupSize, body: (size: GroupSize) => Code): Code {
    const { column, end } = this;
    const run = (size: GroupSize): Code => [
      this.value.set(i32.add(this.#scaledColumn(), this.#toValue)),
      body(size),
      column.step(4 * size),
    ];
    const smaller = ([4, 2, 1] as const).filter((size) => size < largest);
    return [
      this.#limit.set(i32.subtract(end, 4 * largest)),
      // An empty array has the address 0, below which there is no limit: so the first comparison is one of lengths.
      when(
        i32.atLeast(i32.subtract(end, column), 4 * largest),
        doWhile(run(largest), i32.atMostUnsigned(column, this.#limit)),
      ),
      // What is left is less than `largest`, so its bits are the sizes of the groups.
      smaller.length > 0 ? this.#limit.set(i32.subtract(end, column)) : [],
      smaller.map((size) => when(i32.and(this.#limit, 4 * size), run(size))),
    ];
  }

  #scaledColumn(): Code {
    return this.#vectors.bytes === 4 ? this.column : i32.shiftLeft(this.column, 1);
  }
}
