/** Matrix products, dense, fused and sparse: what they compute and how gradients come back. */

import { badValue, checkChoice, showShape } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import { type Activation, activations } from '../kernels/types.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Workspace } from '../tensor/workspace.ts';
import { isBias, isMatrix, samePrecision } from './arithmetic.ts';
import type { BackwardCall, Operation } from './operation.ts';

/** Which operands are read transposed. */
export interface Transpositions {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

const matmul: Operation<Transpositions> = {
  name: 'matmul',
  shape: ([a, b], { transposeA, transposeB }) => {
    isMatrix('matmul', 'a', a);
    isMatrix('matmul', 'b', b);
    samePrecision('matmul', a, b);
    const [m, inner] = transposeA ? [a.cols, a.rows] : [a.rows, a.cols];
    const [k, n] = transposeB ? [b.cols, b.rows] : [b.rows, b.cols];
    if (inner !== k) {
      const [left, right] = [transposeA ? 'ᵀ' : '', transposeB ? 'ᵀ' : ''];
      const got = `(${showShape(a.shape)})${left} times (${showShape(b.shape)})${right}`;
      throw badValue('matmul', 'inner sizes that agree', got);
    }
    return [m, n];
  },
  forward: ({ inputs: [a, b], params, workspace }, value) =>
    product(a, params.transposeA, b, params.transposeB, value, false, workspace),
  pullbacks: [
    ({ inputs: [, b], params: { transposeA, transposeB }, gradient, workspace }, into, accumulate) =>
      transposeA
        ? product(b, transposeB, gradient, true, into, accumulate, workspace)
        : product(gradient, false, b, !transposeB, into, accumulate, workspace),
    ({ inputs: [a], params: { transposeA, transposeB }, gradient, workspace }, into, accumulate) =>
      transposeB
        ? product(gradient, true, a, transposeA, into, accumulate, workspace)
        : product(a, !transposeA, gradient, false, into, accumulate, workspace),
  ],
};

const transpose: Operation<null> = {
  name: 'transpose',
  shape: ([x]) => {
    isMatrix('transpose', 'x', x);
    return [x.cols, x.rows];
  },
  forward: ({ inputs: [x] }, value) => kernels.transpose(x.rows, x.cols, x.data, value.data, false),
  pullbacks: [
    ({ gradient }, into, accumulate) =>
      kernels.transpose(gradient.rows, gradient.cols, gradient.data, into.data, accumulate),
  ],
};

/** activation(x·weights + bias), a layer of a network in one pass. */
const dense: Operation<Activation> = {
  name: 'dense',
  shape: ([x, weights, bias], activation) => {
    checkChoice('dense', 'activation', activation, activations);
    isMatrix('dense', 'x', x);
    isMatrix('dense', 'weights', weights);
    if (x.cols !== weights.rows) {
      throw badValue('dense', `weights with ${x.cols} rows, as x has columns`, showShape(weights.shape));
    }
    isBias('dense', weights.cols, bias);
    samePrecision('dense', x, weights);
    samePrecision('dense', x, bias);
    return [x.rows, weights.cols];
  },
  forward: ({ inputs: [x, weights, bias], params }, value) =>
    kernels.dense(params, x.rows, weights.cols, x.cols, x.data, weights.data, bias.data, value.data),
  prepare: (call) => slopeTimesGradient(call.params, call),
  pullbacks: [
    ({ inputs: [, weights], gradient: { rows, cols, data } }, into, accumulate) =>
      kernels.matmulTransposeB(rows, weights.rows, cols, data, weights.data, into.data, accumulate),
    ({ inputs: [x], gradient: { rows, cols, data } }, into, accumulate) =>
      kernels.matmulTransposeA(x.cols, cols, rows, x.data, data, into.data, accumulate),
    ({ gradient: { rows, cols, data } }, into, accumulate) =>
      kernels.columnSums(rows, cols, data, into.data, accumulate),
  ],
};

/** The same for a sparse x, which is a constant. */
export interface SparseLayer {
  readonly x: CsrMatrix;
  readonly activation: Activation;
}

const sparseDense: Operation<SparseLayer> = {
  name: 'dense',
  shape: ([weights, bias], { x, activation }) => {
    checkChoice('dense', 'activation', activation, activations);
    isMatrix('dense', 'weights', weights);
    if (x.cols !== weights.rows) {
      throw badValue('dense', `weights with ${x.cols} rows, as x has columns`, showShape(weights.shape));
    }
    isBias('dense', weights.cols, bias);
    samePrecision('dense', weights, bias);
    sameSparsePrecision('dense', x, weights);
    return [x.rows, weights.cols];
  },
  forward: ({ inputs: [weights, bias], params: { x, activation } }, value) => {
    sparseProduct(x, false, weights, value, false);
    kernels.addBias(value.rows, value.cols, value.data, bias.data, value.data);
    if (activation !== 'identity') kernels.activate(activation, value.size, value.data, value.data);
  },
  prepare: (call) => slopeTimesGradient(call.params.activation, call),
  pullbacks: [
    ({ gradient, params: { x } }, into, accumulate) => sparseProduct(x, true, gradient, into, accumulate),
    ({ gradient: { rows, cols, data } }, into, accumulate) =>
      kernels.columnSums(rows, cols, data, into.data, accumulate),
  ],
};

/** A sparse matrix, a constant, or its transpose, times x. */
export interface SparseFactor {
  readonly matrix: CsrMatrix;
  readonly transposed: boolean;
}

const csrMatmul: Operation<SparseFactor> = {
  name: 'matmul',
  shape: ([x], { matrix, transposed }) => {
    isMatrix('matmul', 'b', x);
    const [rows, cols] = transposed ? [matrix.cols, matrix.rows] : [matrix.rows, matrix.cols];
    if (x.rows !== cols) {
      const got = `(${matrix.rows}×${matrix.cols})${transposed ? 'ᵀ' : ''} times (${showShape(x.shape)})`;
      throw badValue('matmul', 'inner sizes that agree', got);
    }
    sameSparsePrecision('matmul', matrix, x);
    return [rows, x.cols];
  },
  forward: ({ inputs: [x], params: { matrix, transposed } }, value) =>
    sparseProduct(matrix, transposed, x, value, false),
  pullbacks: [
    ({ gradient, params: { matrix, transposed } }, into, accumulate) =>
      sparseProduct(matrix, !transposed, gradient, into, accumulate),
  ],
};

export const products = { matmul, transpose, dense, sparseDense, csrMatmul };

/** out = op(a)·op(b), or out += …; Aᵀ·Bᵀ is (B·A)ᵀ. */
function product(
  a: Tensor,
  transposeA: boolean | undefined,
  b: Tensor,
  transposeB: boolean | undefined,
  out: Tensor,
  accumulate: boolean,
  workspace: Workspace,
): void {
  const [m, n] = [out.rows, out.cols];
  const k = transposeA ? a.rows : a.cols;
  if (transposeA && transposeB) {
    const turned = workspace.take([n, m], out.precision);
    kernels.matmul(n, m, k, b.data, a.data, turned.data, false);
    kernels.transpose(n, m, turned.data, out.data, accumulate);
    return;
  }
  const kernel = transposeA ? kernels.matmulTransposeA : transposeB ? kernels.matmulTransposeB : kernels.matmul;
  kernel(m, n, k, a.data, b.data, out.data, accumulate);
}

function slopeTimesGradient(activation: Activation, { value, gradient, workspace }: BackwardCall<unknown>): Tensor {
  if (activation === 'identity') return gradient;
  const inner = workspace.take(value.shape, value.precision);
  kernels.activateBackward(activation, value.size, value.data, gradient.data, inner.data, false);
  return inner;
}

function sameSparsePrecision(caller: string, matrix: CsrMatrix, x: Tensor): void {
  if (matrix.precision !== x.precision) {
    const got = `${matrix.precision} and ${x.precision}`;
    throw badValue(caller, 'operands of one precision', got, 'Either has copy(precision).');
  }
}

/** out = S·x or Sᵀ·x, or out += …. */
function sparseProduct(matrix: CsrMatrix, transposed: boolean, x: Tensor, out: Tensor, accumulate: boolean): void {
  const { rows, cols, starts, columns, values } = matrix;
  if (transposed) {
    kernels.csrTransposeMatmul(rows, cols, x.cols, starts, columns, values, x.data, out.data, accumulate);
  } else {
    kernels.csrMatmul(rows, x.cols, starts, columns, values, x.data, out.data, accumulate);
  }
}
