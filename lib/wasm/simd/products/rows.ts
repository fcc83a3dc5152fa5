/** A·X for compressed rows: routines. Sums of a row stay in registers. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables } from '../../assembler/statements.ts';
import { accessOf, addLanes } from '../loops.ts';
import { csrWidths, pairSums } from '../sparse/sparse.ts';
import { Entries, type GroupSize } from './entries.ts';
import { addressOf, type Vectors } from './vectors.ts';

/** Blocks of columns that stay in registers, widest first: any width is a sum of these. */
export const widthsOf = { 4: csrWidths, 8: [8, 7, 6, 5, 4, 3, 2, 1] as const };

export function defineRowProducts(module: Assembler, vectors: Vectors) {
  const define = (makeSum: MakeSum, width: number) => {
    const shift = Math.log2(vectors.bytes * width);
    const product = defineProduct(module, vectors, makeSum, null);
    return {
      piece: definePiece(module, vectors, makeSum),
      product,
      /** The same for an x of these columns and no others, to the last bit: a shift takes less time than a multiplication. */
      packed: width > 1 && Number.isInteger(shift) ? defineProduct(module, vectors, makeSum, shift) : product,
    };
  };
  return {
    /** x has one column. */
    column: define(sumOfColumn, 1),
    /** By the places of their widths in `widthsOf`. */
    blocks: widthsOf[vectors.bytes].map((width) =>
      define(vectors.bytes === 4 && width === 2 ? sumOfTwo : sumOfBlock(width), width),
    ),
  };
}

/** The address of the row of x that a column index names. */
type Source = (column: Code) => Code;

/** The sum of entries times rows of x. */
type RowSum = (
  entries: Entries,
  x: Local,
  source: Source,
  out: Local,
  /** What is written, given the sum. */
  finish: (sum: Code, load: (pointer: Local) => Code) => Code,
) => Code;

type MakeSum = (vectors: Vectors, declare: Declare) => RowSum;

/** One column: numbers of x are gathered into vectors, and the lanes added at the end. */
const sumOfColumn: MakeSum = (vectors, declare) => {
  const { lanes, multiply, add, loadOne, storeOne, gather, shift } = vectors;
  const sum = declare('v128');
  return (entries, x, _source, out, finish) => {
    const { column, value } = entries;
    const at = (k: number): Code => addressOf(x, column, k, shift);
    const term = (h: number): Code => multiply(v128.load(value, 16 * h), gather(x, column, lanes * h));
    /** Terms are added up before they are added to the sum, which would wait for itself. */
    const total = (size: GroupSize): Code => {
      if (size >= lanes) return Array.from({ length: size / lanes }, (_, h) => term(h)).reduce((a, b) => add(a, b));
      if (size === 1) return multiply(loadOne(value), loadOne(at(0)));
      return multiply(v128.loadTwo(value), v128.loadLane(at(1), loadOne(at(0)), 1));
    };
    return [
      sum.set(f32x4.constant(0)),
      entries.forEachGroup(8, (size) => sum.set(add(sum, total(size)))),
      vectors.bytes === 8 ? sum.set(add(sum, v128.shuffle(sum, sum, [2, 3, 0, 1]))) : addLanes(sum),
      storeOne(
        out,
        finish(sum, (pointer) => loadOne(pointer)),
      ),
    ];
  };
};

/** Two columns of singles: four entries at a time, two to a vector. */
const sumOfTwo: MakeSum = (_vectors, declare) => {
  const sums = variables(declare, 'v128', 2);
  const values = declare('v128');
  const { load, store } = accessOf(2);
  return (entries, _x, source, out, finish) => {
    const { addFour, addTwo, addOne, total } = pairSums(sums, values, entries.column, entries.value, source);
    return [
      sums.map((sum) => sum.set(f32x4.constant(0))),
      entries.forEachGroup(4, (size) => (size === 4 ? addFour : size === 2 ? addTwo : addOne)),
      store(out, finish(total, load)),
    ];
  };
};

/**
 * Several columns, and as many entries at a time as registers suffice for: engines read all numbers of a group before they multiply the first. One or two vectors
 * of columns have two sums, which alternate; three or four add up two entries before they add them to the sum; a single chain of additions would wait for itself.
 */
const sumOfBlock =
  (width: number): MakeSum =>
  (vectors, declare) => {
    const { bytes, add, multiply, multiplyAdd, loadSplat } = vectors;
    const pieces = vectors.pieces(width);
    const largest: GroupSize = pieces.length <= 2 ? 4 : pieces.length <= 4 ? 2 : 1;
    const chains = Array.from({ length: largest === 4 ? 2 : 1 }, () => variables(declare, 'v128', pieces.length));
    const factors = variables(declare, 'v128', largest) as readonly Local[];
    const sources = variables(declare, 'i32', largest) as readonly Local[];
    return (entries, _x, source, out, finish) => {
      const find = (entry: number): Code => [
        factors[entry].set(loadSplat(entries.value, bytes * entry)),
        sources[entry].set(source(i32.load(entries.column, 4 * entry))),
      ];
      const from = (k: number, entry: number): Code => pieces[k].load(sources[entry]);
      const addOne = (entry: number): Code => [
        find(entry),
        chains[entry % chains.length].map((sum, k) => sum.set(multiplyAdd(factors[entry], from(k, entry), sum))),
      ];
      const pair = (k: number): Code => multiplyAdd(factors[1], from(k, 1), multiply(factors[0], from(k, 0)));
      const addPair = (): Code => [find(0), find(1), chains[0].map((sum, k) => sum.set(add(sum, pair(k))))];
      return [
        chains.flat().map((sum) => sum.set(f32x4.constant(0))),
        entries.forEachGroup(largest, (size) =>
          size === 2 && largest === 2 ? addPair() : factors.slice(0, size).map((_, entry) => addOne(entry)),
        ),
        pieces.map(({ load, store }, k) =>
          store(
            out,
            finish(
              chains.slice(1).reduce<Code>((sum, chain) => add(sum, chain[k]), chains[0][k]),
              load,
            ),
          ),
        ),
      ];
    };
  };

/** The address of a row of x, whose rows are `row` bytes apart, or 2^shift. */
export function addressIn(x: Local, row: Local, shift: number | null): Source {
  return (column) => i32.add(x, shift === null ? i32.multiply(column, row) : i32.shiftLeft(column, shift));
}

/** (entries, columns, values, x, xRow, c, out): out = c + the sum of so many entries. */
function definePiece(module: Assembler, vectors: Vectors, makeSum: MakeSum) {
  return module.define(taking(7), ([count, columns, values, x, xRow, c, out], declare) => {
    const entries = new Entries(vectors, columns, declare);
    return [
      entries.begin(values),
      entries.end.set(i32.add(columns, i32.shiftLeft(count, 2))),
      makeSum(vectors, declare)(entries, x, addressIn(x, xRow, null), out, (sum, load) => vectors.add(load(c), sum)),
    ];
  });
}

/** (rows, starts, columns, values, x, xRow, out, outRow): out = S·x on some columns of x. Strides are in bytes. */
function defineProduct(module: Assembler, vectors: Vectors, makeSum: MakeSum, shift: number | null) {
  return module.define(taking(8), ([rows, starts, columns, values, x, xRow, out, outRow], declare) => {
    const entries = new Entries(vectors, columns, declare);
    const sum = makeSum(vectors, declare);
    return [
      entries.begin(values),
      entries.forEachRow(declare, rows, starts, [
        sum(entries, x, addressIn(x, xRow, shift), out, (value) => value),
        out.advance(outRow),
      ]),
    ];
  });
}
