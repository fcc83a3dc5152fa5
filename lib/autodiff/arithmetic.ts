/** Sums, products of entries, activations and rows: what they compute and how gradients come back. */

import { badKind, badValue, checkFinite, showShape } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import type { Activation, Floats } from '../kernels/types.ts';
import type { Precision, Tensor } from '../tensor/tensor.ts';
import { sameShape } from '../tensor/workspace.ts';
import type { Operation, Pullback } from './operation.ts';

/** into ← factor·gradient, or into += …: the way back of everything linear with a slope that is the same everywhere. */
const pass =
  (factor: number): Pullback<unknown> =>
  ({ gradient }, into, accumulate) =>
    kernels.scale(into.size, factor, gradient.data, into.data, accumulate);

const add: Operation<null> = {
  name: 'add',
  shape: (inputs) => alike('add', inputs),
  forward: ({ inputs: [a, b] }, value) => kernels.add(value.size, a.data, b.data, value.data),
  pullbacks: [pass(1), pass(1)],
};

const subtract: Operation<null> = {
  name: 'subtract',
  shape: (inputs) => alike('subtract', inputs),
  forward: ({ inputs: [a, b] }, value) => kernels.subtract(value.size, a.data, b.data, value.data),
  pullbacks: [pass(1), pass(-1)],
};

/** Entry by entry. */
const multiply: Operation<null> = {
  name: 'multiply',
  shape: (inputs) => alike('multiply', inputs),
  forward: ({ inputs: [a, b] }, value) => kernels.multiply(value.size, a.data, b.data, value.data, false),
  pullbacks: [
    ({ inputs: [, b], gradient }, into, accumulate) =>
      kernels.multiply(into.size, gradient.data, b.data, into.data, accumulate),
    ({ inputs: [a], gradient }, into, accumulate) =>
      kernels.multiply(into.size, gradient.data, a.data, into.data, accumulate),
  ],
};

const scale: Operation<number> = {
  name: 'scale',
  shape: ([x], factor) => {
    if (typeof factor !== 'number') throw badKind('scale', 'a number as factor', factor);
    return x.shape;
  },
  forward: ({ inputs: [x], params }, value) => kernels.scale(value.size, params, x.data, value.data, false),
  pullbacks: [
    ({ gradient, params }, into, accumulate) => kernels.scale(into.size, params, gradient.data, into.data, accumulate),
  ],
};

/** Every row of x plus the bias. */
const addBias: Operation<null> = {
  name: 'addBias',
  shape: ([x, bias]) => {
    isMatrix('addBias', 'x', x);
    isBias('addBias', x.cols, bias);
    samePrecision('addBias', x, bias);
    return x.shape;
  },
  forward: ({ inputs: [x, bias] }, value) => kernels.addBias(x.rows, x.cols, x.data, bias.data, value.data),
  pullbacks: [
    pass(1),
    ({ gradient }, into, accumulate) =>
      kernels.columnSums(gradient.rows, gradient.cols, gradient.data, into.data, accumulate),
  ],
};

const activate: Operation<Activation> = {
  name: 'activate',
  shape: ([x]) => x.shape,
  forward: ({ inputs: [x], params }, value) => kernels.activate(params, value.size, x.data, value.data),
  pullbacks: [
    ({ value, gradient, params }, into, accumulate) =>
      kernels.activateBackward(params, into.size, value.data, gradient.data, into.data, accumulate),
  ],
};

const convert: Operation<Precision> = {
  name: 'convert',
  shape: ([x]) => x.shape,
  precision: (_, precision) => precision,
  forward: ({ inputs: [x] }, value) => value.data.set(x.data),
  pullbacks: [pass(1)],
};

const gatherRows: Operation<Int32Array> = {
  name: 'gatherRows',
  shape: ([x], rows) => {
    isMatrix('gatherRows', 'x', x);
    if (!(rows instanceof Int32Array)) throw badKind('gatherRows', 'an Int32Array of rows', rows);
    for (let i = 0; i < rows.length; i++) {
      if (rows[i] < 0 || rows[i] >= x.rows) {
        throw badValue('gatherRows', `rows from 0 to ${x.rows - 1}`, `${rows[i]} at index ${i}`);
      }
    }
    return [rows.length, x.cols];
  },
  forward: ({ inputs: [x], params }, value) => kernels.gatherRows(params.length, x.cols, params, x.data, value.data),
  pullbacks: [
    ({ gradient, params }, into, accumulate) => {
      if (!accumulate) into.data.fill(0);
      kernels.scatterAddRows(params.length, into.cols, params, gradient.data, into.data);
    },
  ],
};

