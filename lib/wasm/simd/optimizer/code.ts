/** Which instructions move Float32 parameters? One pass over memory, but for the decay of AdamW, and no moment ever a denormal. */

import { denormalGuard, overflowGuard } from '../../../kernels/optimizers.ts';
import { type Assembler, type Declare, taking, variables, when, whileAtLeast } from '../../assembler/assembler.ts';
import type { Code, Local } from '../../assembler/code.ts';
import { type Access, accessOf, defineLoop, forEachElement } from '../elementwise/code.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import {
  add,
  divide,
  larger,
  less,
  multiply,
  smaller,
  splat,
  sqrt,
  subtract,
} from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';

export function defineOptimisers(module: Assembler): void {
  // sgd(n, gradient, velocity, parameters, rate, momentum)
  defineLoop(module, 'sgd', 3, 2, ({ load, store }, [gradient, velocity, parameters], [rate, momentum], declare) => {
    const v = declare('v128');
    return [
      v.set(add(multiply(momentum, load(velocity)), load(gradient))),
      flush(v, declare),
      store(velocity, v),
      store(parameters, subtract(load(parameters), multiply(rate, v))),
    ];
  });
  defineAdam(module);
}

type Move = (access: Access, gradient: Local | null, first: Local, second: Local, parameters: Local) => Code;

/**
 * One step of Adam for what lies under the pointers, by the gradient in a local, which is overwritten; null for zeros.
 * Division and root fill one of the two multiplying units; so the moments are updated with as few operations as can be.
 */
function adamMove(declare: Declare, [rate, rest1, rest2, epsilon]: Local[]): Move {
  const [m, v] = variables(declare, 'v128', 2);
  const smallest = Math.fround(Math.sqrt(denormalGuard));
  const largest = Math.sqrt(overflowGuard);
  return ({ load, store }, g, first, second, parameters) => [
    m.set(load(first)),
    m.set(g ? add(m, multiply(rest1, subtract(g, m))) : subtract(m, multiply(rest1, m))),
    flush(m, declare),
    store(first, m),
    v.set(load(second)),
    g ? g.set(smaller(larger(magnitude(g, declare), declare.constant(smallest)), declare.constant(largest))) : [],
    v.set(
      add(v, multiply(rest2, subtract(g ? multiply(g, g) : declare.constant(Math.fround(smallest * smallest)), v))),
    ),
    store(second, v),
    store(parameters, subtract(load(parameters), divide(multiply(rate, m), add(sqrt(v), epsilon)))),
  ];
}

/** adam(n, gradient, first, second, parameters, rate, 1 − beta1, 1 − beta2, epsilon) */
function defineAdam(module: Assembler): void {
  defineLoop(module, 'adam', 4, 4, (access, [gradient, first, second, parameters], numbers, declare) => {
    const g = declare('v128');
    return [g.set(access.load(gradient)), adamMove(declare, numbers)(access, g, first, second, parameters)];
  });
}

/**
 * adamProduct(rows, width, starts, columns, values, x, xRow, first, second, parameters, others, rate, 1 − beta1,
 * 1 − beta2, epsilon): columns and values point at the first entry of the first row. The gradient is made in registers,
 * eight columns at a time. Where `others` is 0, rows without an entry are left alone.
 */
export function defineAdamProduct(module: Assembler): void {
  defineAdamOthers(module);
  module.define('adamProduct', taking(11, 'f32', 'f32', 'f32', 'f32'), (locals, declare) => {
    const [rows, width, starts, columns, values, x, xRow, first, second, parameters, others, ...scalars] = locals;
    const numbers = variables(declare, 'v128', 4);
    const gradients = variables(declare, 'v128', 2);
    const factor = declare('v128');
    const [entries, entry, left, from, source, column, value] = variables(declare, 'i32', 7);
    const move = adamMove(declare, numbers);
    const pointers = [first, second, parameters];
    const look = [
      factor.set(v128.loadSplat(value)),
      source.set(i32.add(from, i32.multiply(i32.load(column), xRow))),
      [column, value].map((pointer) => pointer.step(4)),
    ];
    const gradientOf = (lanes: 4 | 1, halves: Local[]): Code => {
      const term = (half: number): Code => multiply(factor, v128.loadLanes[lanes](source, 16 * half));
      return [
        column.set(columns),
        value.set(values),
        look,
        halves.map((g, half) => g.set(term(half))),
        entry.set(i32.subtract(entries, i32.constant(1))),
        whileAtLeast(entry, 1, [look, halves.map((g, half) => g.set(add(g, term(half))))]),
      ];
    };
    const some = (count: 8 | 4 | 1): Code => {
      const halves = gradients.slice(0, count === 8 ? 2 : 1);
      return whileAtLeast(left, count, [
        gradientOf(count === 1 ? 1 : 4, halves),
        halves.map((g, half) => move(accessOf(count === 1 ? 1 : 4, 16 * half), g, first, second, parameters)),
        [from, ...pointers].map((pointer) => pointer.step(4 * count)),
      ]);
    };
    return [
      numbers.map((number, i) => number.set(splat(scalars[i]))),
      whileAtLeast(rows, 1, [
        entries.set(i32.subtract(i32.load(starts, 4), i32.load(starts))),
        left.set(width),
        when(
          i32.atLeast(entries, i32.constant(1)),
          [
            from.set(x),
            ([8, 4, 1] as const).map(some),
            [columns, values].map((pointer) => pointer.advance(i32.shiftLeft(entries, 2))),
          ],
          when(i32.and(others, wasMoved(second)), withoutGradient(move, left, pointers), skip(width, pointers)),
        ),
        starts.step(4),
      ]),
    ];
  });
}

/** adamOthers(rows, width, starts, first, second, parameters, rate, 1 − beta1, 1 − beta2, epsilon): rows without an entry. */
function defineAdamOthers(module: Assembler): void {
  module.define('adamOthers', taking(6, 'f32', 'f32', 'f32', 'f32'), (locals, declare) => {
    const [rows, width, starts, first, second, parameters, ...scalars] = locals;
    const numbers = variables(declare, 'v128', 4);
    const left = declare('i32');
    const pointers = [first, second, parameters];
    const isEmpty = i32.isZero(i32.subtract(i32.load(starts, 4), i32.load(starts)));
    return [
      numbers.map((number, i) => number.set(splat(scalars[i]))),
      whileAtLeast(rows, 1, [
        left.set(width),
        when(
          i32.and(isEmpty, wasMoved(second)),
          withoutGradient(adamMove(declare, numbers), left, pointers),
          skip(width, pointers),
        ),
        starts.step(4),
      ]),
    ];
  });
}

/** Did the row that begins here ever have a gradient? No step leaves a second moment of 0 behind. */
function wasMoved(second: Local): Code {
  return i32.isZero(f32.eq(f32.load(second), f32.constant(0)));
}

function withoutGradient(move: Move, left: Local, pointers: Local[]): Code {
  const [first, second, parameters] = pointers;
  return forEachElement(left, [8, 4, 1], pointers, (access) => move(access, null, first, second, parameters));
}

function skip(width: Local, pointers: Local[]): Code {
  return pointers.map((pointer) => pointer.advance(i32.shiftLeft(width, 2)));
}

/** value ← 0 where its size is below the guard; a NaN stays. */
function flush(value: Local, declare: Declare): Code {
  return value.set(v128.andNot(value, less(magnitude(value, declare), declare.constant(denormalGuard))));
}

/** Without the bit of the sign, which stays in a register: the instruction for it would make its mask anew each time. */
function magnitude(value: Local, declare: Declare): Code {
  return v128.andNot(value, declare.constant(-0));
}
