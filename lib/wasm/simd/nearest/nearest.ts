/** Searches for neighbors: near pairs out of Float32 products, listed pairs measured in Float64. Routines and twins. */

import { type NearestKernels, plainNearest } from '../../../kernels/nearest/nearest.ts';
import type { Assembler, Code, Routines } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { input, input32, output, output32 } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { stepAll } from '../loops.ts';
import { largestWhole } from '../../../kernels/nearest/powers.ts';
import { defineKdNearest } from './kd-tree.ts';
import { absolutes, definePowerSums, largest, measureRows, squares } from './powers-code.ts';

export function defineNearest(module: Assembler) {
  return {
    siftPairs: defineSift(module),
    listedDistances: defineListed(module),
    powerSums: definePowerSums(module, largestWhole),
    kdNearest: {
      manhattan: defineKdNearest(module, absolutes),
      euclidean: defineKdNearest(module, squares),
      chebyshev: defineKdNearest(module, largest),
    },
  };
}

/** (m, n, products, aNorms, bNorms, aLimits, bLimits, places, distances): as the kernel, and returns the count. */
function defineSift(module: Assembler) {
  return module.define({ ...taking(9), result: 'i32' }, (locals, declare) => {
    const [m, n, products, aNorms, bNorms, aLimits, bLimits, places, distances] = locals;
    const [left, place, norms, limits, mask, count] = variables(declare, 'i32', 6);
    const [norm, limit, product, distance] = variables(declare, 'v128', 4);
    const note = (lane: number): Code =>
      when(i32.and(mask, 1 << lane), [
        i32.store(places, i32.add(place, lane)),
        f32.store(distances, f32x4.lane(distance, lane)),
        stepAll([places, distances], 4),
        count.step(1),
      ]);
    const step = (width: 1 | 4): Code => {
      const load = width === 4 ? v128.load : v128.loadOne;
      const near = i32x4.signs(f32x4.atMost(distance, f32x4.larger(limit, load(limits))));
      return whileAtLeast(left, width, [
        product.set(load(products)),
        distance.set(f32x4.subtract(f32x4.add(norm, load(norms)), f32x4.add(product, product))),
        mask.set(near),
        when(mask, width === 4 ? [0, 1, 2, 3].map(note) : note(0)),
        stepAll([products, norms, limits], 4 * width),
        place.step(width),
      ]);
    };
    return [
      whileAtLeast(m, 1, [
        norm.set(v128.loadSplat(aNorms)),
        limit.set(v128.loadSplat(aLimits)),
        norms.set(bNorms),
        limits.set(bLimits),
        left.set(n),
        step(4),
        step(1),
        stepAll([aNorms, aLimits], 4),
      ]),
      count,
    ];
  });
}

/** (rows, count, d, lists, a, b, out): as the kernel, d ≥ 1. Reads Float32, sums in Float64. */
function defineListed(module: Assembler) {
  return module.define(taking(7), ([rows, count, d, lists, a, b, out], declare) =>
    measureRows(declare, [rows, count, d, a], {
      add: squares.add,
      before: (pointers, bytes) =>
        pointers.map((pointer, t) => pointer.set(i32.add(b, i32.multiply(i32.load(lists, 4 * t), bytes)))),
      after: (sums) => [
        sums.map((sum, t) => f32.store(out, f64.toF32(sum), 4 * t)),
        stepAll([lists, out], 4 * sums.length),
      ],
    }),
  );
}

/** The cost of a difference, squared and summed in double precision. */
const flopsOfTerm = 8;
/** A search in a tree takes at least a microsecond. */
const flopsOfVisitor = 3e4;

export function nearestTwins(routines: Routines<typeof defineNearest>, host: Host): NearestKernels {
  return {
    siftPairs: host.kernel(
      plainNearest.siftPairs,
      [input, input, input, input, input, output, output],
      routines.siftPairs,
    ),
    listedDistances: host.kernel(
      plainNearest.listedDistances,
      [input, input32, input32, output32],
      (rows, count, d, lists, a, b, out) => {
        if (d === 0) return null;
        const executor = host.chooseExecutor(flopsOfTerm * rows * count * d);
        inChunks(executor, rows, routines.listedDistances, (measure, i, some) => {
          const list = 4 * i * count;
          measure(some, count, d, lists + list, a + 4 * i * d, b, out + list);
        });
        return executor.finish();
      },
    ),
    powerSums: host.kernel(plainNearest.powerSums, [input32, input32, output], (m, n, d, power, a, b, out) => {
      const routine = sumsRoutine(routines, power);
      if (d === 0 || !routine) return null;
      const executor = host.chooseExecutor(flopsOfTerm * m * n * d);
      inChunks(executor, m, routine, (measure, i, some) => measure(some, n, d, a + 4 * i * d, b, out + 8 * i * n));
      return executor.finish();
    }),
    kdNearest: host.kernel(
      plainNearest.kdNearest,
      [input, input, input, input, input, input, output, output],
      (
        start,
        end,
        count,
        dimension,
        leaves,
        self,
        power,
        starts,
        order,
        lowest,
        points,
        boxes,
        x,
        indices,
        distances,
      ) => {
        const routine = kdRoutine(routines, power);
        if (!routine) return null;
        const executor = host.chooseExecutor(flopsOfVisitor * (end - start));
        inChunks(executor, end - start, routine, (search, i, some) => {
          const from = start + i;
          const to = from + some;
          const [ids, lengths] = [indices + 4 * i * count, distances + 4 * i * count];
          search(from, to, count, dimension, leaves, self, starts, order, lowest, points, boxes, x, ids, lengths);
        });
        return executor.finish();
      },
    ),
  };
}

/** The routine of a power; undefined for powers that need Math.pow. */
function sumsRoutine({ powerSums }: Routines<typeof defineNearest>, power: number) {
  if (power === Infinity) return powerSums.chebyshev;
  return [undefined, powerSums.manhattan, powerSums.euclidean, ...powerSums.whole][power];
}

function kdRoutine({ kdNearest }: Routines<typeof defineNearest>, power: number) {
  if (power === Infinity) return kdNearest.chebyshev;
  return [undefined, kdNearest.manhattan, kdNearest.euclidean][power];
}
