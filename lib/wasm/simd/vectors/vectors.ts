/** Many long Float64 vectors, and a sparse matrix times one: routines and twins. */

import { band, plainVectors, type VectorKernels } from '../../../kernels/vectors.ts';
import type { Assembler, Code, Local, Routines } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { byPrecision, held } from '../../memory/marshal.ts';
import { layout, weightsAt } from '../../memory/memory.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { type Access, addProduct64, bothModes, clearSums, forEachElement, forEachRow, total } from '../loops.ts';

export function defineVectors(module: Assembler) {
  return {
    /** multiply(n, a, b, out) */
    multiply: module.define(taking(4), ([n, a, b, out]) =>
      forEachDouble(n, [a, b, out], ({ load, store }) => store(out, f64x2.multiply(load(a), load(b)))),
    ),
    scale: bothModes((accumulate) => defineScale(module, accumulate)),
    dot: defineDot(module),
    rowDots: defineRowDots(module),
    subtractRows: defineSubtract(module),
    combineRows: defineCombine(module),
    csr32: defineCsr(module, 4),
    csr64: defineCsr(module, 8),
  };
}

/** Every element of `n`: two vectors of two per iteration, then one, then one by one with a zero beside it. */
export function forEachDouble(
  n: Local,
  pointers: readonly Local[],
  body: (access: Access, half: number) => Code,
): Code {
  return [n.set(i32.shiftLeft(n, 1)), forEachElement(n, [8, 4, 2], pointers, body)];
}

/** scale(n, a, out, factor) */
export function defineScale(module: Assembler, accumulate: boolean) {
  return module.define(taking(3, 'f64'), ([n, a, out, factor], declare) => {
    const factors = declare('v128');
    return [
      factors.set(f64x2.splat(factor)),
      forEachDouble(n, [a, out], ({ load, store }) => {
        const value = f64x2.multiply(factors, load(a));
        return store(out, accumulate ? f64x2.add(load(out), value) : value);
      }),
    ];
  });
}

/** dot(n, a, b): Σ a[i]·b[i] */
export function defineDot(module: Assembler) {
  return module.define({ ...taking(3), result: 'f64' }, ([n, a, b], declare) => {
    const sums = variables(declare, 'v128', 2);
    return [
      forEachDouble(n, [a, b], ({ load }, half) => addProduct64(sums[half], load(a), load(b))),
      f64.add(...sums.map(total)),
    ];
  });
}

/** rowDots(n, a, aRow, x, out): out[r] += row r·x for four rows. */
export function defineRowDots(module: Assembler) {
  return module.define(taking(5), ([n, a, aRow, x, out], declare) => {
    const sums = variables(declare, 'v128', 4);
    const value = declare('v128');
    const rows = [a, ...variables(declare, 'i32', 3)];
    return [
      pointToRows(rows, aRow),
      forEachDouble(n, [...rows, x], ({ load }) => [
        value.set(load(x)),
        rows.map((row, r) => addProduct64(sums[r], value, load(row))),
      ]),
      sums.map((sum, r) => f64.store(out, f64.add(f64.load(out, 8 * r), total(sum)), 8 * r)),
    ];
  });
}

/** subtractRows(n, factors, a, aRow, x): x −= four rows of a times their factors. */
export function defineSubtract(module: Assembler) {
  return module.define(taking(5), ([n, factors, a, aRow, x], declare) => {
    const numbers = variables(declare, 'v128', 4);
    const rows = [a, ...variables(declare, 'i32', 3)];
    return [
      pointToRows(rows, aRow),
      numbers.map((factor, r) => factor.set(v128.loadSplat64(factors, 8 * r))),
      forEachDouble(n, [...rows, x], ({ load, store }) => {
        const [p, q, r, s] = rows.map((row, i) => f64x2.multiply(numbers[i], load(row)));
        return store(x, f64x2.subtract(load(x), f64x2.add(f64x2.add(p, q), f64x2.add(r, s))));
      }),
    ];
  });
}

const pointToRows = (rows: readonly Local[], stride: Local): Code =>
  rows.slice(1).map((row, r) => row.set(i32.add(rows[r], stride)));

/**
 * combineRows(n, count, a, aRow, factors, out, outRow): out[4×n] = Fᵀ·a for a[count×n] and the four columns of a
 * count×count matrix that start at `factors`. Four columns of a at a time, rounded up.
 */
function defineCombine(module: Assembler) {
  return module.define(taking(7), (locals, declare) => {
    const [n, count, a, aRow, factors, out, outRow] = locals;
    const sums = Array.from({ length: 4 }, () => variables(declare, 'v128', 2));
    const halves = variables(declare, 'v128', 2);
    const factor = declare('v128');
    const [left, from, by, to] = variables(declare, 'i32', 4);
    return [
      n.step(3),
      whileAtLeast(n, 4, [
        left.set(count),
        from.set(a),
        by.set(factors),
        clearSums(sums.flat()),
        whileAtLeast(left, 1, [
          halves.map((half, h) => half.set(v128.load(from, 16 * h))),
          sums.map((line, j) => [
            factor.set(v128.loadSplat64(by, 8 * j)),
            line.map((sum, h) => addProduct64(sum, factor, halves[h])),
          ]),
          from.advance(aRow),
          by.advance(i32.shiftLeft(count, 3)),
        ]),
        to.set(out),
        sums.map((line) => [line.map((sum, h) => v128.store(to, sum, 16 * h)), to.advance(outRow)]),
        a.step(32),
        out.step(32),
      ]),
    ];
  });
}

/**
 * (rows, starts, columns, values, factors, factorStep, x, out): out = factors∘(S·x) for some rows of a matrix, with pointers
 * to their first column and value. A value has `bytes` bytes. Four entries per iteration, in two sums. The last iteration of a
 * row has 0 … 3 entries and masks the others, because the processor would mispredict a loop over them for every other row.
 */
