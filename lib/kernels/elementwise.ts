/** Elementwise operations. Every `out` may be one of the inputs. */

import type { Activation, Floats } from './types.ts';

/** out[i] = a[i] + b[i]. */
export function add(n: number, a: Floats, b: Floats, out: Floats): void {
  for (let i = 0; i < n; i++) out[i] = a[i] + b[i];
}

/** out[i] = a[i] − b[i]. */
export function subtract(n: number, a: Floats, b: Floats, out: Floats): void {
  for (let i = 0; i < n; i++) out[i] = a[i] - b[i];
}

/** out[i] = a[i]·b[i], added to `out` if `accumulate`. */
export function multiply(n: number, a: Floats, b: Floats, out: Floats, accumulate: boolean): void {
  if (accumulate) for (let i = 0; i < n; i++) out[i] += a[i] * b[i];
  else for (let i = 0; i < n; i++) out[i] = a[i] * b[i];
}

/** out[i] = factor·a[i], added to `out` if `accumulate`. */
export function scale(n: number, factor: number, a: Floats, out: Floats, accumulate: boolean): void {
  if (accumulate) for (let i = 0; i < n; i++) out[i] += factor * a[i];
  else for (let i = 0; i < n; i++) out[i] = factor * a[i];
}

/** out[i] = f(x[i]). */
export function activate(activation: Activation, n: number, x: Floats, out: Floats): void {
  switch (activation) {
    case 'identity':
      for (let i = 0; i < n; i++) out[i] = x[i];
      break;
    case 'relu':
      for (let i = 0; i < n; i++) out[i] = x[i] < 0 ? 0 : x[i];
      break;
    case 'softplus': // log(1 + eˣ), written so that neither end overflows
      for (let i = 0; i < n; i++) out[i] = Math.max(x[i], 0) + Math.log1p(Math.exp(-Math.abs(x[i])));
      break;
    case 'tanh':
      for (let i = 0; i < n; i++) out[i] = Math.tanh(x[i]);
      break;
    case 'sigmoid':
      for (let i = 0; i < n; i++) out[i] = 1 / (1 + Math.exp(-x[i]));
      break;
  }
}
