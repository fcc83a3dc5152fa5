/** The routine of Gaussian weights in a k-d tree: the plain twin's algorithm on four points or two boxes at a time. */

import { tableHead, tableSteps } from '../../../kernels/nearest/kd-gaussian.ts';
import { leafSlots } from '../../../kernels/nearest/kd-reach.ts';
import type { Assembler, Code, Local } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { doWhile, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { byNorm, findLeaf, fourFloats, hasSlots, type PairNorm, treeDistances } from './tree-code.ts';

export function defineGaussian(module: Assembler) {
  return byNorm((norm) => defineKdGaussian(module, norm));
}

const one = i32.constant(1);

/**
 * (left, dimension, leaves, room, rows, columns, pairs, x, table, hits, weights, stack): as the kernel, for the first `left`
 * queries, with the distances of one norm.
 */
function defineKdGaussian(module: Assembler, norm: PairNorm) {
  return module.define(taking(12), (locals, declare) => {
    const [queries, dimension, leaves, room, rows, columns, pairs, from, table, hits, weights, stack] = locals;
    const [node, top, leaf, leafEnd, rest, bits, count] = variables(declare, 'i32', 7);
    /** Where the next hit is written, the last place at which a leaf may begin, and from hits to weights, in bytes. */
    const [to, lastStart, apart] = variables(declare, 'i32', 3);
    const limit = declare('f32');
    const [near, bounds, limits, unit, step, threshold] = variables(declare, 'v128', 6);
    const [place, whole, t, low, high] = variables(declare, 'v128', 5);
    const both = (value: number): Code => f64x2.splat(f64.constant(value));
    const { at, measureHalves, measureFour } = treeDistances(declare, norm, dimension, from);

    const push = (half: 0 | 1): Code =>
      when(f32.atMost(f32x4.lane(bounds, half), limit), [
        i32.store(top, i32.add(i32.shiftLeft(node, 1), i32.constant(half))),
        top.step(8),
      ]);
    const entry = (lane: 0 | 1): Code =>
      i32.add(i32.add(table, i32.constant(8 * tableHead)), i32.shiftLeft(i32x4.lane(whole, lane), 3));
    /** The weights of two squared distances. */
    const weigh = (out: Local, squared: Code): Code => [
      place.set(f64x2.smaller(f64x2.multiply(squared, unit), both(tableSteps + 1))),
      whole.set(i32x4.fromF64x2(place)),
      t.set(f64x2.multiply(step, f64x2.subtract(place, f64x2.fromI32x4(whole)))),
      place.set(f64x2.subtract(both(1 / 2), f64x2.multiply(t, both(1 / 6)))),
      place.set(f64x2.subtract(both(1), f64x2.multiply(t, place))),
      place.set(f64x2.subtract(both(1), f64x2.multiply(t, place))),
      out.set(f64x2.multiply(v128.loadUpper(entry(1), v128.loadTwo(entry(0))), place)),
    ];
    /** Writes a hit, and goes on behind it if its weight is above the threshold. */
    const note = (lane: number): Code => [
      i32.store(to, i32.load(leaf, 4 * lane)),
      v128.storeLane(i32.add(to, apart), near, lane),
      to.advance(i32.shiftLeft(i32.and(i32.shiftRight(bits, i32.constant(lane)), one), 2)),
    ];
    /** The zero behind the hits. */
    const endHits = [i32.store(to, i32.constant(0)), i32.store(i32.add(to, apart), i32.constant(0))];
    /** Four slots of a leaf, whose rows are at `leaf`. */
    const visitFour = [
      measureFour(near),
      when(i32x4.signs(f32x4.atMost(near, limits)), [
        weigh(low, f64x2.fromLower(near)),
        weigh(high, f64x2.fromLower(v128.shuffle(near, near, [2, 3, 2, 3]))),
        bits.set(
          i32.or(f64x2.signs(f64x2.less(threshold, low)), i32.shiftLeft(f64x2.signs(f64x2.less(threshold, high)), 2)),
        ),
        near.set(fourFloats(low, high)),
        count.advance(i32.ones(bits)),
        [0, 1, 2, 3].map(note),
      ]),
    ];
    const scanLeaf = [
      when(i32.lessThanUnsigned(lastStart, to), [endHits, to.set(i32.add(hits, i32.constant(4)))]),
      findLeaf([leaf, leafEnd, rest], i32.subtract(node, leaves), dimension, rows, columns),
      doWhile([at.set(rest), visitFour, rest.step(32), leaf.step(16)], hasSlots(leaf, leafEnd)),
    ];
    return [
      unit.set(v128.loadSplat64(table)),
      step.set(v128.loadSplat64(table, 8)),
      threshold.set(v128.loadSplat64(table, 16)),
      limit.set(f64.toF32(f64.load(table, 24))),
      limits.set(f32x4.splat(limit)),
      apart.set(i32.subtract(weights, hits)),
      whileAtLeast(queries, 1, [
        count.set(i32.constant(0)),
        to.set(i32.add(hits, i32.constant(4))),
        lastStart.set(i32.add(hits, i32.shiftLeft(i32.subtract(room, i32.constant(leafSlots)), 2))),
        top.set(stack),
        i32.store(top, one),
        top.step(8),
        doWhile(
          [
            top.step(-8),
            node.set(i32.load(top)),
            when(i32.lessThan(node, leaves), [measureHalves(bounds, pairs, node), push(1), push(0)], scanLeaf),
          ],
          i32.lessThanUnsigned(stack, top),
        ),
        i32.store(hits, count),
        endHits,
        hits.advance(i32.shiftLeft(i32.add(room, one), 2)),
        from.advance(i32.shiftLeft(dimension, 3)),
      ]),
    ];
  });
}
