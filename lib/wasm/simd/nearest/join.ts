/** Routines of the local joins of NN-descent: one member against four others at a time, and near pairs offered to heaps. */

import { type JoinKernels, plainJoins } from '../../../kernels/nearest/join.ts';
import type { Assembler, Code, Routines } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { repeat, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { held, input, input32, output, output32 } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { addLanes, element, forEachElement, stepAll } from '../loops.ts';
import { defineReplace, isNearer, loopWhile } from './kd-tree.ts';

export function defineJoins(module: Assembler) {
  return { joinGroups: defineJoin(module), offerPairs: defineOffer(module) };
}

/** (groups, capacity, room, d, members, news, counts, x, surplus, limits, found, pairs, distances): as the kernel. */
function defineJoin(module: Assembler) {
  return module.define(taking(13), (locals, declare) => {
    const [groups, capacity, room, d, members, news, counts, x, surplus, limits, found, pairs, distances] = locals;
    const [bytes, p, q, left, count, from, at, columns, mask, pair, distancePlace] = variables(declare, 'i32', 11);
    const others = variables(declare, 'i32', 4);
    const sums = variables(declare, 'v128', 4);
    const [value, difference, ownSurplus, ownLimit, distance, otherSums] = variables(declare, 'v128', 6);
    const zero = declare.constant(0);

    const note = (lane: number): Code =>
      when(i32.and(mask, 1 << lane), [
        i32.store(pair, i32.load(element(members, p))),
        i32.store(i32.add(pair, 4), i32.load(element(members, q), 4 * lane)),
        f32.store(distancePlace, f32x4.lane(distance, lane)),
        pair.step(8),
        distancePlace.step(4),
      ]);
    /** distance ← the totals of the lanes of each sum: lanes 0 and 2, lanes 1 and 3, then both. */
    const addFourLanes = (): Code => {
      const halves = (a: Code, b: Code): Code =>
        f32x4.add(v128.shuffle(a, b, [0, 1, 4, 5]), v128.shuffle(a, b, [2, 3, 6, 7]));
      return [
        distance.set(halves(sums[0], sums[1])),
        otherSums.set(halves(sums[2], sums[3])),
        distance.set(
          f32x4.add(v128.shuffle(distance, otherSums, [0, 2, 4, 6]), v128.shuffle(distance, otherSums, [1, 3, 5, 7])),
        ),
      ];
    };
    /** Compares member p with `width` members from q on, while as many are left. */
    const compare = (width: 1 | 4): Code => {
      const [some, rows] = [sums.slice(0, width), others.slice(0, width)];
      const load = v128.loadLanes[width];
      return whileAtLeast(left, width, [
        rows.map((row, t) => row.set(i32.add(x, i32.multiply(i32.load(element(members, q), 4 * t), bytes)))),
        some.map((sum) => sum.set(zero)),
        at.set(from),
        columns.set(d),
        forEachElement(columns, [8, 4, 1], [at, ...rows], (access) => [
          value.set(access.load(at)),
          some.map((sum, t) => [
            difference.set(f32x4.subtract(value, access.load(rows[t]))),
            sum.set(f32x4.add(sum, f32x4.multiply(difference, difference))),
          ]),
        ]),
        width === 4 ? addFourLanes() : [addLanes(sums[0]), distance.set(sums[0])],
        distance.set(f32x4.add(f32x4.add(distance, ownSurplus), load(element(surplus, q)))),
        mask.set(i32x4.signs(f32x4.atMost(distance, f32x4.larger(ownLimit, load(element(limits, q)))))),
        when(mask, width === 4 ? [0, 1, 2, 3].map(note) : note(0)),
        q.step(width),
      ]);
    };
    return [
      bytes.set(i32.shiftLeft(d, 2)),
      whileAtLeast(groups, 1, [
        pair.set(pairs),
        distancePlace.set(distances),
        count.set(i32.load(counts)),
        p.set(i32.constant(0)),
        loopWhile(i32.lessThan(p, i32.load(news)), [
          from.set(i32.add(x, i32.multiply(i32.load(element(members, p)), bytes))),
          ownSurplus.set(v128.loadSplat(element(surplus, p))),
          ownLimit.set(v128.loadSplat(element(limits, p))),
          q.set(i32.add(p, 1)),
          left.set(i32.subtract(count, q)),
          compare(4),
          compare(1),
          p.step(1),
        ]),
        i32.store(found, i32.shiftRight(i32.subtract(pair, pairs), 3)),
        stepAll([news, counts, found], 4),
        [members, surplus, limits].map((array) => array.advance(i32.shiftLeft(capacity, 2))),
        pairs.advance(i32.shiftLeft(room, 3)),
        distances.advance(i32.shiftLeft(room, 2)),
      ]),
    ];
  });
}

/**
 * (part, parts, groups, room, width, found, pairs, distances, tagged, nearest): as the kernel, for the rows whose remainder by
 * `parts`, a power of two, is `part`.
 */
function defineOffer(module: Assembler) {
  const offer = defineOfferTo(module);
  return module.define(taking(10), (locals, declare) => {
    const [part, parts, groups, room, width, found, pairs, distances, tagged, nearest] = locals;
    const [left, pair, distancePlace, one, other] = variables(declare, 'i32', 5);
    const [distance] = variables(declare, 'f32', 1);
    const isOwn = (row: Code): Code => i32.eq(i32.and(row, i32.subtract(parts, 1)), part);
    return whileAtLeast(groups, 1, [
      pair.set(pairs),
      distancePlace.set(distances),
      repeat(left, i32.load(found), [
        one.set(i32.load(pair)),
        other.set(i32.load(pair, 4)),
        distance.set(f32.load(distancePlace)),
        when(i32.notEqual(one, other), [
          when(isOwn(one), offer.call(one, other, width, tagged, nearest, distance)),
          when(isOwn(other), offer.call(other, one, width, tagged, nearest, distance)),
        ]),
        pair.step(8),
        distancePlace.step(4),
      ]),
      found.step(4),
      pairs.advance(i32.shiftLeft(room, 3)),
      distances.advance(i32.shiftLeft(room, 2)),
    ]);
  });
}

/** (row, index, width, tagged, nearest, distance): offers one index to the heap of a row. */
function defineOfferTo(module: Assembler) {
  const replace = defineReplace(module);
  return module.define(taking(5, 'f32'), ([row, index, width, tagged, nearest, distance], declare) => {
    const [rest, at, isIn] = variables(declare, 'i32', 3);
    return [
      row.set(i32.multiply(row, width)),
      tagged.set(element(tagged, row)),
      nearest.set(element(nearest, row)),
      index.set(i32.shiftLeft(index, 1)),
      when(isNearer(distance, index, f32.load(nearest), i32.load(tagged)), [
        index.step(1),
        at.set(tagged),
        repeat(rest, width, [isIn.set(i32.or(isIn, i32.eq(i32.or(i32.load(at), 1), index))), at.step(4)]),
        when(i32.isZero(isIn), replace.call(width, tagged, nearest, index, distance)),
      ]),
    ];
  });
}

/** A column of a pair: a difference, squared and summed in single precision. */
const flopsOfPair = 3;
/** A fraction of all pairs is near, and takes some ten nanoseconds. */
const flopsOfOffer = 10;

export function joinTwins(routines: Routines<typeof defineJoins>, host: Host): JoinKernels {
  return {
    joinGroups: host.kernel(
      plainJoins.joinGroups,
      [input, input, input, input32, input32, input32, output, output, output32],
      (groups, capacity, room, d, members, news, counts, x, surplus, limits, found, pairs, distances) => {
        const executor = host.chooseExecutor(flopsOfPair * groups * room * d);
        inChunks(executor, groups, routines.joinGroups, (join, g, some) => {
          const [one, each, first] = [4 * g, 4 * g * capacity, 4 * g * room];
          const sizes = [some, capacity, room, d] as const;
          const lists = [members + each, news + one, counts + one] as const;
          const own = [surplus + each, limits + each] as const;
          join(...sizes, ...lists, x, ...own, found + one, pairs + 2 * first, distances + first);
        });
        return executor.finish();
      },
    ),
    offerPairs: host.kernel(
      plainJoins.offerPairs,
      [input, input, input32, held, held],
      (groups, room, width, found, pairs, distances, tagged, nearest) => {
        const executor = host.chooseExecutor(flopsOfOffer * groups * room);
        const parts = 2 ** Math.floor(Math.log2(executor.count));
        const offer = executor.defer(routines.offerPairs);
        for (let part = 0; part < parts; part++) {
          offer(part, parts, groups, room, width, found, pairs, distances, tagged, nearest);
        }
        return executor.finish();
      },
    ),
  };
}