function defineCsr(module: Assembler, bytes: 4 | 8) {
  return module.define(taking(8), (locals, declare) => {
    const [rows, starts, columns, values, factors, factorStep, x, out] = locals;
    const sums = variables(declare, 'v128', 2);
    const [entries, mask] = variables(declare, 'i32', 2);
    const column = (entry: number): Code => i32.load(columns, 4 * entry);
    const valid = (entry: number): Code => i32.and(column(entry), i32.load(mask, 8 * entry));
    const source = (index: Code): Code => i32.add(x, i32.shiftLeft(index, 3));
    const product = (h: number, index: (entry: number) => Code): Code => {
      const value = bytes === 8 ? v128.load(values, 16 * h) : f64x2.fromLower(v128.loadTwo(values, 8 * h));
      const pair = v128.loadUpper(source(index(2 * h + 1)), v128.loadTwo(source(index(2 * h))));
      return f64x2.multiply(value, pair);
    };
    return forEachRow(rows, starts, entries, [
      clearSums(sums),
      whileAtLeast(entries, 4, [
        sums.map((sum, h) => sum.set(f64x2.add(sum, product(h, column)))),
        columns.step(16),
        values.step(4 * bytes),
      ]),
      mask.set(i32.subtract(layout.mask + 24, i32.shiftLeft(entries, 3))),
      sums.map((sum, h) => sum.set(f64x2.add(sum, v128.and(product(h, valid), v128.load(mask, 16 * h))))),
      columns.advance(i32.shiftLeft(entries, 2)),
      values.advance(i32.multiply(entries, bytes)),
      sums[0].set(f64x2.add(sums[0], sums[1])),
      f64.store(out, f64.multiply(f64.load(factors), total(sums[0]))),
      factors.advance(factorStep),
      out.step(8),
    ]);
  });
}

/** A block of this many numbers of the vector, 16 KB, stays in the first-level cache while all rows are read. */
export const piece = 2048;

/** Reading an entry at a random address takes as long as this many flops. */
const flopsPerEntry = 8;

export function vectorTwins(
  { multiply, scale, dot, rowDots, subtractRows, combineRows, csr32, csr64 }: Routines<typeof defineVectors>,
  host: Host,
): VectorKernels {
  const { memory } = host;
  // From the (3 − k)-th number of 64 bits on, a mask of k among four.
  new Int32Array(memory.buffer, layout.mask, 6).fill(-1);

  /** For every piece, from one column on, four rows at a time, from row r on, then one. */
  function forEachPiece(
    rows: number,
    n: number,
    visit: (from: number, count: number, r: number, isFour: boolean) => void,
  ): void {
    for (let from = 0; from < n; from += piece) {
      const count = Math.min(piece, n - from);
      for (let r = 0; r < rows; r += r + 4 <= rows ? 4 : 1) visit(from, count, r, r + 4 <= rows);
    }
  }

  const timesVector = (routine: typeof csr32, bytes: number): VectorKernels['csrTimesVector'] =>
    host.kernel(plainVectors.csrTimesVector, held, (rows, starts, columns, values, factors, x, out) => {
      const executor = host.chooseExecutor(flopsPerEntry * memory.entries(starts, rows));
      const [by, byStep] = weightsAt(factors);
      inChunks(executor, rows, routine, (product, i, count) => {
        const first = memory.firstEntry(starts, i);
        const [column, value] = [columns + 4 * first, values + bytes * first];
        product(count, starts + 4 * i, column, value, by + byStep * i, byStep, x, out + 8 * i);
      });
      executor.finish();
    });

  return {
    dotVectors: host.kernel(plainVectors.dotVectors, held, dot),
    multiplyVectors: host.kernel(plainVectors.multiplyVectors, held, multiply),
    scaleVector: host.kernel(plainVectors.scaleVector, held, (n, factor, x, out, accumulate) =>
      (accumulate ? scale.add : scale.set)(n, x, out, factor),
    ),
    csrTimesVector: byPrecision(3, timesVector(csr32, 4), timesVector(csr64, 8)),
    rowDots: host.kernel(plainVectors.rowDots, held, (rows, n, a, x, out) => {
      const sums = new Float64Array(memory.buffer, out, rows).fill(0);
      forEachPiece(rows, n, (from, count, r, isFour) => {
        const [row, at] = [a + 8 * (r * n + from), x + 8 * from];
        if (isFour) rowDots(count, row, 8 * n, at, out + 8 * r);
        else sums[r] += dot(count, row, at);
      });
    }),
    subtractRows: host.kernel(plainVectors.subtractRows, held, (rows, n, factors, a, x) => {
      const by = new Float64Array(memory.buffer, factors, rows);
      forEachPiece(rows, n, (from, count, r, isFour) => {
        const [row, at] = [a + 8 * (r * n + from), x + 8 * from];
        if (isFour) subtractRows(count, factors + 8 * r, row, 8 * n, at);
        else scale.add(count, row, at, -by[r]);
      });
    }),
    /** A tile reaches beyond the last of the kept rows and columns: that part of `work` is not copied back. */
    combineRows: host.kernel(plainVectors.combineRows, held, (rows, kept, n, factors, a, work) => {
      for (let from = 0; from < n; from += band) {
        const width = Math.min(band, n - from);
        const source = a + 8 * from;
        for (let j = 0; j < kept; j += 4) {
          combineRows(width, rows, source, 8 * n, factors + 8 * j, work + 8 * j * band, 8 * band);
        }
        for (let j = 0; j < kept; j++) scale.set(width, work + 8 * j * band, source + 8 * j * n, 1);
      }
    }),
  };
}
