/** Code that the searches in a k-d tree of pairs of boxes share: distances of two boxes or four points at a time. */

import { leafSlots } from '../../../kernels/nearest/kd-reach.ts';
import type { Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { doWhile, variables } from '../../assembler/statements.ts';

/** How a norm sums up differences of either sign, two sums at a time, and the squared distances of the sums. */
export interface PairNorm {
  add(sum: Local, difference: Local): Code;
  square(sum: Local): Code;
}

const squares: PairNorm = {
  add: (sum, difference) => sum.set(f64x2.add(sum, f64x2.multiply(difference, difference))),
  square: (sum) => sum,
};

const absolutes: PairNorm = {
  add: (sum, difference) => sum.set(f64x2.add(sum, f64x2.absolute(difference))),
  square: (sum) => f64x2.multiply(sum, sum),
};

const largest: PairNorm = {
  add: (sum, difference) => sum.set(f64x2.larger(sum, f64x2.absolute(difference))),
  square: (sum) => f64x2.multiply(sum, sum),
};

/** A routine for each norm that has one. */
export function byNorm<R>(define: (norm: PairNorm) => R) {
  return { manhattan: define(absolutes), euclidean: define(squares), chebyshev: define(largest) };
}

/** From one column of a leaf to the next, in bytes. */
const columnBytes = 8 * leafSlots;

/** The distances of the query at `from`, with `dimension` columns, in one norm. `at` is behind the last column afterwards. */
export function treeDistances(declare: Declare, norm: PairNorm, dimension: Local, from: Local) {
  const [at, p, pointer] = variables(declare, 'i32', 3);
  const [sum, otherSum, value, difference] = variables(declare, 'v128', 4);
  const zero = declare.constant(0);
  /** Runs `body` for every column, with `value` set to that of the query in both lanes. */
  const forEachColumn = (body: Code, bytes: number): Code => [
    pointer.set(from),
    p.set(dimension),
    doWhile([value.set(v128.loadSplat64(pointer)), body, at.step(bytes), pointer.step(8), p.step(-1)], p),
  ];
  return {
    at,
    /** Sets `bounds` to the distances of the boxes of both halves of a node, as floats in the lower half. */
    measureHalves: (bounds: Local, pairs: Code, parent: Code): Code => [
      // 4·dimension + 2 numbers each
      at.set(i32.add(pairs, i32.multiply(parent, i32.add(i32.shiftLeft(dimension, 5), i32.constant(16))))),
      sum.set(zero),
      forEachColumn(
        [
          difference.set(f64x2.subtract(v128.load(at), value)),
          difference.set(f64x2.larger(difference, f64x2.subtract(value, v128.load(at, 16)))),
          difference.set(f64x2.larger(difference, zero)),
          norm.add(sum, difference),
        ],
        32,
      ),
      bounds.set(f64x2.toLower(norm.square(sum))),
    ],
    /** Sets `near` to the distances of the four points whose first coordinates are at `at`. */
    measureFour: (near: Local): Code => [
      sum.set(zero),
      otherSum.set(zero),
      forEachColumn(
        [
          difference.set(f64x2.subtract(value, v128.load(at))),
          norm.add(sum, difference),
          difference.set(f64x2.subtract(value, v128.load(at, 16))),
          norm.add(otherSum, difference),
        ],
        columnBytes,
      ),
      near.set(fourFloats(norm.square(sum), norm.square(otherSum))),
    ],
  };
}

/** Four Float32 numbers from two pairs of Float64 numbers. */
export function fourFloats(a: Code, b: Code): Code {
  return v128.shuffle(f64x2.toLower(a), f64x2.toLower(b), [0, 1, 4, 5]);
}

/** Sets `leaf` and `leafEnd` to the rows of a leaf and their end, and `rest` to its coordinates. */
export function findLeaf(
  [leaf, leafEnd, rest]: readonly [Local, Local, Local],
  place: Code,
  dimension: Local,
  rows: Local,
  columns: Local,
): Code {
  return [
    rest.set(i32.multiply(place, i32.constant(4 * leafSlots))),
    leaf.set(i32.add(rows, rest)),
    leafEnd.set(i32.add(leaf, i32.constant(4 * leafSlots))),
    // Coordinates and reaches: eight bytes each, of dimension + 1 columns.
    rest.set(i32.add(columns, i32.multiply(i32.shiftLeft(rest, 1), i32.add(dimension, i32.constant(1))))),
  ];
}

/** Whether slots of a leaf are left and are not empty. */
export function hasSlots(leaf: Local, leafEnd: Local): Code {
  return i32.and(i32.lessThanUnsigned(leaf, leafEnd), i32.notEqual(i32.load(leaf), i32.constant(0x7fffffff)));
}

/** A search takes at least a microsecond. */
export const flopsOfVisitor = 3e4;

/** The routine of a norm; undefined for the others. */
export function routineOf<R>(
  routines: { readonly manhattan: R; readonly euclidean: R; readonly chebyshev: R },
  power: number,
): R | undefined {
  return power === Infinity ? routines.chebyshev : [undefined, routines.manhattan, routines.euclidean][power];
}
