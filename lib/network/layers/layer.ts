/** The layer activation(x·W + b), and the interfaces of layers in a forward and backward pass. */

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

/** The rows of a backward pass at one layer. */
export interface BackwardRows {
  /** The inputs of these rows, and their values after the activation. */
  readonly x: Tensor;
  readonly value: Tensor;
  /** The gradient with respect to the values, or with respect to the inputs of the activation if `isPulled`. */
  readonly delta: Tensor;
  readonly isPulled: boolean;
  /** Whether these are some of the rows of the forward pass. Then they may be few. */
  readonly isPicked: boolean;
}

export interface LayerGradients {
  /** Null for a layer that does not learn. */
  readonly weights: Gradient;
  readonly bias: Tensor | null;
  /** With respect to x, or with respect to the inputs of the activation before if `isPulled`. Null if `wantsX` is false. */
  readonly x: Tensor | null;
  readonly isPulled: boolean;
}

/** A layer with forward and backward pass. Results are valid until the next step: they are in the workspace or in buffers of the layer. */
export interface DifferentiableLayer {
  readonly layer: Layer;
  forward(x: Tensor, workspace: Workspace): Tensor;
  backward(rows: BackwardRows, wantsX: boolean, workspace: Workspace): LayerGradients;
}

/** The input of the dense layers: rows of dense points, or the values of a first layer on sparse points. */
export interface ChainInput {
  /** Whether it has parameters, and so gradients. */
  readonly learns: boolean;
  /** The values of these rows, or of all rows for null. */
  forward(rows: Int32Array | null, workspace: Workspace): Tensor;
  /** xᵀ for these rows x of the points, if it has parameters; their gradient is xᵀ·δ. Valid until the next call. */
  transposed(rows: Int32Array | null): CsrView | null;
  /** The gradients of its parameters, from xᵀ of some rows, their values, and the gradient with respect to the values. */
  backward(transposed: CsrView | null, value: Tensor, delta: Tensor, workspace: Workspace): readonly Gradient[];
}

/** The gradient with respect to the input of the activation, from that with respect to its output. */
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

/** Writes the values of the layer for the listed rows of CSR arrays to the last argument. */
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
