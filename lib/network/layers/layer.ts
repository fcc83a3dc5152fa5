/** A layer of a network, activation(x·W + b), and what a pass over the layers asks of it. */

import { kernels } from '../../kernels/table.ts';
import type { Activation } from '../../kernels/types.ts';
import type { CsrView } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Workspace } from '../../tensor/workspace.ts';
import { pullbackKernels, sparseRowsKernels } from '../../wasm/families.ts';
import type { Gradient } from '../optimizer/gradient.ts';

/** activation(x·weights + bias). */
export interface Layer {
  /** inputs×outputs. */
  readonly weights: Tensor;
  readonly bias: Tensor;
  readonly activation: Activation;
}

/** Rows on their way back through a layer. */
export interface BackwardRows {
  /** The inputs of these rows, and their values after the activation. */
  readonly x: Tensor;
  readonly value: Tensor;
  /** The gradient with respect to the values. */
  readonly delta: Tensor;
  /** Whether they were picked from the rows of the forward pass: then they are few, and a layer may use that. */
  readonly isPicked: boolean;
}

export interface LayerGradients {
  readonly weights: Gradient;
  readonly bias: Tensor;
  /** With respect to x; null where nobody asked for it. */
  readonly x: Tensor | null;
}

/** A layer while it learns. Results are good until the next step: they are in the workspace, or in buffers of the layer. */
export interface LearningLayer {
  readonly layer: Layer;
  forward(x: Tensor, workspace: Workspace): Tensor;
  backward(rows: BackwardRows, wantsX: boolean, workspace: Workspace): LayerGradients;
}

/** What the dense layers begin with: rows of dense points, or the values of a first layer on sparse ones. */
export interface ChainInput {
  /** Whether it has parameters; else it has no gradients and needs none. */
  readonly learns: boolean;
  /** These rows, all of them for null. */
  forward(rows: Int32Array | null, workspace: Workspace): Tensor;
  /** xᵀ for these rows x of the points, if the gradient of its weights will be xᵀ·δ. Good until the next call. */
  transposed(rows: Int32Array | null): CsrView | null;
  /** The gradients of its parameters, for xᵀ of some rows, their values and the gradient with respect to those. */
  backward(transposed: CsrView | null, value: Tensor, delta: Tensor, workspace: Workspace): readonly Gradient[];
}

/** The gradient before the activation, from the one after it. */
export function throughActivation({ activation }: Layer, value: Tensor, delta: Tensor, workspace: Workspace): Tensor {
  if (activation === 'identity') return delta;
  const inner = workspace.take(value.shape, value.precision);
  pullbackKernels().activateBackward(activation, value.size, value.data, delta.data, inner.data, false);
  return inner;
}

/** The gradient of the bias: the sum of δ over its rows. */
export function biasGradient({ bias }: Layer, { rows, cols, data }: Tensor, workspace: Workspace): Tensor {
  const sums = workspace.take(bias.shape, bias.precision);
  kernels.columnSums(rows, cols, data, sums.data, false);
  return sums;
}

/** The layer's values for listed rows of CSR arrays, to `out`. */
export function applyToListedRows(
  { weights, bias, activation }: Layer,
  list: Int32Array,
  { starts, columns, values }: CsrView,
  { rows, cols, size, data }: Tensor,
): void {
  const floor = activation === 'relu' ? 0 : -Infinity;
  const { csrRowsMatmul } = sparseRowsKernels();
  csrRowsMatmul(rows, cols, list, starts, columns, values, weights.data, bias.data, floor, data);
  if (activation !== 'identity' && floor < 0) kernels.activate(activation, size, data, data);
}
