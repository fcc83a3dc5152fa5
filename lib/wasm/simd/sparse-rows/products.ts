/** Routines that multiply listed rows of a Float32 CSR matrix by a dense one, several rows at a time. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { definePack } from '../dense/layout.ts';
import { type Access, element, entriesOf, stepAll } from '../loops.ts';
import { csrWidths, pairSums, rowProduct } from '../sparse/sparse.ts';

/** The number of rows at a time. With more, sums and operands do not fit in registers. */
const rowsAtOnce = 3;

/** The number of columns of a panel of x. Most of a panel stays in the first-level cache. */
export const panelColumns = 16;

/** Blocks of columns, widest first. */
export const listedWidths = csrWidths.filter((width) => width <= panelColumns);

/**
 * A product is (count, list, starts, columns, values, x, xRow, bias, out, outRow, floor): out = rows list[0], list[1], … of
 * max(S·x + bias, floor), for a fixed number of columns of x. `columns` and `values` are those of the whole matrix.
 */
export function defineSparseRows(module: Assembler) {
  const pack = definePack(module, panelColumns);
  return {
    /** By the places of their widths in `listedWidths`. */
    products: listedWidths.map((width) =>
      module.define(taking(10, 'f32'), (locals, declare) => {
        const [, , , , , x, xRow, bias, out, outRow, floor] = locals;
        return listedProduct(width, declare, locals)(x, xRow, bias, out, outRow, floor);
      }),
    ),
    pairs: defineListedPairs(module),
    fetch: defineFetch(module),
    pack,
    panels: definePanelProduct(module, pack),
  };
}

/**
 * (count, list, starts, columns, values, x, bias, biasStep, out, row, rows, panels, panel, panelStep, floor): the same for
 * `panels` panels of `panelColumns` columns of x and out, whose rows have `row` bytes. For each panel, `rows` rows of x are first
 * copied to `panel`, contiguously; rows = 0 if they are there already. The next panel is panelStep bytes further. biasStep is 0
 * if zeros replace the bias, else the number of bytes of the bias of one panel.
 */
function definePanelProduct(module: Assembler, pack: ReturnType<typeof definePack>) {
  const bytes = i32.constant(4 * panelColumns);
  return module.define(taking(14, 'f32'), (locals, declare) => {
    const [, , , , , x, bias, biasStep, out, row, rows, panels, panel, panelStep, floor] = locals;
    const product = listedProduct(panelColumns, declare, locals);
    return whileAtLeast(panels, 1, [
      pack.call(rows, x, row, panel),
      product(panel, bytes, bias, out, row, floor),
      [x, out].map((pointer) => pointer.advance(bytes)),
      bias.advance(biasStep),
      panel.advance(panelStep),
    ]);
  });
}

/** max(S·x + bias, floor) to `out`, for all listed rows. Its operands keep their values. */
function listedProduct(
  width: number,
  declare: Declare,
  [count, list, starts, columns, values]: readonly Local[],
): (x: Local, xRow: Code, bias: Local, out: Local, outRow: Local, floor: Local) => Code {
  const [left, place, entries, row, column, value, to] = variables(declare, 'i32', 7);
  const least = declare('v128');
  const product = rowProduct(width, declare);
  return (x, xRow, bias, out, outRow, floor) => {
    const finish = (sum: Code, { load }: Access): Code => f32x4.larger(f32x4.add(sum, load(bias)), least);
    return [
      left.set(count),
      place.set(list),
      to.set(out),
      least.set(f32x4.splat(floor)),
      whileAtLeast(left, 1, [
        row.set(element(starts, i32.load(place))),
        entries.set(entriesOf(row)),
        column.set(element(columns, i32.load(row))),
        value.set(element(values, i32.load(row))),
        product(entries, column, value, x, xRow, () => f32x4.constant(0), to, finish),
        place.step(4),
        to.advance(outRow),
      ]),
    ];
  };
}

