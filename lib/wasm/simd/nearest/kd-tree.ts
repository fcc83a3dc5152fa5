/** The routine that finds the nearest points in a k-d tree. It is the same algorithm as the plain twin, in the same precision. */

import type { Assembler, Code, Local } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { doWhile, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { element, stepAll } from '../loops.ts';
import type { NormCode } from './powers-code.ts';

const one = i32.constant(1);

/** Whether (distance, index) is nearer than (otherDistance, otherIndex). */
export function isNearer(distance: Code, index: Code, otherDistance: Code, otherIndex: Code): Code {
  const tie = i32.and(f32.eq(distance, otherDistance), i32.lessThan(index, otherIndex));
  return i32.or(f32.less(distance, otherDistance), tie);
}

/** A loop that tests its condition first. */
export function loopWhile(condition: Code, body: Code): Code {
  return when(condition, doWhile(body, condition));
}

/**
 * (start, end, count, dimension, leaves, self, starts, order, lowest, points, boxes, x, indices, distances): as the kernel,
 * with the distances of one norm.
 */
export function defineKdNearest(module: Assembler, norm: NormCode) {
  const replace = defineReplace(module);
  const boxDistance = defineBoxDistance(module, norm);
  return module.define(taking(14), (locals, declare) => {
    const [place, end, count, dimension, leaves, self, starts, order, lowest, points, boxes, x, indices, distances] =
      locals;
    const [from, except, node, left, level, pending, rest, last] = variables(declare, 'i32', 8);
    const [other, otherEnd, at, p, pointer, kept] = variables(declare, 'i32', 6);
    const [bound, leftBound, rightBound, distance] = variables(declare, 'f32', 4);
    const [sum, difference] = variables(declare, 'f64', 2);
    const bytes = i32.shiftLeft(dimension, 3);
    const lowestOf = (which: Code): Code => i32.load(element(lowest, which));
    const bounded = isNearer(bound, lowestOf(node), f32.load(distances), i32.load(indices));
    const goesOn = i32.lessThan(1, level);

    const clear = [
      rest.set(count),
      whileAtLeast(rest, 1, [
        i32.store(element(indices, i32.subtract(rest, 1)), 0x7fffffff),
        f32.store(element(distances, i32.subtract(rest, 1)), f32.constant(Infinity)),
      ]),
    ];
    const descend = [
      left.set(i32.shiftLeft(node, 1)),
      leftBound.set(boxDistance.call(left, dimension, boxes, from)),
      rightBound.set(boxDistance.call(i32.add(left, 1), dimension, boxes, from)),
      when(
        isNearer(leftBound, lowestOf(left), rightBound, lowestOf(i32.add(left, 1))),
        [node.set(left), bound.set(leftBound)],
        [node.set(i32.add(left, 1)), bound.set(rightBound)],
      ),
      level.set(i32.shiftLeft(level, 1)),
      pending.set(i32.or(pending, level)),
    ];
    const visit = [
      sum.set(f64.constant(0)),
      pointer.set(from),
      p.set(dimension),
      doWhile(
        [
          difference.set(f64.subtract(f64.load(pointer), f64.load(at))),
          norm.add(sum, difference),
          stepAll([pointer, at], 8),
          p.step(-1),
        ],
        p,
      ),
      distance.set(f64.toF32(norm.square(sum))),
      when(f32.atMost(distance, f32.load(distances)), [
        kept.set(i32.load(element(order, other))),
        when(
          i32.and(isNearer(distance, kept, f32.load(distances), i32.load(indices)), i32.notEqual(other, except)),
          replace.call(count, indices, distances, kept, distance),
        ),
      ]),
      other.step(1),
    ];
    const scanLeaf = [
      other.set(i32.load(element(starts, node))),
      otherEnd.set(i32.load(element(starts, node), 4)),
      at.set(i32.add(points, i32.multiply(other, bytes))),
      loopWhile(i32.lessThan(other, otherEnd), visit),
    ];
    const climb = [
      loopWhile(i32.and(goesOn, i32.isZero(i32.and(pending, level))), [
        node.set(i32.shiftRight(node, 1)),
        level.set(i32.shiftRight(level, 1)),
      ]),
      when(goesOn, [
        pending.set(i32.xor(pending, level)),
        node.set(i32.xor(node, 1)),
        bound.set(boxDistance.call(node, dimension, boxes, from)),
      ]),
    ];
    const sort = [
      last.set(i32.subtract(count, 1)),
      loopWhile(i32.lessThan(0, last), [
        kept.set(i32.load(indices)),
        distance.set(f32.load(distances)),
        replace.call(last, indices, distances, i32.load(element(indices, last)), f32.load(element(distances, last))),
        i32.store(element(indices, last), kept),
        f32.store(element(distances, last), distance),
        last.step(-1),
      ]),
    ];
    return [
      from.set(i32.add(x, i32.multiply(place, bytes))),
      loopWhile(i32.lessThan(place, end), [
        clear,
        except.set(i32.constant(-1)),
        when(self, except.set(place)),
        node.set(one),
        bound.set(f32.constant(0)),
        level.set(one),
        pending.set(i32.constant(0)),
        doWhile(
          [
            loopWhile(i32.and(i32.lessThan(node, leaves), bounded), descend),
            when(i32.and(i32.atLeast(node, leaves), bounded), scanLeaf),
            climb,
          ],
          goesOn,
        ),
        sort,
        [indices, distances].map((found) => found.advance(i32.shiftLeft(count, 2))),
        from.advance(bytes),
        place.step(1),
      ]),
    ];
  });
}

/** (width, indices, distances, index, distance): replaces the root of this heap. */
export function defineReplace(module: Assembler) {
  return module.define(taking(4, 'f32'), (locals, declare) => {
    const [width, indices, distances, index, distance] = locals;
    const [slot, child, sinks, childIndex, otherIndex] = variables(declare, 'i32', 5);
    const [childDistance, otherDistance] = variables(declare, 'f32', 2);
    const read = (which: Code, intoIndex: Local, intoDistance: Local): Code => [
      intoIndex.set(i32.load(element(indices, which))),
      intoDistance.set(f32.load(element(distances, which))),
    ];
    const write = (which: Code, fromIndex: Code, fromDistance: Code): Code => [
      i32.store(element(indices, which), fromIndex),
      f32.store(element(distances, which), fromDistance),
    ];
    return [
      doWhile(
        [
          sinks.set(i32.constant(0)),
          child.set(i32.add(i32.shiftLeft(slot, 1), 1)),
          when(i32.lessThan(child, width), [
            read(child, childIndex, childDistance),
            when(i32.lessThan(i32.add(child, 1), width), [
              read(i32.add(child, 1), otherIndex, otherDistance),
              when(isNearer(childDistance, childIndex, otherDistance, otherIndex), [
                child.step(1),
                childIndex.set(otherIndex),
                childDistance.set(otherDistance),
              ]),
            ]),
            when(isNearer(distance, index, childDistance, childIndex), [
              write(slot, childIndex, childDistance),
              slot.set(child),
              sinks.set(one),
            ]),
          ]),
        ],
        sinks,
      ),
      write(slot, index, distance),
    ];
  });
}

/** (node, dimension, boxes, x): rounded to Float32. */
function defineBoxDistance(module: Assembler, norm: NormCode) {
  return module.define({ ...taking(4), result: 'f32' }, ([node, dimension, boxes, x], declare) => {
    const [low, bytes] = variables(declare, 'i32', 2);
    const [sum, value, below, above, difference] = variables(declare, 'f64', 5);
    return [
      bytes.set(i32.shiftLeft(dimension, 3)),
      low.set(i32.add(boxes, i32.multiply(i32.shiftLeft(node, 1), bytes))),
      doWhile(
        [
          value.set(f64.load(x)),
          below.set(f64.subtract(f64.load(low), value)),
          above.set(f64.subtract(value, f64.load(i32.add(low, bytes)))),
          difference.set(f64.select(above, f64.constant(0), f64.less(f64.constant(0), above))),
          difference.set(f64.select(below, difference, f64.less(f64.constant(0), below))),
          norm.add(sum, difference),
          stepAll([low, x], 8),
          dimension.step(-1),
        ],
        dimension,
      ),
      f64.toF32(norm.square(sum)),
    ];
  });
}
