/** Pullbacks of activations, sparse products and gathered rows: from the gradient of a result to that of an operand. */

import type { Activation, Floats } from './types.ts';

/** out[i] = f′·gradient[i], the derivative read off the activation's own value y = f(x); added to `out` if `accumulate`. */
export function activateBackward(
  activation: Activation,
  n: number,
  y: Floats,
  gradient: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  for (let i = 0; i < n; i++) {
    const pulled = slope(activation, y[i]) * gradient[i];
    out[i] = accumulate ? out[i] + pulled : pulled;
  }
}

function slope(activation: Activation, y: number): number {
  switch (activation) {
    case 'identity':
      return 1;
    case 'relu':
      return y > 0 ? 1 : 0;
    case 'softplus': // 1 − e^−y, without the cancellation at small y
      return -Math.expm1(-y);
    case 'tanh': // 1 − y², without the cancellation at |y| near 1
      return (1 - y) * (1 + y);
    case 'sigmoid':
      return y * (1 - y);
  }
}

/** out[cols×width] += Sᵀ·x for S[rows×cols] in CSR and x[rows×width]; set to zero first unless `accumulate`. */
export function csrTransposeMatmul(
  rows: number,
  cols: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  if (!accumulate) out.fill(0, 0, cols * width);
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      for (let j = 0, at = columns[e] * width; j < width; j++, at++) out[at] += value * x[i * width + j];
    }
  }
}

/** Row rows[i] of out += row i of x[count×cols], in order of i. Rows may repeat. */
export function scatterAddRows(count: number, cols: number, rows: Int32Array, x: Floats, out: Floats): void {
  for (let i = 0; i < count; i++) {
    const to = rows[i] * cols;
    for (let j = 0; j < cols; j++) out[to + j] += x[i * cols + j];
  }
}

export const plainPullbacks = { activateBackward, csrTransposeMatmul, scatterAddRows };

/** Pullbacks of activations and rows. */
export type PullbackKernels = typeof plainPullbacks;