/** Row i times factors[i], which are constants of either precision. */
const scaleRows: Operation<Floats> = {
  name: 'scaleRows',
  shape: ([x], factors) => {
    isMatrix('scaleRows', 'x', x);
    if (!(factors instanceof Float32Array || factors instanceof Float64Array)) {
      throw badKind('scaleRows', 'factors as a Float32Array or Float64Array', factors);
    }
    if (factors.length !== x.rows) throw badValue('scaleRows', `${x.rows} factors, one for each row`, factors.length);
    checkFinite('scaleRows', 'factors', factors);
    return x.shape;
  },
  forward: ({ inputs: [x], params }, value) => kernels.scaleRows(x.rows, x.cols, params, x.data, value.data, false),
  pullbacks: [
    ({ gradient, params }, into, accumulate) =>
      kernels.scaleRows(into.rows, into.cols, params, gradient.data, into.data, accumulate),
  ],
};

/** All three give a single number in Float64: it may be a loss. */
const sum: Operation<null> = {
  name: 'sum',
  shape: () => [],
  precision: () => 'double',
  forward: ({ inputs: [x] }, value) => {
    value.data[0] = kernels.sum(x.size, x.data);
  },
  pullbacks: [({ gradient }, into, accumulate) => spread(gradient.data[0], into, accumulate)],
};

const mean: Operation<null> = {
  name: 'mean',
  shape: ([x]) => {
    if (x.size === 0) throw badValue('mean', 'at least one number', 'none');
    return [];
  },
  precision: () => 'double',
  forward: ({ inputs: [x] }, value) => {
    value.data[0] = kernels.sum(x.size, x.data) / x.size;
  },
  pullbacks: [({ gradient }, into, accumulate) => spread(gradient.data[0] / into.size, into, accumulate)],
};

/** tr(aᵀ·b) = Σ a[i,j]·b[i,j], in one pass. */
const traceOfProduct: Operation<null> = {
  name: 'traceOfProduct',
  shape: (inputs) => {
    alike('traceOfProduct', inputs);
    return [];
  },
  precision: () => 'double',
  forward: ({ inputs: [a, b] }, value) => {
    value.data[0] = kernels.dot(a.size, a.data, b.data);
  },
  pullbacks: [
    ({ inputs: [, b], gradient }, into, accumulate) =>
      kernels.scale(into.size, gradient.data[0], b.data, into.data, accumulate),
    ({ inputs: [a], gradient }, into, accumulate) =>
      kernels.scale(into.size, gradient.data[0], a.data, into.data, accumulate),
  ],
};

export const arithmetic = {
  add,
  subtract,
  multiply,
  scale,
  addBias,
  activate,
  convert,
  gatherRows,
  scaleRows,
  sum,
  mean,
  traceOfProduct,
};

function spread(amount: number, into: Tensor, accumulate: boolean): void {
  if (!accumulate) into.data.fill(amount);
  else for (let i = 0; i < into.size; i++) into.data[i] += amount;
}

/** The shape that both share. */
function alike(caller: string, [a, b]: readonly Tensor[]): readonly number[] {
  if (!sameShape(a.shape, b.shape)) {
    throw badValue(caller, `two operands of one shape`, `${showShape(a.shape)} and ${showShape(b.shape)}`);
  }
  samePrecision(caller, a, b);
  return a.shape;
}

export function samePrecision(caller: string, a: Tensor, b: Tensor): void {
  if (a.precision !== b.precision) {
    throw badValue(caller, 'operands of one precision', `${a.precision} and ${b.precision}`, 'convert() changes it.');
  }
}

export function isMatrix(caller: string, name: string, x: Tensor): void {
  if (x.shape.length !== 2) throw badValue(caller, `${name} to have two axes`, `shape ${showShape(x.shape)}`);
}

export function isBias(caller: string, cols: number, bias: Tensor): void {
  if (bias.shape.length !== 1 || bias.size !== cols) {
    throw badValue(caller, `a bias of shape ${cols}, one for each column`, showShape(bias.shape));
  }
}
