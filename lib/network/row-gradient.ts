/** What is the gradient of a matrix of which most rows have none? That of the first layer on sparse points is such a one. */

import type { Tensor } from '../tensor/tensor.ts';

export interface RowGradient {
  /** Where the gradient of each row stands in `values`, −1 for a row without. */
  readonly places: Int32Array;
  readonly values: Tensor;
}

/** Row by row into a matrix of all of them. */
export function expandRows({ places, values }: RowGradient, out: Tensor): Tensor {
  const { cols } = out;
  for (let i = 0; i < out.rows; i++) {
    for (let j = 0; j < cols; j++) {
      out.data[i * cols + j] = places[i] < 0 ? 0 : values.data[places[i] * cols + j];
    }
  }
  return out;
}
