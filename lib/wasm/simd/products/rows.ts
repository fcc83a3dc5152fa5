/** A·X for compressed rows: routines. Sums of a row stay in registers; long rows are summed in pieces. */

import { pieceEntries } from '../../../kernels/products.ts';
import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { doWhile, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { layout } from '../../memory/memory.ts';
import { addLanes, forEachRow } from '../loops.ts';
import { csrWidths, rowProduct } from '../sparse/sparse.ts';
import { addressOf, addTerm, doubles, skipEntries, type Vectors } from './vectors.ts';

/** Blocks of columns that stay in registers, widest first: any width is a sum of these. */
export const widthsOf = { 4: csrWidths, 8: [8, 7, 6, 5, 4, 3, 2, 1] as const };

export function defineRowProducts(module: Assembler, vectors: Vectors) {
  const define = (makeSum: MakeSum) => {
    const piece = definePiece(module, vectors, makeSum);
    return { piece, product: defineProduct(module, vectors, makeSum, piece) };
  };
  return {
    /** x has one column. */
    column: define((declare) => sumOfColumn(vectors, declare)),
    /** By the places of their widths in `widthsOf`. */
    blocks: widthsOf[vectors.bytes].map((width) =>
      define((declare) => (vectors === doubles ? sumOfDoubles : sumOfSingles)(width, declare)),
    ),
  };
}

type MakeSum = (declare: Declare) => RowSum;

/** The sum of a row's entries times rows of x: leaves columns and values at the end of the row, and entries at 0. */
type RowSum = (
  entries: Local,
  columns: Local,
  values: Local,
  x: Local,
  xRow: Local,
  out: Local,
  /** What is written, given the sum. */
  finish: (sum: Code, load: (pointer: Local) => Code) => Code,
) => Code;

function sumOfSingles(width: number, declare: Declare): RowSum {
  const product = rowProduct(width, declare);
  return (entries, columns, values, x, xRow, out, finish) =>
    product(
      entries,
      columns,
      values,
      x,
      xRow,
      () => f32x4.constant(0),
      out,
      (sum, { load }) => finish(sum, load),
    );
}

/** One column: numbers of x are gathered into vectors, and the lanes added at the end. Two vectors of doubles at a time. */
function sumOfColumn(vectors: Vectors, declare: Declare): RowSum {
  const { lanes, multiply, add, loadOne, storeOne, gather, shift } = vectors;
  const chains = variables(declare, 'v128', vectors === doubles ? 2 : 1) as readonly Local[];
  const [sum, ...others] = chains;
  return (entries, columns, values, x, _xRow, out, finish) => {
    const some = (vectorCount: number): Code =>
      whileAtLeast(entries, vectorCount * lanes, [
        chains
          .slice(0, vectorCount)
          .map((chain, k) => addTerm(vectors, chain, v128.load(values, 16 * k), gather(x, columns, lanes * k))),
        skipEntries(vectors, columns, values, vectorCount * lanes),
      ]);
    return [
      chains.map((chain) => chain.set(f32x4.constant(0))),
      others.length > 0 ? some(2) : [],
      some(1),
      whileAtLeast(entries, 1, [
        sum.set(add(sum, multiply(loadOne(values), loadOne(addressOf(x, columns, 0, shift))))),
        skipEntries(vectors, columns, values, 1),
      ]),
      others.map((other) => sum.set(add(sum, other))),
      vectors === doubles ? sum.set(add(sum, v128.shuffle(sum, sum, [2, 3, 0, 1]))) : addLanes(sum),
      storeOne(
        out,
        finish(sum, (pointer) => loadOne(pointer)),
      ),
    ];
  };
}

/**
 * Two entries per iteration, each in a sum of its own, or added up before they are added to the sum where registers do not suffice for two: a
 * single chain of additions would wait for itself.
 */
function sumOfDoubles(width: number, declare: Declare): RowSum {
  const { add, multiply } = doubles;
  const pieces = doubles.pieces(width);
  const chains = Array.from({ length: pieces.length <= 2 ? 2 : 1 }, () => variables(declare, 'v128', pieces.length));
  const [first, second] = chains;
  const factors = variables(declare, 'v128', 2);
  const sources = variables(declare, 'i32', 2);
  return (entries, columns, values, x, xRow, out, finish) => {
    const look = (entry: number): Code => [
      factors[entry].set(doubles.loadSplat(values, 8 * entry)),
      sources[entry].set(i32.add(x, i32.multiply(i32.load(columns, 4 * entry), xRow))),
    ];
    const term = (k: number, entry: number): Code => multiply(factors[entry], pieces[k].load(sources[entry]));
    const addAll = (chain: readonly Local[], value: (k: number) => Code): Code =>
      chain.map((sum, k) => sum.set(add(sum, value(k))));
    const two: Code = second
      ? [addAll(first, (k) => term(k, 0)), addAll(second, (k) => term(k, 1))]
      : addAll(first, (k) => add(term(k, 0), term(k, 1)));
    return [
      chains.flat().map((sum) => sum.set(f32x4.constant(0))),
      whileAtLeast(entries, 2, [look(0), look(1), two, skipEntries(doubles, columns, values, 2)]),
      whileAtLeast(entries, 1, [look(0), addAll(first, (k) => term(k, 0)), skipEntries(doubles, columns, values, 1)]),
      pieces.map(({ load, store }, k) => store(out, finish(second ? add(first[k], second[k]) : first[k], load))),
    ];
  };
}

/** (entries, columns, values, x, xRow, c, out): out = c + the sum of so many entries. */
function definePiece(module: Assembler, vectors: Vectors, makeSum: MakeSum) {
  return module.define(taking(7), ([entries, columns, values, x, xRow, c, out], declare) =>
    makeSum(declare)(entries, columns, values, x, xRow, out, (sum, load) => vectors.add(load(c), sum)),
  );
}

/** (rows, starts, columns, values, x, xRow, out, outRow): out = S·x on some columns of x. Strides are in bytes. */
function defineProduct(module: Assembler, vectors: Vectors, makeSum: MakeSum, piece: ReturnType<typeof definePiece>) {
  return module.define(taking(8), ([rows, starts, columns, values, x, xRow, out, outRow], declare) => {
    const [entries, left, before] = variables(declare, 'i32', 3);
    const sum = makeSum(declare);
    /** Piece after piece, each added to what `out` has. */
    const long: Code = [
      left.set(entries),
      before.set(i32.constant(layout.zeros)),
      doWhile(
        [
          entries.set(i32.select(i32.constant(pieceEntries), left, i32.atLeast(left, pieceEntries))),
          piece.call(entries, columns, values, x, xRow, before, out),
          columns.advance(i32.shiftLeft(entries, 2)),
          values.advance(i32.shiftLeft(entries, vectors.shift)),
          before.set(out),
          left.set(i32.subtract(left, entries)),
        ],
        left,
      ),
    ];
    return forEachRow(rows, starts, entries, [
      when(
        i32.atLeast(entries, pieceEntries + 1),
        long,
        sum(entries, columns, values, x, xRow, out, (value) => value),
      ),
      out.advance(outRow),
    ]);
  });
}
