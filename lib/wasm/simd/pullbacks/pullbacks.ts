/** Pullbacks of activations, sparse products and gathered rows: routines and twins. */

import { plainPullbacks, type PullbackKernels } from '../../../kernels/pullbacks.ts';
import type { Assembler, Code, Declare, Local, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input, input32, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import { defineScale, type Unary } from '../elementwise/elementwise.ts';
import { expm1 } from '../elementwise/functions.ts';
import { bothModes, defineClear, defineLoop, forEachRow, piecesOf, put, stepAll } from '../loops.ts';
import { defineListed } from '../rows/rows.ts';
import { blockFor, csrWidths } from '../sparse/sparse.ts';

/** The slopes of activations: backward(n, y, gradient, out). */
export function definePullbacks(module: Assembler) {
  return {
    backward: {
      relu: defineBackward(module, (y, declare) =>
        v128.and(f32x4.greater(y, declare.constant(0)), declare.constant(1)),
      ),
      softplus: defineBackward(module, (y, declare) => f32x4.negate(expm1(f32x4.negate(y), declare))),
      tanh: defineBackward(module, tanhSlope),
      sigmoid: defineBackward(module, (y, declare) => f32x4.multiply(y, f32x4.subtract(declare.constant(1), y))),
    },
    scale: bothModes((accumulate) => defineScale(module, accumulate)),
    /** By the places of their widths in `csrWidths`. */
    transposed: csrWidths.map((width) => defineTransposed(module, width)),
    clear: defineClear(module),
    scatterAdd: defineListed(module, false),
  };
}

/** `slope` is f′ as a function of the value y = f(x). */
function defineBackward(module: Assembler, slope: Unary) {
  return bothModes((accumulate) =>
    defineLoop(module, 3, 0, (access, [y, gradient, out], _, declare) => {
      const value = declare('v128');
      const pulled = f32x4.multiply(slope(value, declare), access.load(gradient));
      return [value.set(access.load(y)), put(access, out, pulled, accumulate)];
    }),
  );
}

function tanhSlope(y: Local, declare: Declare): Code {
  return f32x4.multiply(f32x4.subtract(declare.constant(1), y), f32x4.add(declare.constant(1), y));
}

/** (rows, starts, columns, values, x, xRow, out, outRow): out += Sᵀ·x on `width` columns of x. */
function defineTransposed(module: Assembler, width: number) {
  return module.define(taking(8), (locals, declare) => {
    const [rows, starts, columns, values, x, xRow, out, outRow] = locals;
    const pieces = piecesOf(width);
    const row = variables(declare, 'v128', pieces.length);
    const value = declare('v128');
    const [entries, target] = variables(declare, 'i32', 2);
    return forEachRow(rows, starts, entries, [
      pieces.map(({ load }, i) => row[i].set(load(x))),
      whileAtLeast(entries, 1, [
        value.set(v128.loadSplat(values)),
        target.set(i32.add(out, i32.multiply(i32.load(columns), outRow))),
        pieces.map((piece, i) => put(piece, target, f32x4.multiply(value, row[i]), true)),
        stepAll([columns, values], 4),
      ]),
      x.advance(xRow),
    ]);
  });
}

export function pullbackTwins(
  { backward, scale, transposed, clear, scatterAdd }: Routines<typeof definePullbacks>,
  host: Host,
): PullbackKernels {
  const { memory } = host;
  return {
    activateBackward: host.kernel(
      plainPullbacks.activateBackward,
      [input32, input32, output32],
      (activation, n, y, gradient, out, accumulate) => {
        if (activation === 'identity') return (accumulate ? scale.add : scale.set)(n, gradient, out, 1);
        return backward[activation][accumulate ? 'add' : 'set'](n, y, gradient, out);
      },
    ),
    csrTransposeMatmul: host.kernel(
      plainPullbacks.csrTransposeMatmul,
      [input, input, input32, input32, output32],
      (rows, cols, width, starts, columns, values, x, out, accumulate) => {
        const row = 4 * width;
        const first = 4 * memory.firstEntry(starts, 0);
        if (!accumulate) clear(out, cols * row);
        for (let c = 0; c < width;) {
          const block = blockFor(width - c);
          transposed[block](rows, starts, columns + first, values + first, x + 4 * c, row, out + 4 * c, row);
          c += csrWidths[block];
        }
      },
    ),
    scatterAddRows: host.kernel(plainPullbacks.scatterAddRows, [input, input32, output32], scatterAdd),
  };
}
