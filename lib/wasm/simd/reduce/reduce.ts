/** Float32 data summed in Float64: routines, and twins that are put together from tiles. */

import * as plain from '../../../kernels/reduce.ts';
import type { Floats } from '../../../kernels/types.ts';
import type { Assembler, Code, Declare, Local, Routines } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input, input32, isSingle, output } from '../../memory/marshal.ts';
import { layout, weightsAt } from '../../memory/memory.ts';
import type { Host } from '../../threads/executor.ts';
import { blockBytes, blockGram, defineBlockGram, gramRows } from './block-gram.ts';
import { defineGramTile } from '../double/gram-tile.ts';
import { forEachElement, forEachRow, total } from '../loops.ts';

/** The widths of tiles of Aᵀ·diag(w)·B: columns of A and of B. */
const gramTiles = [4, 2, 1] as const;

export function defineReduce(module: Assembler) {
  return {
    /** By the places of both widths in `gramTiles`. */
    grams: gramTiles.map((p) => gramTiles.map((q) => defineGramTile(module, p, q, 4, true))),
    /** dot(n, a, b): Σ a[i]·b[i] */
    dot: module.define({ ...taking(3), result: 'f64' }, ([n, a, b], declare) => sumOf(n, [a, b], declare)),
    /** sum(n, a): Σ a[i] */
    sum: module.define({ ...taking(2), result: 'f64' }, ([n, a], declare) => sumOf(n, [a], declare)),
    rowSums: defineRowSums(module),
    blocks: defineBlockGram(module),
  };
}

/** The sum of the products of one or two arrays. */
function sumOf(n: Local, arrays: readonly Local[], declare: Declare): Code {
  const sums = variables(declare, 'v128', 2);
  const loaded = arrays.map(() => declare('v128'));
  return [
    forEachElement(n, [4, 1], arrays, ({ load }) => [
      loaded.map((value, i) => value.set(load(arrays[i]))),
      sums.map((sum, h) => {
        const terms = loaded.map((value) => halfOf(value, h));
        return sum.set(f64x2.add(sum, terms.length > 1 ? f64x2.multiply(...terms) : terms));
      }),
    ]),
    f64.add(...sums.map(total)),
  ];
}

/** (rows, starts, values, out): the sums of CSR rows. */
function defineRowSums(module: Assembler) {
  return module.define(taking(4), ([rows, starts, values, out], declare) => {
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

/** Floats 0 and 1 of a vector, or 2 and 3, as doubles. */
function halfOf(value: Local, h: number): Code {
  return f64x2.fromLower(h === 0 ? value : v128.shuffle(value, value, [2, 3, 2, 3]));
}

/** Matrices of up to this many columns are read in place, others are first copied as Float64. */
const mostInPlace = 11;
/** Below this many products of Float64 it does not pay to pass addresses. */
const fewProducts = 2 ** 12;

/** The index of the widest tile that fits. */
const tileFor = (width: number): number => (width >= 4 ? 0 : width >= 2 ? 1 : 2);

/** rows, p, q, whether A is B, whether the weights are Float32, weights, A, B, out. */
type Sum = [number, number, number, boolean, boolean, Floats | null, Floats | null, Floats, Float64Array];

export function reduceTwins(
  { grams, dot, sum, rowSums, blocks }: Routines<typeof defineReduce>,
  host: Host,
): plain.ReduceKernels {
  const { memory } = host;
  const inBlocks = blockGram(blocks);

  /**
   * out[p×q] = Aᵀ·diag(w)·B, tile by tile, with a column of ones for an absent A; if symmetric, only the tiles that touch the
   * upper triangle. False where the plain twin has to do it.
   */
  const sumTiles = host.kernel(
    (..._operands: Sum) => false,
    [input, input32, input32, output],
    (rows, p, q, isSymmetric, widens, weights, a, b, out) => {
      const isWide = a !== 0 && Math.max(p, q) > mostInPlace;
      const [w, room] = prepared(rows, widens, weights, isWide ? blockBytes(p, q) : 0);
      if (room < 0) return null;
      if (isWide) return inBlocks(4, rows, p, q, isSymmetric, w, a, b, out, room);
      const [from, aRow] = [a || layout.one, a ? 4 * p : 0];
      const [by, byStep] = weightsAt(w);
      blocks.clear(out, 8 * p * q);
      for (let i = 0; i < rows; i += gramRows) {
        const count = Math.min(gramRows, rows - i);
        for (let s = 0; s < p;) {
          const left = tileFor(p - s);
          const line = from + i * aRow + 4 * s;
          for (let t = isSymmetric ? s - (s % 4) : 0; t < q;) {
            const right = tileFor(q - t);
            const to = out + 8 * (s * q + t);
            grams[left][right](count, line, aRow, b + 4 * (i * q + t), 4 * q, by + i * byStep, byStep, to, 8 * q);
            t += gramTiles[right];
          }
          s += gramTiles[left];
        }
      }
      return true;
    },
  );

  /** The same for Float64, with the bits of the plain twin. */
  const sumDoubles = host.kernel(
    (..._operands: Sum) => false,
    [input, input, input, output],
    (rows, p, q, isSymmetric, widens, weights, a, b, out) => {
      const [w, room] = prepared(rows, widens, weights, blockBytes(p, q));
      return room < 0 ? null : inBlocks(8, rows, p, q, isSymmetric, w, a, b, out, room);
    },
  );

  /** The address of the weights in Float64, 0 for none, and of scratch memory of `bytes` bytes, −1 if there is no room. */
  function prepared(rows: number, widens: boolean, weights: number, bytes: number): [number, number] {
    const own = widens ? 8 * rows : 0;
    const address = own + bytes > 0 ? memory.scratch(own + bytes) : 0;
    if (address < 0 || !widens) return [weights, address];
    new Float64Array(memory.buffer, address, rows).set(new Float32Array(memory.buffer, weights, rows));
    return [address, address + own];
  }

  return {
    gram(rows, p, q, weights, a, b, out) {
      const isDouble = !isSingle(a) && !isSingle(b);
      const isFew = isDouble && rows * p * q < fewProducts;
      const sumAll = isDouble ? sumDoubles : sumTiles;
      const done = !isFew && sumAll(rows, p, q, a === b, isSingle(weights), weights, a, b, out);
      if (!done) plain.gram(rows, p, q, weights, a, b, out);
      else if (a === b) plain.mirror(p, out);
    },
    /** A row of ones, weighted, times x. */
    weightedColumnSums(rows, cols, weights, x, out) {
      const done = sumTiles(rows, 1, cols, false, isSingle(weights), weights, null, x, out);
      if (!done) plain.weightedColumnSums(rows, cols, weights, x, out);
    },
    dot: host.kernel(plain.dot, [input32, input32], dot),
    sum: host.kernel(plain.sum, [input32], sum),
    csrRowSums: host.kernel(plain.csrRowSums, [input, input32, output], (rows, starts, values, out) =>
      rowSums(rows, starts, values + 4 * memory.firstEntry(starts, 0), out),
    ),
  };
}
