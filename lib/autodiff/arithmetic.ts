/** Differentiable entrywise operations, activations, row operations and reductions: forward functions and pullbacks. */

import { badKind, badValue, checkFinite, showShape } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import { pullbackKernels, reduceKernels } from '../wasm/families.ts';
import { type Activation, type Floats, isFloats } from '../kernels/types.ts';
import { checkMatrix } from '../linalg/matrix.ts';
import { checkIndices } from '../sparse/indices.ts';
import type { Precision, Shape, Tensor } from '../tensor/tensor.ts';
import { sameShape } from '../tensor/workspace.ts';
import type { Operation, Pullback } from './operation.ts';

/** into = factor·gradient, or into += …: the pullback of operations whose derivative is the same constant everywhere. */
const linearPullback =
  (factor: number): Pullback<unknown> =>
  ({ gradient }, into, accumulate) =>
    kernels.scale(into.size, factor, gradient.data, into.data, accumulate);

export const add: Operation<null> = {
  name: 'add',
  shape: commonShape,
  forward: ({ inputs: [a, b] }, value) => kernels.add(value.size, a.data, b.data, value.data),
  pullbacks: [linearPullback(1), linearPullback(1)],
};

export const subtract: Operation<null> = {
  name: 'subtract',
  shape: commonShape,
  forward: ({ inputs: [a, b] }, value) => kernels.subtract(value.size, a.data, b.data, value.data),
  pullbacks: [linearPullback(1), linearPullback(-1)],
};

/** Entry by entry. */
export const multiply: Operation<null> = {
  name: 'multiply',
  shape: commonShape,
  forward: ({ inputs: [a, b] }, value) => kernels.multiply(value.size, a.data, b.data, value.data, false),
  pullbacks: [1, 0].map(
    (other): Pullback<null> =>
      ({ inputs, gradient }, into, accumulate) =>
        kernels.multiply(into.size, gradient.data, inputs[other].data, into.data, accumulate),
  ),
};

export const scale: Operation<number> = {
  name: 'scale',
  shape: ([x], factor) => {
    if (typeof factor !== 'number') throw badKind('scale', 'a number as factor', factor);
    return x.shape;
  },
  forward: ({ inputs: [x], params }, value) => kernels.scale(value.size, params, x.data, value.data, false),
  pullbacks: [(call, into, accumulate) => linearPullback(call.params)(call, into, accumulate)],
};

/** Every row of x plus the bias. */
export const addBias: Operation<null> = {
  name: 'addBias',
  shape: ([x, bias], _, caller) => {
    checkMatrix(caller, 'x', x);
    checkBias(caller, x, x.cols, bias);
    return x.shape;
  },
  forward: ({ inputs: [x, bias] }, value) => kernels.addBias(x.rows, x.cols, x.data, bias.data, value.data),
  pullbacks: [linearPullback(1), biasPullback],
};

export const activate: Operation<Activation> = {
  name: 'activate',
  shape: ([x]) => x.shape,
  forward: ({ inputs: [x], params }, value) => kernels.activate(params, value.size, x.data, value.data),
  pullbacks: [
    ({ value, gradient, params }, into, accumulate) =>
      pullbackKernels().activateBackward(params, into.size, value.data, gradient.data, into.data, accumulate),
  ],
};

export const convert: Operation<Precision> = {
  name: 'convert',
  shape: ([x]) => x.shape,
  precision: (_, precision) => precision,
  forward: ({ inputs: [x] }, value) => value.data.set(x.data),
  pullbacks: [linearPullback(1)],
};

export const gatherRows: Operation<Int32Array> = {
  name: 'gatherRows',
  shape: ([x], rows, caller) => {
    checkMatrix(caller, 'x', x);
    if (!(rows instanceof Int32Array)) throw badKind(caller, 'an Int32Array of rows', rows);
    checkIndices(caller, 'rows', rows, x.rows);
    return [rows.length, x.cols];
  },
  forward: ({ inputs: [x], params }, value) => kernels.gatherRows(params.length, x.cols, params, x.data, value.data),
  pullbacks: [
    ({ gradient, params }, into, accumulate) => {
      if (!accumulate) into.data.fill(0);
      pullbackKernels().scatterAddRows(params.length, into.cols, params, gradient.data, into.data);
    },
  ],
};

