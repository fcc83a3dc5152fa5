/** The routine that searches a k-d tree for nearest points and by reach: the plain twin's algorithm on four points or two boxes at a time. */

import { leafSlots, plainReach, type ReachKernels, stackLength } from '../../../kernels/nearest/kd-reach.ts';
import type { Assembler, Code, Routines } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { doWhile, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { input, output } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { element, stepAll } from '../loops.ts';
import { defineReplace, isNearer, loopWhile } from './kd-tree.ts';
import { defineKeepNearest } from './keep-nearest.ts';
import {
  byNorm,
  findLeaf,
  flopsOfVisitor,
  fourFloats,
  hasSlots,
  type PairNorm,
  routineOf,
  treeDistances,
} from './tree-code.ts';

export function defineReach(module: Assembler) {
  return { ...byNorm((norm) => defineKdReach(module, norm)), keepNearest: defineKeepNearest(module) };
}

const one = i32.constant(1);

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
    const [leaf, leafEnd, mask, hit, isWhole, reachAt] = variables(declare, 'i32', 6);
    const [bound, reach, leftBound, rightBound, distance] = variables(declare, 'f32', 5);
    const [near, reaches, bounds, longest] = variables(declare, 'v128', 4);
    const { at, measureHalves, measureFour } = treeDistances(declare, norm, dimension, from);
    const lowestOf = (which: Code): Code => i32.load(element(lowest, which));
    const isNear = isNearer(bound, lowestOf(node), f32.load(distances), i32.load(indices));
    const enters = i32.or(f32.atMost(bound, reach), isNear);

    const clear = [
      rest.set(count),
      whileAtLeast(rest, 1, [
        i32.store(element(indices, i32.subtract(rest, one)), i32.constant(0x7fffffff)),
        f32.store(element(distances, i32.subtract(rest, one)), f32.constant(Infinity)),
      ]),
      i32.store(hits, i32.constant(0)),
    ];
    /** The distances of the boxes of both halves of a node, and their longest reaches. */
    const measureBoth = (parent: Code): Code => [
      measureHalves(bounds, pairs, parent),
      longest.set(f64x2.toLower(v128.load(at))),
    ];
    const push = (which: Code, itsBound: Code, itsReach: Code): Code => [
      i32.store(top, which),
      f32.store(top, itsBound, 8),
      f32.store(top, itsReach, 16),
      top.step(24),
    ];
    const descend = [
      measureBoth(node),
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
      measureFour(near),
      reaches.set(fourFloats(v128.load(at), v128.load(at, 16))),
      mask.set(i32x4.signs(f32x4.atMost(near, f32x4.larger(reaches, v128.loadSplat(distances))))),
      when(mask, [0, 1, 2, 3].map(note)),
    ];
    const scanLeaf = [
      isWhole.set(isNear),
      findLeaf([leaf, leafEnd, rest], i32.subtract(node, leaves), dimension, rows, columns),
      reachAt.set(i32.add(rest, i32.multiply(dimension, i32.constant(8 * leafSlots)))),
      // Until all slots were visited, the others are empty, or the box is beyond their reaches.
      loopWhile(i32.and(hasSlots(leaf, leafEnd), i32.or(isWhole, f32.atMost(bound, f64.toF32(f64.load(reachAt))))), [
        at.set(rest),
        visitFour,
        stepAll([rest, reachAt], 32),
        leaf.step(16),
      ]),
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

export function reachTwins(routines: Routines<typeof defineReach>, host: Host): ReachKernels {
  return {
    kdReach: host.kernel(
      plainReach.kdReach,
      [input, input, input, input, input, output, output, output, output, output],
      (start, end, count, dimension, leaves, room, power, rows, lowest, columns, pairs, x, ...found) => {
        const routine = routineOf(routines, power);
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
    keepNearest: host.kernel(
      plainReach.keepNearest,
      [input, input, input, input, input, output, output, output, output],
      routines.keepNearest,
    ),
  };
}
