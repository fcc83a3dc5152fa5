/** Sparse products with blocks of Float64 vectors, sweeps of Gauss-Seidel, residuals and means: routines. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { type Bytes, loadTwice, pairsOf } from '../columns.ts';
import { addProduct64, clearSums, element, stepAll } from '../loops.ts';

/** Blocks of columns that stay in registers, widest first: any width is a sum of these. */
export const blockWidths = [8, 7, 6, 5, 4, 3, 2, 1] as const;

export function defineSparseBlocks(module: Assembler) {
  const ofType = (bytes: Bytes) => ({
    products: blockWidths.map((width) => defineProduct(module, width, bytes, false)),
    productsWithGaps: blockWidths.map((width) => defineProduct(module, width, bytes, true)),
    sweeps: blockWidths.map((width) => defineSweep(module, width, bytes)),
  });
  return {
    /** By the size of a weight, then by the places of their widths in `blockWidths`. */
    single: ofType(4),
    double: ofType(8),
    residuals: blockWidths.map((width) => defineResidual(module, width)),
    centers: blockWidths.map((width) => defineCenter(module, width)),
  };
}

/** Sums over entries of a row: entries first … last−1 times the rows of x that they name. A weight has `bytes` bytes. */
function rowSums(width: number, bytes: Bytes, declare: Declare) {
  const pairs = pairsOf(width);
  const chains = [0, 1].map(() => variables(declare, 'v128', pairs.length));
  const weights = variables(declare, 'v128', 2);
  const sources = variables(declare, 'i32', 2);
  const [entries, column, weight] = variables(declare, 'i32', 3);
  /** One entry in each chain: a single chain of additions would wait for itself. */
  const add = (chain: number, x: Local, xRow: Local): Code => [
    weights[chain].set(loadTwice(bytes, weight, chain)),
    sources[chain].set(i32.add(x, i32.multiply(i32.load(column, 4 * chain), xRow))),
    pairs.map(({ load }, k) => addProduct64(chains[chain][k], weights[chain], load(sources[chain]))),
  ];
  const advance = (count: number): Code => [column.step(4 * count), weight.step(bytes * count)];
  return {
    pairs,
    /** Starts a row with sums of zero. */
    clear: clearSums(chains.flat()),
    /** Adds the entries first … last−1. */
    addRange: (first: Code, last: Code, columns: Local, values: Local, x: Local, xRow: Local): Code => [
      column.set(first),
      entries.set(i32.subtract(last, column)),
      weight.set(i32.add(values, i32.shiftLeft(column, bytes === 8 ? 3 : 2))),
      column.set(element(columns, column)),
      whileAtLeast(entries, 2, [add(0, x, xRow), add(1, x, xRow), advance(2)]),
      whileAtLeast(entries, 1, [add(0, x, xRow), advance(1)]),
    ],
    /** The sum at pair k. */
    sum: (k: number): Code => f64x2.add(chains[0][k], chains[1][k]),
  };
}

/**
 * (rows, starts, ends, gapStarts, gapEnds, columns, weights, factors, factorStep, y, yRow, x, row, out, sign): the rows of a product. The
 * rows of x and of `out` are `row` bytes apart.
 */
function defineProduct(module: Assembler, width: number, bytes: Bytes, hasGaps: boolean) {
  return module.define(taking(14, 'f64'), (locals, declare) => {
    const [rows, starts, ends, gapStarts, gapEnds, columns, weights, factors, factorStep, y, yRow, x, row, out, sign] =
      locals;
    const { pairs, clear, addRange, sum } = rowSums(width, bytes, declare);
    const [signs, factor] = variables(declare, 'v128', 2);
    const pointers = hasGaps ? [starts, ends, gapStarts, gapEnds] : [starts, ends];
    const range = (first: Local, last: Local): Code =>
      addRange(i32.load(first), i32.load(last), columns, weights, x, row);
    return [
      signs.set(f64x2.splat(sign)),
      whileAtLeast(rows, 1, [
        clear,
        hasGaps ? [range(starts, gapStarts), range(gapEnds, ends)] : range(starts, ends),
        factor.set(v128.loadSplat64(factors)),
        pairs.map(({ load, store }, k) =>
          store(out, f64x2.add(f64x2.multiply(factor, load(y)), f64x2.multiply(signs, sum(k)))),
        ),
        stepAll(pointers, 4),
        factors.advance(factorStep),
        y.advance(yRow),
        out.advance(row),
      ]),
    ];
  });
}

/**
 * (rows, starts, ends, columns, weights, factors, b, x, row, at, step): a sweep from the row whose factor, b and x are at `factors`, `b`
 * and `at` on. `step` is 1 or −1.
 */
function defineSweep(module: Assembler, width: number, bytes: Bytes) {
  return module.define(taking(11), (locals, declare) => {
    const [rows, starts, ends, columns, weights, factors, b, x, row, at, step] = locals;
    const { pairs, clear, addRange, sum } = rowSums(width, bytes, declare);
    const factor = declare('v128');
    const [words, doubles, rowStep] = variables(declare, 'i32', 3);
    return [
      words.set(i32.shiftLeft(step, 2)),
      doubles.set(i32.shiftLeft(step, 3)),
      rowStep.set(i32.multiply(step, row)),
      whileAtLeast(rows, 1, [
        clear,
        addRange(i32.load(starts), i32.load(ends), columns, weights, x, row),
        factor.set(v128.loadSplat64(factors)),
        pairs.map(({ load, store }, k) => store(at, f64x2.multiply(factor, f64x2.add(load(b), sum(k))))),
        starts.advance(words),
        ends.advance(words),
        factors.advance(doubles),
        b.advance(rowStep),
        at.advance(rowStep),
      ]),
    ];
  });
}

/** (rows, values, mass, massStep, x, ax, out, row): residuals of `width` columns. Rows are `row` bytes apart. */
function defineResidual(module: Assembler, width: number) {
  return module.define(taking(8), ([rows, values, mass, massStep, x, ax, out, row], declare) => {
    const pairs = pairsOf(width);
    const numbers = variables(declare, 'v128', pairs.length);
    const factor = declare('v128');
    return [
      pairs.map(({ load }, k) => numbers[k].set(load(values))),
      whileAtLeast(rows, 1, [
        factor.set(v128.loadSplat64(mass)),
        pairs.map(({ load, store }, k) => {
          const image = f64x2.multiply(numbers[k], f64x2.multiply(factor, load(x)));
          return store(out, f64x2.subtract(load(ax), image));
        }),
        mass.advance(massStep),
        [x, ax, out].map((pointer) => pointer.advance(row)),
      ]),
    ];
  });
}

/** (rows, labels, means, x, row): subtracts the listed rows of means from `width` columns. Rows are `row` bytes apart. */
function defineCenter(module: Assembler, width: number) {
  return module.define(taking(5), ([rows, labels, means, x, row], declare) => {
    const mean = declare('i32');
    return whileAtLeast(rows, 1, [
      mean.set(i32.add(means, i32.multiply(i32.load(labels), row))),
      pairsOf(width).map(({ load, store }) => store(x, f64x2.subtract(load(x), load(mean)))),
      labels.step(4),
      x.advance(row),
    ]);
  });
}
