/** Products of a Float32 CSR matrix with blocks of columns of a dense one, which stay in registers: routines and twins. */

import * as plain from '../../../kernels/sparse.ts';
import type { Assembler, Code, Declare, Local, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input, input32, output32 } from '../../memory/marshal.ts';
import { layout } from '../../memory/memory.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { type Access, accessOf, addProduct, forEachRow, piecesOf, stepAll } from '../loops.ts';

/** Blocks of columns, widest first: any width is a sum of these. */
export const csrWidths = [32, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1] as const;

/** The index of the widest block that fits. */
export function blockFor(width: number, widths: readonly number[] = csrWidths): number {
  return widths.findIndex((block) => block <= width);
}

/** The routines take some rows of a matrix, with pointers to their first column and value. Strides are in bytes. */
export function defineSparse(module: Assembler) {
  return {
    /** By the places of their widths in `csrWidths`. */
    products: csrWidths.map((width) => defineProduct(module, width)),
  };
}

/** (rows, starts, columns, values, x, xRow, c, cRow, out, outRow): out = c + S·x on `width` columns of x. */
function defineProduct(module: Assembler, width: number) {
  return module.define(taking(10), (locals, declare) => {
    const [rows, starts, columns, values, x, xRow, c, cRow, out, outRow] = locals;
    const entries = declare('i32');
    const product = rowProduct(width, declare);
    return forEachRow(rows, starts, entries, [
      product(
        entries,
        columns,
        values,
        x,
        xRow,
        ({ load }) => load(c),
        out,
        (sum) => sum,
      ),
      c.advance(cRow),
      out.advance(outRow),
    ]);
  });
}

/** One row of the product, out = finish(start + row·x); columns and values are left at its end, entries at 0. */
type RowProduct = (
  entries: Local,
  columns: Local,
  values: Local,
  x: Local,
  xRow: Code,
  start: (piece: Access) => Code,
  out: Local,
  finish: (sum: Code, piece: Access) => Code,
) => Code;

/** The product of a row with blocks of `width` columns. */
export function rowProduct(width: number, declare: Declare): RowProduct {
  return width === 2 ? productOfTwo(declare) : productOf(width, declare);
}

/**
 * Two entries per iteration where registers suffice, each in a sum of its own or added up before they are added to the sum: a
 * single chain of additions would wait for itself.
 */
function productOf(width: number, declare: Declare): RowProduct {
  const pieces = piecesOf(width);
  const isSplit = width < 16;
  const sums = Array.from({ length: isSplit ? 2 : 1 }, () => variables(declare, 'v128', pieces.length));
  const factors = variables(declare, 'v128', 2);
  const sources = variables(declare, 'i32', 2);
  const [first, ...others] = sums;
  return (entries, columns, values, x, xRow, start, out, finish) => {
    const look = (entry: number): Code => [
      factors[entry].set(v128.loadSplat(values, 4 * entry)),
      sources[entry].set(i32.add(x, i32.multiply(i32.load(columns, 4 * entry), xRow))),
    ];
    const term = (i: number, entry: number): Code => f32x4.multiply(factors[entry], pieces[i].load(sources[entry]));
    const add = (sum: Local, value: Code): Code => sum.set(f32x4.add(sum, value));
    const one = (chain: readonly Local[], entry: number): Code => [
      look(entry),
      chain.map((sum, i) => add(sum, term(i, entry))),
    ];
    const two = isSplit
      ? sums.map(one)
      : [look(0), look(1), first.map((sum, i) => add(sum, f32x4.add(term(i, 0), term(i, 1))))];
    const take = (count: number, body: Code): Code =>
      whileAtLeast(entries, count, [body, stepAll([columns, values], 4 * count)]);
    return [
      pieces.map((piece, i) => first[i].set(start(piece))),
      others.flat().map((sum) => sum.set(f32x4.constant(0))),
      isSplit || pieces.length <= 4 ? take(2, two) : [],
      take(1, one(first, 0)),
      pieces.map((piece, i) => {
        const sum = others.reduce<Code>((all, chain) => f32x4.add(all, chain[i]), first[i]);
        return piece.store(out, finish(sum, piece));
      }),
    ];
  };
}

/** Four entries per iteration, two to a vector, in two independent sums. */
function productOfTwo(declare: Declare): RowProduct {
  const sums = variables(declare, 'v128', 2);
  const value = declare('v128');
  const piece = accessOf(2);
  return (entries, columns, values, x, xRow, start, out, finish) => {
    const source = (column: Code): Code => i32.add(x, i32.multiply(column, xRow));
    const { addFour, addOne, total } = pairSums(sums, value, columns, values, source);
    const advance = (count: number): Code => stepAll([columns, values], 4 * count);
    return [
      sums[0].set(start(piece)),
      sums[1].set(f32x4.constant(0)),
      whileAtLeast(entries, 4, [addFour, advance(4)]),
      whileAtLeast(entries, 1, [addOne, advance(1)]),
      piece.store(out, finish(total, piece)),
    ];
  };
}

/** Adds up the entries of a row times two columns of x, found by `source`, in two sums: four entries at a time, or two, or one. */
export function pairSums(
  [first, second]: readonly Local[],
  value: Local,
  columns: Local,
  values: Code,
  source: (column: Code) => Code,
) {
  const columnsOf = (entry: number): Code => source(i32.load(columns, 4 * entry));
  /** Adds entries 2h and 2h + 1, whose values are in those lanes of `value`. */
  const addPair = (sum: Local, h: 0 | 1): Code => {
    const twice = v128.shuffle(value, value, h === 0 ? [0, 0, 1, 1] : [2, 2, 3, 3]);
    return addProduct(sum, twice, v128.loadUpper(columnsOf(2 * h + 1), v128.loadTwo(columnsOf(2 * h))));
  };
  return {
    addFour: [value.set(v128.load(values)), addPair(first, 0), addPair(second, 1)],
    addTwo: [value.set(v128.loadTwo(values)), addPair(first, 0)],
    addOne: addProduct(first, v128.loadSplat(values), v128.loadTwo(columnsOf(0))),
    /** Both halves of both sums, in the lower half. */
    total: [first.set(f32x4.add(first, second)), f32x4.add(first, v128.shuffle(first, first, [2, 3, 2, 3]))],
  };
}

export function sparseTwins({ products }: Routines<typeof defineSparse>, host: Host) {
  const { memory } = host;
  return {
    csrMatmul: host.kernel(
      plain.csrMatmul,
      [input, input, input32, input32, output32],
      (rows, width, starts, columns, values, x, out, accumulate) => {
        const executor = host.chooseExecutor(2 * memory.entries(starts, rows) * width);
        const row = 4 * width;
        for (let c = 0; c < width;) {
          const block = blockFor(width - c);
          inChunks(executor, rows, products[block], (product, i, count) => {
            const to = out + i * row + 4 * c;
            const from = accumulate ? to : layout.zeros;
            const fromRow = accumulate ? row : 0;
            const first = 4 * memory.firstEntry(starts, i);
            product(count, starts + 4 * i, columns + first, values + first, x + 4 * c, row, from, fromRow, to, row);
          });
          c += csrWidths[block];
        }
        executor.finish();
      },
    ),
  };
}
