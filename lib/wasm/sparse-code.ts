/** Which instructions multiply a Float32 CSR matrix by a dense one? Columns of the dense matrix in blocks that stay in registers. */

import { type Assembler, type Declare, taking, variables, when, whileAtLeast } from './assembler.ts';
import type { Code, Local } from './code.ts';
import * as f32x4 from './instructions/f32x4.ts';
import * as f64 from './instructions/f64.ts';
import * as f32 from './instructions/f32.ts';
import * as i32 from './instructions/i32.ts';
import * as v128 from './instructions/v128.ts';
import { definePack } from './layout-code.ts';

/** Blocks of columns, widest first: any width is a sum of these. */
export const csrWidths = [32, 16, 8, 7, 6, 5, 4, 3, 2, 1] as const;

/** The place of the widest block that fits. */
export function blockFor(width: number): number {
  return csrWidths.findIndex((block) => block <= width);
}

export function defineSparse(module: Assembler): void {
  defineProducts(module);
  for (const width of csrWidths) defineTransposed(module, width);
  defineRowSums(module);
}

/**
 * csr{width}(rows, starts, columns, values, x, xRow, c, cRow, out, outRow): out = c + S·x on `width` columns of x.
 * columns and values point at the first entry of the first row; strides in bytes.
 */
function defineProducts(module: Assembler): void {
  for (const width of csrWidths) {
    module.define(`csr${width}`, taking(10), (locals, declare) => {
      const [rows, starts, columns, values, x, xRow, c, cRow, out, outRow] = locals;
      const entries = declare('i32');
      const product = width === 2 ? productOfTwo(declare) : productOf(width, declare);
      const start = (lanes: Lanes, offset: number): Code => v128.loadLanes[lanes](c, offset);
      return forEachRow(rows, starts, entries, [
        product(entries, columns, values, x, xRow, start, out, (sum) => sum),
        c.advance(cRow),
        out.advance(outRow),
      ]);
    });
  }
}

/** Columns of x that are copied together before a product of listed rows. */
export const panelColumns = 32;

/**
 * csrRows{width}(count, list, starts, columns, values, x, xRow, bias, out, outRow, rows, panel, floor): out = rows
 * list[0], list[1], … of max(S·x + bias, floor) on `width` columns of x, with columns and values of the whole matrix.
 * csrRowsPanel copies its columns of so many rows of x to `panel` first, where they lie without gaps.
 */
export function defineListedProducts(module: Assembler): void {
  const pack = definePack(module, panelColumns);
  defineListedPairs(module);
  for (const width of csrWidths) {
    const listed = module.define(`csrRows${width}`, taking(12, 'f32'), (locals, declare) => {
      const [count, list, starts, columns, values, x, xRow, bias, out, outRow, , , floor] = locals;
      const [entries, row, column, value] = variables(declare, 'i32', 4);
      const least = declare('v128');
      const product = width === 2 ? productOfTwo(declare) : productOf(width, declare);
      const finish = (sum: Code, lanes: Lanes, offset: number): Code =>
        f32x4.larger(f32x4.add(sum, v128.loadLanes[lanes](bias, offset)), least);
      return [
        least.set(f32x4.splat(floor)),
        whileAtLeast(count, 1, [
          row.set(i32.add(starts, i32.multiply(i32.load(list), i32.constant(4)))),
          entries.set(i32.subtract(i32.load(row, 4), i32.load(row))),
          row.set(i32.multiply(i32.load(row), i32.constant(4))),
          column.set(i32.add(columns, row)),
          value.set(i32.add(values, row)),
          product(entries, column, value, x, xRow, () => f32x4.constant(0), out, finish),
          list.step(4),
          out.advance(outRow),
        ]),
      ];
    });
    if (width !== panelColumns) continue;
    module.define('csrRowsPanel', taking(12, 'f32'), (locals) => {
      const [count, list, starts, columns, values, x, xRow, bias, out, outRow, rows, panel, floor] = locals;
      const stride = i32.constant(4 * width);
      return [
        pack(rows, x, xRow, panel),
        listed(count, list, starts, columns, values, panel, stride, bias, out, outRow, rows, panel, floor),
      ];
    });
  }
}

type Lanes = 1 | 2 | 4;

/** A row segment of 1 … 32 floats as vectors of four, then two, then one. */
function parts(width: number): { offset: number; lanes: Lanes }[] {
  const result: { offset: number; lanes: Lanes }[] = [];
  let offset = 0;
  for (const lanes of [4, 2, 1] as const) {
    for (; width - offset >= lanes; offset += lanes) result.push({ offset: 4 * offset, lanes });
  }
  return result;
}