/** Row i times factors[i]. The factors are constants of either precision. */
export const scaleRows: Operation<Floats> = {
  name: 'scaleRows',
  shape: ([x], factors, caller) => {
    checkMatrix(caller, 'x', x);
    if (!isFloats(factors)) throw badKind(caller, 'factors as a Float32Array or Float64Array', factors);
    if (factors.length !== x.rows) throw badValue(caller, `${x.rows} factors, one for each row`, factors.length);
    checkFinite(caller, 'factors', factors);
    return x.shape;
  },
  forward: ({ inputs: [x], params }, value) => kernels.scaleRows(x.rows, x.cols, params, x.data, value.data, false),
  pullbacks: [
    ({ gradient, params }, into, accumulate) =>
      kernels.scaleRows(into.rows, into.cols, params, gradient.data, into.data, accumulate),
  ],
};

/** The next three operations return a single number in Float64, since it may be a loss. */
const scalar = { shape: (): Shape => [], precision: (): Precision => 'double' };

export const sum: Operation<null> = {
  name: 'sum',
  ...scalar,
  forward: ({ inputs: [x] }, value) => {
    value.data[0] = reduceKernels().sum(x.size, x.data);
  },
  pullbacks: [({ gradient }, into, accumulate) => broadcast(gradient.data[0], into, accumulate)],
};

export const mean: Operation<null> = {
  name: 'mean',
  ...scalar,
  shape: ([x]) => {
    if (x.size === 0) throw badValue('mean', 'at least one number', 'none');
    return [];
  },
  forward: ({ inputs: [x] }, value) => {
    value.data[0] = reduceKernels().sum(x.size, x.data) / x.size;
  },
  pullbacks: [({ gradient }, into, accumulate) => broadcast(gradient.data[0] / into.size, into, accumulate)],
};

/** tr(aᵀ·b) = Σ a[i,j]·b[i,j], in one pass. */
export const traceOfProduct: Operation<null> = {
  name: 'traceOfProduct',
  ...scalar,
  shape: (inputs, _, caller) => commonShape(inputs, _, caller) && [],
  forward: ({ inputs: [a, b] }, value) => {
    value.data[0] = reduceKernels().dot(a.size, a.data, b.data);
  },
  pullbacks: [1, 0].map(
    (other): Pullback<null> =>
      ({ inputs, gradient }, into, accumulate) =>
        kernels.scale(into.size, gradient.data[0], inputs[other].data, into.data, accumulate),
  ),
};

/** into = amount in every entry, or into += amount. */
function broadcast(amount: number, into: Tensor, accumulate: boolean): void {
  if (!accumulate) into.data.fill(amount);
  else for (let i = 0; i < into.size; i++) into.data[i] += amount;
}

/** The shape of both operands. */
function commonShape([a, b]: readonly Tensor[], _: unknown, caller: string): Shape {
  if (!sameShape(a.shape, b.shape)) {
    throw badValue(caller, 'two operands of the same shape', `${showShape(a.shape)} and ${showShape(b.shape)}`);
  }
  checkPrecisions(caller, a, b);
  return a.shape;
}

export function checkPrecisions(caller: string, a: { precision: Precision }, b: Tensor): void {
  if (a.precision !== b.precision) {
    throw badValue(
      caller,
      'operands of the same precision',
      `${a.precision} and ${b.precision}`,
      'convert() changes it.',
    );
  }
}

/** Refuses a bias that has another precision than x or does not have one number for each column. */
export function checkBias(caller: string, x: Tensor, cols: number, bias: Tensor): void {
  if (bias.shape.length !== 1 || bias.size !== cols) {
    throw badValue(caller, `a bias of shape ${cols}, one number for each column`, showShape(bias.shape));
  }
  checkPrecisions(caller, x, bias);
}

/** The pullback of a vector that was added to every row. */
export function biasPullback(
  { gradient: { rows, cols, data } }: { readonly gradient: Tensor },
  into: Tensor,
  accumulate: boolean,
): void {
  kernels.columnSums(rows, cols, data, into.data, accumulate);
}
