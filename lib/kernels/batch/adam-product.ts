/** Adam for a matrix whose gradient is a product of few rows. It moves row by row, some rows before the gradient is known. */

import { adamStep } from '../optimizers.ts';
import { csrMatmul } from '../sparse.ts';
import type { Floats } from '../types.ts';

/**
 * `adamStep` for a matrix whose gradient is the sparse product S·x. The gradient is computed row by row and never stored.
 * Rows that never had an entry only decay. They are recognized by second moments of 0, which a step makes positive. From row
 * `movedFrom` on, rows without an entry are skipped, because `startAdam` has moved them.
 */
export function adamProduct(
  rows: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  rate: number,
  beta1: number,
  beta2: number,
  epsilon: number,
  decay: number,
  first: Floats,
  second: Floats,
  parameters: Floats,
  movedFrom: number,
): void {
  const gradient = parameters.slice(0, width);
  for (let i = 0; i < rows; i++) {
    const isEmpty = starts[i] === starts[i + 1];
    if (isEmpty && i >= movedFrom) continue;
    if (isEmpty && second[i * width] === 0) {
      if (decay !== 0) for (let p = i * width; p < (i + 1) * width; p++) parameters[p] -= decay * parameters[p];
      continue;
    }
    csrMatmul(1, width, starts.subarray(i), columns, values, x, gradient, false);
    const [m, v, p] = [first, second, parameters].map((array) => array.subarray(i * width, (i + 1) * width));
    adamStep(width, rate, beta1, beta2, epsilon, decay, gradient, m, v, p);
  }
}

/**
 * Starts an `adamProduct` without decay before x is known: the rows without an entry in S do not depend on x. Returns the
 * first row that other threads move in the background if it has no entry; `rows` if there are no other threads. The arrays must not
 * be used until `adamProduct` or `finishAdam` has returned.
 */
export function startAdam(
  rows: number,
  _width: number,
  _starts: Int32Array,
  _rate: number,
  _beta1: number,
  _beta2: number,
  _epsilon: number,
  _first: Floats,
  _second: Floats,
  _parameters: Floats,
): number {
  return rows;
}

/** Waits for the threads that `startAdam` has started. */
export function finishAdam(): void {}