/** Runs `body` for every row with `entries` set to its number of entries; starts is left one row further. */
function forEachRow(rows: Local, starts: Local, entries: Local, body: Code): Code {
  return whileAtLeast(rows, 1, [
    entries.set(i32.subtract(i32.load(starts, 4), i32.load(starts))),
    body,
    starts.step(4),
  ]);
}

/** One row of the product, out = finish(start + row·x); columns and values are left at its end, entries at 0. */
type RowProduct = (
  entries: Local,
  columns: Local,
  values: Local,
  x: Local,
  xRow: Local,
  start: (lanes: Lanes, offset: number) => Code,
  out: Local,
  finish: (sum: Code, lanes: Lanes, offset: number) => Code,
) => Code;

/** Narrow blocks sum even and odd entries apart: a single chain of additions would wait for itself. */
function productOf(width: number, declare: Declare): RowProduct {
  const pieces = parts(width);
  const sums = Array.from({ length: width <= 8 ? 2 : 1 }, () => variables(declare, 'v128', pieces.length));
  const value = declare('v128');
  const source = declare('i32');
  const [first, ...others] = sums;
  return (entries, columns, values, x, xRow, start, out, finish) => {
    const entry = (chain: Local[], index: number): Code => [
      value.set(v128.loadSplat(values, 4 * index)),
      source.set(i32.add(x, i32.multiply(i32.load(columns, 4 * index), xRow))),
      pieces.map(({ offset, lanes }, i) =>
        chain[i].set(f32x4.add(chain[i], f32x4.multiply(value, v128.loadLanes[lanes](source, offset)))),
      ),
    ];
    const take = (chains: Local[][]): Code =>
      whileAtLeast(entries, chains.length, [
        chains.map(entry),
        [columns, values].map((pointer) => pointer.step(4 * chains.length)),
      ]);
    return [
      pieces.map(({ offset, lanes }, i) => first[i].set(start(lanes, offset))),
      others.flat().map((sum) => sum.set(f32x4.constant(0))),
      others.length > 0 ? take(sums) : [],
      take([first]),
      pieces.map(({ offset, lanes }, i) => {
        const sum = others.reduce<Code>((all, chain) => f32x4.add(all, chain[i]), first[i]);
        return v128.storeLanes[lanes](out, finish(sum, lanes, offset), offset);
      }),
    ];
  };
}

/** Four entries a turn, two to a vector, in two independent sums. */
function productOfTwo(declare: Declare): RowProduct {
  const sums = variables(declare, 'v128', 2);
  const value = declare('v128');
  return (entries, columns, values, x, xRow, start, out, finish) => {
    const source = (column: Code): Code => i32.add(x, i32.multiply(column, xRow));
    const advance = (count: number): Code => [columns, values].map((pointer) => pointer.step(4 * count));
    return [
      sums[0].set(start(2, 0)),
      sums[1].set(f32x4.constant(0)),
      whileAtLeast(entries, 4, [addFour(sums, value, columns, values, source), advance(4)]),
      whileAtLeast(entries, 1, [addOne(sums, columns, values, source), advance(1)]),
      v128.storeTwo(out, finish(sumOfTwo(sums), 2, 0)),
    ];
  };
}

/** sums += the next four entries of a row times the two columns of x at their sources. */
function addFour(sums: Local[], value: Local, columns: Local, values: Code, source: (column: Code) => Code): Code {
  const at = (entry: number): Code => source(i32.load(columns, 4 * entry));
  return [
    value.set(v128.load(values)),
    sums.map((sum, h) => {
      const twice = v128.shuffle(value, value, h === 0 ? [0, 0, 1, 1] : [2, 2, 3, 3]);
      const pair = v128.loadUpper(at(2 * h + 1), v128.loadTwo(at(2 * h)));
      return sum.set(f32x4.add(sum, f32x4.multiply(twice, pair)));
    }),
  ];
}

function addOne([sum]: Local[], columns: Local, values: Code, source: (column: Code) => Code): Code {
  const pair = v128.loadTwo(source(i32.load(columns)));
  return sum.set(f32x4.add(sum, f32x4.multiply(v128.loadSplat(values), pair)));
}

/** Both halves of both sums, in the lower half. */
function sumOfTwo([first, second]: Local[]): Code {
  return [first.set(f32x4.add(first, second)), f32x4.add(first, v128.shuffle(first, first, [2, 3, 2, 3]))];
}

/** So many rows at a time: with more, sums and what is loaded for them no longer fit in registers. */
const rowsAtOnce = 3;

/**
 * csrRowsPair: csrRows2 for an x of two columns and no more, and the same to the last bit. Rows from anywhere in a matrix
 * that is larger than the nearer caches come too late when they are read one after the other: several are read side by
 * side, four entries of each in turn, as long as all have as many. Addresses are shifted: a product waits for one port.
 */
