/** Adam for a matrix whose gradient is a product of few rows: row by row, some of them before the gradient is known. */

import { adamStep } from '../optimizers.ts';
import { csrMatmul } from '../sparse.ts';
import type { Floats } from '../types.ts';

/**
 * `adamStep` for a matrix whose gradient is the sparse product S·x, which is made row by row and never whole. Rows that never
 * had an entry only decay: their second moments are 0, which no step leaves behind. From row `begun` on, rows without an
 * entry are skipped: `beginAdam` has moved them.
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
  begun: number,
): void {
  const gradient = parameters.slice(0, width);
  for (let i = 0; i < rows; i++) {
    const isEmpty = starts[i] === starts[i + 1];
    if (isEmpty && i >= begun) continue;
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
 * Begins an `adamProduct` without decay whose x is not known yet: rows of S without an entry do not depend on it. Returns the
 * row from which on other threads move such rows in the background; all rows if there are no other threads. Nobody may use
 * these arrays until `adamProduct` or `settleAdam` has returned.
 */
export function beginAdam(
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

/** Waits for the threads that `beginAdam` has started. */
export function settleAdam(): void {}
