/** Operators with known spectra, and a search whose result is checked in every respect. */

import * as assert from 'uvu/assert';
import { type LanczosOptions, type LanczosResult, type LinearOperator } from '../../lib/doors/linalg.ts';
import { runSync } from '../../lib/core/task.ts';
import { lanczosSteps } from '../../lib/linalg/lanczos/lanczos.ts';
import { type Matrix, product, transpose } from './plain-algebra.ts';

/** Without a pause. */
export const lanczos = (operator: LinearOperator, options: LanczosOptions): LanczosResult =>
  runSync(lanczosSteps(operator, options));

export type Edge = readonly [number, number];

/** diagonal[i]·x[i] + Σ weight·x[j] over the edges {i, j}. */
export function ofEdges(
  size: number,
  edges: readonly Edge[],
  weight = 1,
  diagonal?: ArrayLike<number>,
): LinearOperator {
  return {
    size,
    apply(x, y) {
      for (let i = 0; i < size; i++) y[i] = diagonal ? diagonal[i] * x[i] : 0;
      for (const [i, j] of edges) {
        y[i] += weight * x[j];
        y[j] += weight * x[i];
      }
    },
  };
}

export function ofDiagonal(values: ArrayLike<number>): LinearOperator {
  return ofEdges(values.length, [], 1, values);
}

export function ofMatrix(a: Matrix, factor = 1): LinearOperator {
  const n = a.rows;
  return {
    size: n,
    apply(x, y) {
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += factor * a.data[i * n + j] * x[j];
        y[i] = sum;
      }
    },
  };
}

export function pathEdges(n: number, first = 0): Edge[] {
  return Array.from({ length: n - 1 }, (_, i) => [first + i, first + i + 1] as const);
}

export function degrees(size: number, edges: readonly Edge[]): Float64Array {
  const result = new Float64Array(size);
  for (const [i, j] of edges) {
    result[i]++;
    result[j]++;
  }
  return result;
}

/** D^-½WD^-½ of a graph given by its edges. */
export function normalized(size: number, edges: readonly Edge[]): LinearOperator {
  const roots = degrees(size, edges).map(Math.sqrt);
  return {
    size,
    apply(x, y) {
      y.fill(0);
      for (const [i, j] of edges) {
        y[i] += x[j] / (roots[i] * roots[j]);
        y[j] += x[i] / (roots[i] * roots[j]);
      }
    },
  };
}

export function outermost(
  values: Iterable<number>,
  count: number,
  which: 'largest' | 'smallest' = 'largest',
): number[] {
  const sign = which === 'largest' ? 1 : -1;
  return [...values].toSorted((a, b) => sign * (b - a)).slice(0, count);
}

export function near(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, name = ''): void {
  assert.is(found.length, expected.length, name);
  for (let i = 0; i < found.length; i++) {
    assert.ok(Math.abs(found[i] - expected[i]) <= tolerance, `${name} ${i}: ${found[i]} for ${expected[i]}`);
  }
}

export function column(vectors: Matrix, j: number): Float64Array {
  return Float64Array.from({ length: vectors.rows }, (_, i) => vectors.data[i * vectors.cols + j]);
}

/** Solves, and checks every result: order, orthonormal columns, sign, and the residuals of the pairs. */
export function solve(operator: LinearOperator, options: LanczosOptions, name = ''): LanczosResult {
  let applied = 0;
  const counting: LinearOperator = {
    size: operator.size,
    apply(x, y) {
      applied++;
      operator.apply(x, y);
    },
  };
  const result = lanczos(counting, options);
  const { values, vectors, residuals, norm, products } = result;
  assert.is(products, applied, name);
  assert.equal(vectors.shape, [operator.size, options.count], name);
  assert.is(values.length, options.count);
  assert.equal([...values], outermost(values, options.count, options.which), name);
  const gram = product(transpose(vectors), vectors);
  for (let i = 0; i < gram.rows; i++) {
    for (let j = 0; j < gram.cols; j++) {
      const error = Math.abs(gram.at(i, j) - (i === j ? 1 : 0));
      assert.ok(error < 1e-12, `${name}: VᵀV − I is ${error} at ${i}, ${j}`);
    }
  }
  for (let j = 0; j < options.count; j++) {
    const x = column(vectors, j);
    const largest = x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    assert.ok(x.find((value) => Math.abs(value) > (1 - 1e-5) * largest)! > 0, `${name}: sign of ${j}`);
    if (options.deflate) continue;
    const y = new Float64Array(operator.size);
    operator.apply(x, y);
    const residual = Math.hypot(...y.map((value, i) => value - values[j] * x[i]));
    // Both are differences of numbers of size ‖A‖, so that they agree up to its rounding.
    assert.ok(Math.abs(residual - residuals[j]) <= 1e-14 * norm, `${name}: ${residuals[j]} for ${residual}`);
  }
  return result;
}

/** Solves by Lanczos and compares with the known spectrum, to 1e-10 of its norm. */
export function finds(
  operator: LinearOperator,
  spectrum: Iterable<number>,
  options: LanczosOptions,
  name = '',
): LanczosResult {
  const result = solve(operator, options, name);
  assert.ok(result.converged, `${name}: converged, residuals ${[...result.residuals]}`);
  const known = [...spectrum];
  const norm = known.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  assert.ok(result.norm <= norm * (1 + 1e-12), `${name}: ${result.norm} as norm for ${norm}`);
  near(result.values, outermost(known, options.count, options.which), 1e-10 * norm, name);
  for (const residual of result.residuals) assert.ok(residual <= 1e-10 * norm, `${name}: residual ${residual}`);
  return result;
}

export const ends = ['largest', 'smallest'] as const;