function defineListedPairs(module: Assembler): void {
  module.define('csrRowsPair', taking(12, 'f32'), (locals, declare) => {
    const [count, list, starts, columns, values, x, , bias, out, outRow, , , floor] = locals;
    const at = variables(declare, 'i32', rowsAtOnce);
    const left = variables(declare, 'i32', rowsAtOnce);
    const sums = at.map(() => variables(declare, 'v128', 2));
    const [toValues, turns, some, row] = variables(declare, 'i32', 4);
    const [value, least] = variables(declare, 'v128', 2);
    const source = (column: Code): Code => i32.add(x, i32.shiftLeft(column, 3));
    const valuesOf = (r: number): Code => i32.add(at[r], toValues);
    const four = (r: number): Code => addFour(sums[r], value, at[r], valuesOf(r), source);
    return [
      toValues.set(i32.subtract(values, columns)),
      least.set(f32x4.splat(floor)),
      whileAtLeast(count, 1, [
        at.map((pointer, r) =>
          when(
            i32.lessThan(i32.constant(r), count),
            [
              row.set(i32.add(starts, i32.shiftLeft(i32.load(list, 4 * r), 2))),
              left[r].set(i32.subtract(i32.load(row, 4), i32.load(row))),
              pointer.set(i32.add(columns, i32.shiftLeft(i32.load(row), 2))),
            ],
            left[r].set(i32.constant(0)),
          ),
        ),
        sums.flat().map((sum) => sum.set(f32x4.constant(0))),
        turns.set(i32.shiftRight(left.slice(1).reduce<Code>(smaller, left[0]), 2)),
        left.map((entries) => entries.set(i32.subtract(entries, i32.shiftLeft(turns, 2)))),
        whileAtLeast(turns, 1, [at.map((_, r) => four(r)), at.map((pointer) => pointer.step(16))]),
        some.set(smaller(count, i32.constant(rowsAtOnce))),
        list.step(4 * rowsAtOnce),
        count.advance(i32.subtract(i32.constant(1), some)),
        // The rest of the first, and then the others move up.
        whileAtLeast(some, 1, [
          whileAtLeast(left[0], 4, [four(0), at[0].step(16)]),
          whileAtLeast(left[0], 1, [addOne(sums[0], at[0], valuesOf(0), source), at[0].step(4)]),
          v128.storeTwo(out, f32x4.larger(f32x4.add(sumOfTwo(sums[0]), v128.loadTwo(bias)), least)),
          out.advance(outRow),
          [at, left, ...sums[0].map((_, h) => sums.map((chain) => chain[h]))].map(moveUp),
        ]),
      ]),
    ];
  });
}

/** Every local but the last becomes what the next one is. */
function moveUp(locals: Local[]): Code {
  return locals.slice(1).map((next, r) => locals[r].set(next));
}

function smaller(a: Code, b: Code): Code {
  return i32.select(a, b, i32.lessThan(a, b));
}

/** csrT{width}(rows, starts, columns, values, x, xRow, out, outRow): out += Sᵀ·x on `width` columns of x. */
function defineTransposed(module: Assembler, width: number): void {
  module.define(`csrT${width}`, taking(8), (locals, declare) => {
    const [rows, starts, columns, values, x, xRow, out, outRow] = locals;
    const pieces = parts(width);
    const row = variables(declare, 'v128', pieces.length);
    const value = declare('v128');
    const [entries, target] = variables(declare, 'i32', 2);
    return forEachRow(rows, starts, entries, [
      pieces.map(({ offset, lanes }, i) => row[i].set(v128.loadLanes[lanes](x, offset))),
      whileAtLeast(entries, 1, [
        value.set(v128.loadSplat(values)),
        target.set(i32.add(out, i32.multiply(i32.load(columns), outRow))),
        pieces.map(({ offset, lanes }, i) =>
          v128.storeLanes[lanes](
            target,
            f32x4.add(v128.loadLanes[lanes](target, offset), f32x4.multiply(value, row[i])),
            offset,
          ),
        ),
        [columns, values].map((pointer) => pointer.step(4)),
      ]),
      x.advance(xRow),
    ]);
  });
}

/** csrRowSums(rows, starts, values, out), summed in Float64. */
function defineRowSums(module: Assembler): void {
  module.define('csrRowSums', taking(4), ([rows, starts, values, out], declare) => {
    const entries = declare('i32');
    const sum = declare('f64');
    return forEachRow(rows, starts, entries, [
      sum.set(f64.constant(0)),
      whileAtLeast(entries, 1, [sum.set(f64.add(sum, f64.fromF32(f32.load(values)))), values.step(4)]),
      f64.store(out, sum),
      out.step(8),
    ]);
  });
}