/**
 * (count, list, starts, columns, values): prefetches every cache line of the listed rows, which can be anywhere in memory.
 * Waiting for many reads at once takes less time than for one after the other. The result has no meaning.
 */
function defineFetch(module: Assembler) {
  const line = 64;
  return module.define({ ...taking(5), result: 'i32' }, ([count, list, starts, columns, values], declare) => {
    const [row, at, left, seen] = variables(declare, 'i32', 4);
    const touch = (array: Local): Code => seen.set(i32.xor(seen, i32.load(i32.add(array, at))));
    return [
      whileAtLeast(count, 1, [
        row.set(element(starts, i32.load(list))),
        at.set(i32.shiftLeft(i32.load(row), 2)),
        left.set(i32.subtract(i32.shiftLeft(i32.load(row, 4), 2), at)),
        whileAtLeast(left, 1, [[columns, values].map(touch), at.step(line), left.step(1 - line)]),
        list.step(4),
      ]),
      seen,
    ];
  });
}

/**
 * The product of width 2 for an x of two columns and no more, the same to the last bit. Rows from anywhere in a matrix that is larger
 * than the nearer caches come too late when they are read one after the other: several are read side by side, four entries of each
 * in alternation, as long as all have as many. Addresses are shifted: a product waits for one port.
 */
function defineListedPairs(module: Assembler) {
  return module.define(taking(10, 'f32'), (locals, declare) => {
    const [count, list, starts, columns, values, x, , bias, out, outRow, floor] = locals;
    const at = variables(declare, 'i32', rowsAtOnce);
    const left = variables(declare, 'i32', rowsAtOnce);
    const sums = at.map(() => variables(declare, 'v128', 2));
    const [toValues, rounds, some, row] = variables(declare, 'i32', 4);
    const [value, least] = variables(declare, 'v128', 2);
    const source = (column: Code): Code => i32.add(x, i32.shiftLeft(column, 3));
    const rows = at.map((pointer, r) => pairSums(sums[r], value, pointer, i32.add(pointer, toValues), source));
    const [first] = rows;
    return [
      toValues.set(i32.subtract(values, columns)),
      least.set(f32x4.splat(floor)),
      whileAtLeast(count, 1, [
        at.map((pointer, r) =>
          when(
            i32.lessThan(r, count),
            [
              row.set(element(starts, i32.load(list, 4 * r))),
              left[r].set(entriesOf(row)),
              pointer.set(element(columns, i32.load(row))),
            ],
            left[r].set(i32.constant(0)),
          ),
        ),
        sums.flat().map((sum) => sum.set(f32x4.constant(0))),
        rounds.set(i32.shiftRight(left.slice(1).reduce<Code>(smaller, left[0]), 2)),
        left.map((entries) => entries.set(i32.subtract(entries, i32.shiftLeft(rounds, 2)))),
        whileAtLeast(rounds, 1, [rows.map(({ addFour }) => addFour), stepAll(at, 16)]),
        some.set(smaller(count, rowsAtOnce)),
        list.step(4 * rowsAtOnce),
        count.advance(i32.subtract(1, some)),
        // Finish the first row, then move the others up.
        whileAtLeast(some, 1, [
          whileAtLeast(left[0], 4, [first.addFour, at[0].step(16)]),
          whileAtLeast(left[0], 1, [first.addOne, at[0].step(4)]),
          v128.storeTwo(out, f32x4.larger(f32x4.add(first.total, v128.loadTwo(bias)), least)),
          out.advance(outRow),
          [at, left, ...sums[0].map((_, h) => sums.map((chain) => chain[h]))].map(moveUp),
        ]),
      ]),
    ];
  });
}

/** Sets each local except the last to the value of the next. */
function moveUp(locals: readonly Local[]): Code {
  return locals.slice(1).map((next, r) => locals[r].set(next));
}

function smaller(a: Code, b: Code): Code {
  return i32.select(a, b, i32.lessThan(a, b));
}
