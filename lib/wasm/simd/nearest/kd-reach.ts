/** The routine that searches a k-d tree for nearest points and by reach: the plain twin's algorithm on four points or two boxes at a time. */

import { leafSlots, plainReach, type ReachKernels, stackLength } from '../../../kernels/nearest/kd-reach.ts';
import type { Assembler, Code, Local, Routines } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { doWhile, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { input, output } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { element } from '../loops.ts';
import { defineReplace, isNearer, loopWhile } from './kd-tree.ts';

/** How a norm sums up differences of either sign, two sums at a time, and the squared distances of the sums. */
interface PairNorm {
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

export function defineReach(module: Assembler) {
  return {
    manhattan: defineKdReach(module, absolutes),
    euclidean: defineKdReach(module, squares),
    chebyshev: defineKdReach(module, largest),
  };
}

const one = i32.constant(1);
/** From one column of a leaf to the next, in bytes. */
const columnBytes = 8 * leafSlots;

/**
 * (left, count, dimension, leaves, room, rows, lowest, columns, pairs, x, indices, distances, hits, hitDistances, stack): as
 * the kernel, for the first `left` queries, with the distances of one norm.
 */
function defineKdReach(module: Assembler, norm: PairNorm) {
  const replace = defineReplace(module);
  return module.define(taking(15), (locals, declare) => {
    const [queries, count, dimension, leaves, room, rows, lowest, columns, pairs, from] = locals;
    const [, , , , , , , , , , indices, distances, hits, hitDistances, stack] = locals;
    const [node, left, top, rest, last, kept] = variables(declare, 'i32', 6);
    const [leaf, leafEnd, at, p, pointer, mask, hit] = variables(declare, 'i32', 7);
    const [bound, reach, leftBound, rightBound, distance] = variables(declare, 'f32', 5);
    const [sum, otherSum, value, difference, near, reaches, bounds, longest] = variables(declare, 'v128', 8);
    const zero = declare.constant(0);
    const lowestOf = (which: Code): Code => i32.load(element(lowest, which));
    const enters = i32.or(
      f32.atMost(bound, reach),
      isNearer(bound, lowestOf(node), f32.load(distances), i32.load(indices)),
    );

    const clear = [
      rest.set(count),
      whileAtLeast(rest, 1, [
        i32.store(element(indices, i32.subtract(rest, one)), i32.constant(0x7fffffff)),
        f32.store(element(distances, i32.subtract(rest, one)), f32.constant(Infinity)),
      ]),
      i32.store(hits, i32.constant(0)),
    ];
    /** Runs `body` for every column, with `value` set to that of the query in both lanes. */
    const forEachColumn = (body: Code, bytes: number): Code => [
      pointer.set(from),
      p.set(dimension),
      doWhile([value.set(v128.loadSplat64(pointer)), body, at.step(bytes), pointer.step(8), p.step(-1)], p),
    ];
    /** The distances of the boxes of both halves of a node, and their longest reaches. */
    const measureHalves = (parent: Code): Code => [
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
      longest.set(f64x2.toLower(v128.load(at))),
    ];
    const push = (which: Code, itsBound: Code, itsReach: Code): Code => [
      i32.store(top, which),
      f32.store(top, itsBound, 8),
      f32.store(top, itsReach, 16),
      top.step(24),
    ];
    const descend = [
      measureHalves(node),
      left.set(i32.shiftLeft(node, 1)),
      leftBound.set(f32x4.lane(bounds, 0)),
      rightBound.set(f32x4.lane(bounds, 1)),
      when(
        isNearer(leftBound, lowestOf(left), rightBound, lowestOf(i32.add(left, one))),
        [
          push(i32.add(left, one), rightBound, f32x4.lane(longest, 1)),
          node.set(left),
          bound.set(leftBound),
          reach.set(f32x4.lane(longest, 0)),
        ],
        [
          push(left, leftBound, f32x4.lane(longest, 0)),
          node.set(i32.add(left, one)),
          bound.set(rightBound),
          reach.set(f32x4.lane(longest, 1)),
        ],
      ),
    ];
    const note = (lane: number): Code =>
      when(i32.and(mask, i32.constant(1 << lane)), [
        distance.set(f32x4.lane(near, lane)),
        kept.set(i32.load(leaf, 4 * lane)),
        when(
          isNearer(distance, kept, f32.load(distances), i32.load(indices)),
          replace.call(count, indices, distances, kept, distance),
        ),
        when(f32.atMost(distance, f32x4.lane(reaches, lane)), [
          hit.set(i32.add(i32.load(hits), one)),
          i32.store(hits, hit),
          when(i32.atLeast(room, hit), [
            i32.store(element(hits, hit), kept),
            f32.store(element(hitDistances, hit), distance),
          ]),
        ]),
      ]);
    /** Four slots of a leaf, whose rows are at `leaf`. */
    const visitFour = [
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
      reaches.set(fourFloats(v128.load(at), v128.load(at, 16))),
      mask.set(i32x4.signs(f32x4.atMost(near, f32x4.larger(reaches, v128.loadSplat(distances))))),
      when(mask, [0, 1, 2, 3].map(note)),
    ];
    const scanLeaf = [
      rest.set(i32.multiply(i32.subtract(node, leaves), i32.constant(4 * leafSlots))),
      leaf.set(i32.add(rows, rest)),
      leafEnd.set(i32.add(leaf, i32.constant(4 * leafSlots))),
      // Coordinates and reaches: eight bytes each, of dimension + 1 columns.
      rest.set(i32.add(columns, i32.multiply(i32.shiftLeft(rest, 1), i32.add(dimension, one)))),
      doWhile(
        [at.set(rest), visitFour, rest.step(32), leaf.step(16)],
        // Until all slots were visited or the others are empty.
        i32.and(i32.lessThanUnsigned(leaf, leafEnd), i32.notEqual(i32.load(leaf), i32.constant(0x7fffffff))),
      ),
    ];
    const sort = [
      last.set(i32.subtract(count, one)),
      loopWhile(i32.lessThan(i32.constant(0), last), [
        kept.set(i32.load(indices)),
        distance.set(f32.load(distances)),
        replace.call(last, indices, distances, i32.load(element(indices, last)), f32.load(element(distances, last))),
        i32.store(element(indices, last), kept),
        f32.store(element(distances, last), distance),
        last.step(-1),
      ]),
    ];
    return whileAtLeast(queries, 1, [
      clear,
      top.set(stack),
      push(one, f32.constant(0), f32.constant(Infinity)),
      doWhile(
        [
          top.step(-24),
          node.set(i32.load(top)),
          bound.set(f32.load(top, 8)),
          reach.set(f32.load(top, 16)),
          loopWhile(i32.and(i32.lessThan(node, leaves), enters), descend),
          when(i32.and(i32.atLeast(node, leaves), enters), scanLeaf),
        ],
        i32.lessThanUnsigned(stack, top),
      ),
      sort,
      [indices, distances].map((found) => found.advance(i32.shiftLeft(count, 2))),
      [hits, hitDistances].map((noted) => noted.advance(i32.shiftLeft(i32.add(room, one), 2))),
      from.advance(i32.shiftLeft(dimension, 3)),
    ]);
  });
}

/** Four Float32 numbers from two pairs of Float64 numbers. */
function fourFloats(a: Code, b: Code): Code {
  return v128.shuffle(f64x2.toLower(a), f64x2.toLower(b), [0, 1, 4, 5]);
}

/** A search takes at least a microsecond. */
const flopsOfVisitor = 3e4;

export function reachTwins(routines: Routines<typeof defineReach>, host: Host): ReachKernels {
  return {
    kdReach: host.kernel(
      plainReach.kdReach,
      [input, input, input, input, input, output, output, output, output, output],
      (start, end, count, dimension, leaves, room, power, rows, lowest, columns, pairs, x, ...found) => {
        const routine =
          power === Infinity ? routines.chebyshev : [undefined, routines.manhattan, routines.euclidean][power];
        if (!routine) return null;
        const [indices, distances, hits, hitDistances, stack] = found;
        const executor = host.chooseExecutor(flopsOfVisitor * (end - start));
        inChunks(executor, end - start, routine, (search, i, some) => {
          const [nearest, noted, first] = [4 * i * count, 4 * i * (room + 1), x + 8 * (start + i) * dimension];
          const tree = [rows, lowest, columns, pairs] as const;
          const own = [indices + nearest, distances + nearest, hits + noted, hitDistances + noted] as const;
          search(some, count, dimension, leaves, room, ...tree, first, ...own, stack + 8 * i * stackLength);
        });
        return executor.finish();
      },
    ),
  };
}
