/** Differentiable matrix products: dense, sparse and fused with bias and activation. Forward functions and pullbacks. */

import { badValue, checkChoice } from '../core/check.ts';
import type { Rules } from '../core/options.ts';
import { kernels } from '../kernels/table.ts';
import { pullbackKernels } from '../wasm/families.ts';
import { type Activation, activations } from '../kernels/types.ts';
import { checkMatrix } from '../linalg/matrix.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import type { Precision, Shape, Tensor } from '../tensor/tensor.ts';
import type { Workspace } from '../tensor/workspace.ts';
import { checkBias, checkPrecisions, biasPullback } from './arithmetic.ts';
import type { BackwardCall, Operation } from './operation.ts';

/** Which operands are transposed. */
export interface Transpositions {
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
}

export const transpositionRules = {
  transposeA: 'boolean',
  transposeB: 'boolean',
} as const satisfies Rules<Transpositions>;

export const matmul: Operation<Transpositions> = {
  name: 'matmul',
  shape: ([a, b], { transposeA, transposeB }, caller) => {
    checkMatrix(caller, 'a', a);
    checkMatrix(caller, 'b', b);
    checkPrecisions(caller, a, b);
    return productShape(caller, a, transposeA, b, transposeB);
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

export const transpose: Operation<null> = {
  name: 'transpose',
  shape: ([x], _, caller) => {
    checkMatrix(caller, 'x', x);
    return [x.cols, x.rows];
  },
  forward: ({ inputs: [x] }, value) => kernels.transpose(x.rows, x.cols, x.data, value.data, false),
  pullbacks: [
    ({ gradient }, into, accumulate) =>
      kernels.transpose(gradient.rows, gradient.cols, gradient.data, into.data, accumulate),
  ],
};

/** activation(x·weights + bias): a layer of a network in one pass. */
export const dense: Operation<Activation> = {
  name: 'dense',
  shape: ([x, weights, bias], activation, caller) => {
    checkMatrix(caller, 'x', x);
    return layerShape(caller, x, weights, bias, activation);
  },
  forward: ({ inputs: [x, weights, bias], params }, value) =>
    kernels.dense(params, x.rows, weights.cols, x.cols, x.data, weights.data, bias.data, value.data),
  prepare: (call) => slopeTimesGradient(call.params, call),
  pullbacks: [
    ({ inputs: [, weights], gradient: { rows, cols, data } }, into, accumulate) =>
      kernels.matmulTransposeB(rows, weights.rows, cols, data, weights.data, into.data, accumulate),
    ({ inputs: [x], gradient: { rows, cols, data } }, into, accumulate) =>
      kernels.matmulTransposeA(x.cols, cols, rows, x.data, data, into.data, accumulate),
    biasPullback,
  ],
};

/** The parameters of `dense` for a sparse x, which is a constant. */
export interface SparseLayer {
  readonly x: CsrMatrix;
  readonly activation: Activation;
}

export const sparseDense: Operation<SparseLayer> = {
  name: 'dense',
  shape: ([weights, bias], { x, activation }, caller) => layerShape(caller, x, weights, bias, activation),
  forward: ({ inputs: [weights, bias], params: { x, activation } }, value) => {
    const { rows, cols, size, data } = value;
    sparseProduct(x, false, weights, value, false);
    kernels.addBias(rows, cols, data, bias.data, data);
    if (activation !== 'identity') kernels.activate(activation, size, data, data);
  },
  prepare: (call) => slopeTimesGradient(call.params.activation, call),
  pullbacks: [
    ({ gradient, params: { x } }, into, accumulate) => sparseProduct(x, true, gradient, into, accumulate),
    biasPullback,
  ],
};

/** A sparse matrix, or its transpose, that multiplies x. It is a constant. */
export interface SparseFactor {
  readonly matrix: CsrMatrix;
  readonly transposed: boolean;
}

export const csrMatmul: Operation<SparseFactor> = {
  name: 'matmul',
  shape: ([x], { matrix, transposed }, caller) => {
    checkMatrix(caller, 'b', x);
    checkPrecisions(caller, matrix, x);
    return productShape(caller, matrix, transposed, x, false);
  },
  forward: ({ inputs: [x], params: { matrix, transposed } }, value) =>
    sparseProduct(matrix, transposed, x, value, false),
  pullbacks: [
    ({ gradient, params: { matrix, transposed } }, into, accumulate) =>
      sparseProduct(matrix, !transposed, gradient, into, accumulate),
  ],
};

interface MatrixSize {
  readonly rows: number;
  readonly cols: number;
}

function layerShape(
  caller: string,
  x: MatrixSize & { readonly precision: Precision },
  weights: Tensor,
  bias: Tensor,
  activation: Activation,
): Shape {
  checkChoice(caller, 'activation', activation, activations);
  checkMatrix(caller, 'weights', weights);
  checkPrecisions(caller, x, weights);
  checkBias(caller, weights, weights.cols, bias);
  return productShape(caller, x, false, weights, false);
}

function productShape(
  caller: string,
  a: MatrixSize,
  transposeA: boolean | undefined,
  b: MatrixSize,
  transposeB: boolean | undefined,
): Shape {
  const [m, inner] = transposeA ? [a.cols, a.rows] : [a.rows, a.cols];
  const [k, n] = transposeB ? [b.cols, b.rows] : [b.rows, b.cols];
  if (inner === k) return [m, n];
  const show = ({ rows, cols }: MatrixSize, transposed?: boolean): string =>
    `(${rows}×${cols})${transposed ? 'ᵀ' : ''}`;
  throw badValue(caller, 'inner sizes that agree', `${show(a, transposeA)} times ${show(b, transposeB)}`);
}

/** out = op(a)·op(b), or out += …, where op may transpose. Computes Aᵀ·Bᵀ as (B·A)ᵀ. */
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
    const transposed = workspace.take([n, m], out.precision);
    kernels.matmul(n, m, k, b.data, a.data, transposed.data, false);
    kernels.transpose(n, m, transposed.data, out.data, accumulate);
    return;
  }
  const kernel = transposeA ? kernels.matmulTransposeA : transposeB ? kernels.matmulTransposeB : kernels.matmul;
  kernel(m, n, k, a.data, b.data, out.data, accumulate);
}

/** The gradient with respect to the activation's input, from the gradient with respect to its output. */
function slopeTimesGradient(
  activation: Activation,
  { value, gradient, workspace }: Pick<BackwardCall<unknown>, 'value' | 'gradient' | 'workspace'>,
): Tensor {
  if (activation === 'identity') return gradient;
  const inner = workspace.take(value.shape, value.precision);
  pullbackKernels().activateBackward(activation, value.size, value.data, gradient.data, inner.data, false);
  return inner;
}

/** out = S·x or Sᵀ·x, or out += …. */
function sparseProduct(matrix: CsrMatrix, transposed: boolean, x: Tensor, out: Tensor, accumulate: boolean): void {
  const { rows, cols, starts, columns, values } = matrix;
  if (transposed) {
    pullbackKernels().csrTransposeMatmul(rows, cols, x.cols, starts, columns, values, x.data, out.data, accumulate);
  } else {
    kernels.csrMatmul(rows, x.cols, starts, columns, values, x.data, out.data, accumulate);
  }
}
