/** Solutions with the panels of a sparse factor, panel by panel: routines. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { repeat, taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { element64, entriesOf } from '../loops.ts';
import { defineDot, defineRowDots, defineScale, defineSubtract } from '../vectors/vectors.ts';

/** The numbers of a panel that a solve needs, and the rows of x below it. */
function panelOf(declare: Declare, first: Local, heights: Local, rows: Local, x: Local, work: Local) {
  /** The number of columns, the height in bytes, how many rows are below, and where the columns are in x. */
  const [columns, height, below, own] = variables(declare, 'i32', 4);
  const [left, row, at] = variables(declare, 'i32', 3);
  const place = element64(x, i32.load(row));
  const forRows = (body: Code): Code => [
    row.set(rows),
    at.set(work),
    repeat(left, below, [body, row.step(4), at.step(8)]),
  ];
  return {
    columns,
    height,
    below,
    own,
    open: [
      columns.set(entriesOf(first)),
      below.set(i32.subtract(i32.load(heights), columns)),
      height.set(i32.shiftLeft(i32.load(heights), 3)),
      own.set(element64(x, i32.load(first))),
    ],
    gather: forRows(f64.store(at, f64.load(place))),
    scatter: forRows(f64.store(place, f64.load(at))),
  };
}

/**
 * lower(count, first, heights, rows, panels, x, work) and upper(count, first, heights, rows, panels, x, work, sums): the solves. `upper`
 * starts at the last panel, with pointers to its entries of `first` and `heights`, to the end of `rows` and to that of `panels`.
 */
export function defineSolves(module: Assembler) {
  const scale = defineScale(module, true);
  const subtract = defineSubtract(module);
  const dot = defineDot(module);
  const dots = defineRowDots(module);
  const negative = (at: Code): Code => f64.subtract(f64.constant(0), f64.load(at));

  const lower = module.define(taking(7), ([count, first, heights, rows, panels, x, work], declare) => {
    const { columns, height, below, own, open, gather, scatter } = panelOf(declare, first, heights, rows, x, work);
    const [left, at, by] = variables(declare, 'i32', 3);
    return whileAtLeast(count, 1, [
      open,
      gather,
      // The triangle, column by column.
      at.set(panels),
      by.set(own),
      repeat(left, columns, [
        at.step(8),
        scale.call(i32.subtract(left, 1), at, i32.add(by, 8), negative(by)),
        at.advance(height),
        by.step(8),
      ]),
      // The rows below it, four columns at a time.
      left.set(columns),
      at.set(element64(panels, columns)),
      by.set(own),
      whileAtLeast(left, 4, [
        subtract.call(below, by, at, height, work),
        at.advance(i32.shiftLeft(height, 2)),
        by.step(32),
      ]),
      whileAtLeast(left, 1, [scale.call(below, at, work, negative(by)), at.advance(height), by.step(8)]),
      scatter,
      panels.advance(i32.multiply(height, columns)),
      rows.advance(i32.shiftLeft(below, 2)),
      first.step(4),
      heights.step(4),
    ]);
  });

  const upper = module.define(taking(8), ([count, first, heights, rows, panels, x, work, sums], declare) => {
    const { columns, height, below, own, open, gather } = panelOf(declare, first, heights, rows, x, work);
    const [left, at, by, last] = variables(declare, 'i32', 4);
    const reduce = (to: Local, value: Code, offset = 0): Code =>
      f64.store(to, f64.subtract(f64.load(to, offset), value), offset);
    return whileAtLeast(count, 1, [
      open,
      panels.set(i32.subtract(panels, i32.multiply(height, columns))),
      rows.set(i32.subtract(rows, i32.shiftLeft(below, 2))),
      gather,
      left.set(columns),
      at.set(element64(panels, columns)),
      by.set(own),
      whileAtLeast(left, 4, [
        [0, 8, 16, 24].map((offset) => f64.store(sums, f64.constant(0), offset)),
        dots.call(below, at, height, work, sums),
        [0, 8, 16, 24].map((offset) => reduce(by, f64.load(sums, offset), offset)),
        at.advance(i32.shiftLeft(height, 2)),
        by.step(32),
      ]),
      whileAtLeast(left, 1, [reduce(by, dot.call(below, at, work)), at.advance(height), by.step(8)]),
      // The triangle, from the last column to the first: `by` is behind it, and `at` behind its diagonal entry.
      at.set(element64(i32.add(panels, i32.multiply(height, i32.subtract(columns, 1))), columns)),
      repeat(left, columns, [
        last.set(i32.subtract(by, 8)),
        reduce(last, dot.call(i32.subtract(columns, left), at, by)),
        by.step(-8),
        at.set(i32.subtract(i32.subtract(at, height), 8)),
      ]),
      first.step(-4),
      heights.step(-4),
    ]);
  });
  return { lower, upper };
}
