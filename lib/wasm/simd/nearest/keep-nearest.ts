/** The routine that keeps the nearest points of queries: the plain twin's algorithm on four queries at a time. */

import type { Assembler, Code } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { stepAll } from '../loops.ts';
import { defineReplace, isNearer } from './kd-tree.ts';

/** (m, n, width, products, aNorms, bNorms, reaches, rows, indices, distances, worst, places): as the kernel, and returns the count. */
export function defineKeepNearest(module: Assembler) {
  const replace = defineReplace(module);
  return module.define({ ...taking(12), result: 'i32' }, (locals, declare) => {
    const [m, n, width, products, aNorms, bNorms, reaches, rows, indices, distances, worst, places] = locals;
    const [left, place, norms, roots, heap, heaps] = variables(declare, 'i32', 6);
    const [bytes, mask, row, count] = variables(declare, 'i32', 4);
    const [norm, reach, product, near] = variables(declare, 'v128', 4);
    const distance = declare('f32');
    const offer = (lane: number): Code => [
      heap.set(i32.add(heaps, i32.multiply(bytes, lane))),
      when(isNearer(distance, row, f32.load(i32.add(distances, heap)), i32.load(i32.add(indices, heap))), [
        replace.call(width, i32.add(indices, heap), i32.add(distances, heap), row, distance),
        f32.store(roots, f32.load(i32.add(distances, heap)), 4 * lane),
      ]),
    ];
    const keep = (lane: number): Code =>
      when(i32.and(mask, 1 << lane), [
        distance.set(f32x4.lane(near, lane)),
        offer(lane),
        when(f32.atMost(distance, f32.load(reaches)), [
          i32.store(places, i32.add(place, lane)),
          places.step(4),
          count.step(1),
        ]),
      ]);
    const step = (lanes: 1 | 4): Code => {
      const load = lanes === 4 ? v128.load : v128.loadOne;
      return whileAtLeast(left, lanes, [
        product.set(load(products)),
        near.set(f32x4.subtract(f32x4.add(norm, load(norms)), f32x4.add(product, product))),
        mask.set(i32x4.signs(f32x4.atMost(near, f32x4.larger(reach, load(roots))))),
        when(mask, lanes === 4 ? [0, 1, 2, 3].map(keep) : keep(0)),
        stepAll([products, norms, roots], 4 * lanes),
        heaps.advance(i32.multiply(bytes, lanes)),
        place.step(lanes),
      ]);
    };
    return [
      bytes.set(i32.shiftLeft(width, 2)),
      whileAtLeast(m, 1, [
        norm.set(v128.loadSplat(aNorms)),
        reach.set(v128.loadSplat(reaches)),
        row.set(i32.load(rows)),
        norms.set(bNorms),
        roots.set(worst),
        heaps.set(i32.constant(0)),
        left.set(n),
        step(4),
        step(1),
        stepAll([aNorms, reaches, rows], 4),
      ]),
      count,
    ];
  });
}
