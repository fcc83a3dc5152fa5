/** Differentiable Cholesky and QR factorizations and triangular systems, in Float64: forward functions and pullbacks. */

import { badValue, showShape } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import { choleskyInto } from '../linalg/cholesky.ts';
import { checkMatrix, checkSquare, largestMagnitude, type Matrix, symmetrizeInPlace } from '../linalg/matrix.ts';
import { thinQrInto } from '../linalg/qr.ts';
import {
  checkTriangular,
  invertTriangularInto,
  solveLeftInPlace,
  solveRightInPlace,
  type SolveTriangularOptions,
  type Triangle,
} from '../linalg/triangular.ts';
import type { Shape, Tensor } from '../tensor/tensor.ts';
import type { Workspace } from '../tensor/workspace.ts';
import type { BackwardCall, Operation } from './operation.ts';

/** L of L·Lᵀ = A. */
export const cholesky: Operation<null> = {
  name: 'cholesky',
  shape: ([a], _, caller) => squareShape(caller, 'a', a),
  precision: () => 'double',
  forward: ({ inputs: [a] }, value) => choleskyInto(a, value as Matrix),
  // Ā = (P + Pᵀ)/2 with P = L⁻ᵀ·Φ(Lᵀ·L̄)·L⁻¹, where Φ keeps the lower triangle and halves the diagonal.
  pullbacks: [
    ({ value, gradient, workspace }, into, accumulate) => {
      const k = value.rows;
      const l = (value as Matrix).data;
      const p = scratch(workspace, k, k);
      kernels.matmulTransposeA(k, k, k, l, gradient.data, p, false);
      keepTriangle(k, p, 'lower');
      for (let i = 0; i < k; i++) p[i * k + i] /= 2;
      solveLeftInPlace(k, k, true, true, l, p);
      solveRightInPlace(k, k, true, false, l, scratch(workspace, k), p);
      symmetrizeInPlace(k, p);
      kernels.scale(k * k, 1, p, into.data, accumulate);
    },
  ],
};

/** Q and R of a thin QR factorization, computed once for both operations below. */
export interface QrFactors {
  readonly q: Matrix;
  readonly r: Matrix;
}

/** The factors of x[n×k] in Float64, with a positive diagonal of R. Refuses a deficient rank, which has no derivative. */
export function factorQr(x: Tensor, workspace: Workspace): QrFactors {
  checkMatrix('thinQr', 'x', x);
  const { rows: n, cols: k } = x;
  if (n < k) throw badValue('thinQr', 'at least as many rows as columns', `${n} rows and ${k} columns`);
  const q = workspace.take([n, k], 'double');
  const r = workspace.take([k, k], 'double');
  thinQrInto(n, k, x.data, scratch(workspace, 2 * k), q.data, r.data);
  for (let j = 0; j < k; j++) {
    const largest = largestMagnitude(r.data, j, k, j * k + j + 1);
    if (!(r.data[j * k + j] > n * Number.EPSILON * largest)) {
      const got = `column ${j} with a residual of ${r.data[j * k + j]}, compared with ${largest}`;
      throw badValue('thinQr', 'independent columns', got, `Drop column ${j}.`);
    }
  }
  return { q, r };
}

export const qrOrthogonal: Operation<QrFactors> = {
  name: 'thinQr',
  shape: ([x]) => x.shape,
  forward: ({ params: { q } }, value) => value.data.set(q.data),
  // X̄ = (Q̄ + Q·S)·R⁻ᵀ where S copies the lower triangle of −Q̄ᵀ·Q over the upper one.
  pullbacks: [
    (call, into, accumulate) => {
      const { rows: n, cols: k, data: q } = call.params.q;
      const start = scratch(call.workspace, n, k);
      start.set(call.gradient.data);
      const s = scratch(call.workspace, k, k);
      kernels.matmulTransposeA(k, k, n, start, q, s, false);
      kernels.scale(k * k, -1, s, s, false);
      qrPullback(call, s, start, into, accumulate);
    },
  ],
};

export const qrTriangular: Operation<QrFactors> = {
  name: 'thinQr',
  shape: ([x]) => [x.cols, x.cols],
  precision: () => 'double',
  forward: ({ params: { r } }, value) => value.data.set(r.data),
  // X̄ = Q·S·R⁻ᵀ where S copies the lower triangle of R·R̄ᵀ over the upper one.
  pullbacks: [
    (call, into, accumulate) => {
      const { rows: n, cols: k } = call.params.q;
      const upper = scratch(call.workspace, k, k);
      upper.set(call.gradient.data);
      keepTriangle(k, upper, 'upper');
      const s = scratch(call.workspace, k, k);
      kernels.matmulTransposeB(k, k, k, call.params.r.data, upper, s, false);
      qrPullback(call, s, scratch(call.workspace, n, k).fill(0), into, accumulate);
    },
  ],
};

/** X̄ = (start + Q·S)·R⁻ᵀ where S copies the lower triangle of s over the upper one; both are overwritten. */
function qrPullback(
  { params: { q, r }, workspace }: BackwardCall<QrFactors>,
  s: Float64Array,
  start: Float64Array,
  into: Tensor,
  accumulate: boolean,
): void {
  const { rows: n, cols: k } = q;
  for (let i = 0; i < k; i++) for (let j = 0; j < i; j++) s[j * k + i] = s[i * k + j];
  kernels.matmul(n, k, k, q.data, s, start, true);
  solveRightInPlace(n, k, false, true, r.data, scratch(workspace, k), start);
  kernels.scale(n * k, 1, start, into.data, accumulate);
}

/** X of T·X = B, Tᵀ·X = B, X·T = B or X·Tᵀ = B, in B's precision. */
export const solveTriangular: Operation<Required<SolveTriangularOptions>> = {
  name: 'solveTriangular',
  shape: ([t, b], { side, triangle }, caller) => {
    checkSquare(caller, 't', t);
    checkMatrix(caller, 'b', b);
    if ((side === 'left' ? b.rows : b.cols) !== t.rows) {
      const rule = `b to have ${t.rows} ${side === 'left' ? 'rows' : 'columns'}, as t has`;
      throw badValue(caller, rule, showShape(b.shape));
    }
    checkTriangular(caller, t.rows, triangle, t.data);
    return b.shape;
  },
  precision: ([, b]) => b.precision,
  forward: ({ inputs: [t, b], params, workspace }, value) => solve(t, b, params, value, workspace),
  // B̄ solves the transposed system. T̄, within the triangle of T, is −B̄·Xᵀ if T is on the left and −Xᵀ·B̄ if it is on the
  // right. For Tᵀ in place of T it is the transpose of these: −X·B̄ᵀ and −B̄ᵀ·X.
  prepare: ({ inputs: [t], params, gradient, workspace }) => {
    const gradientOfB = workspace.take(gradient.shape, 'double');
    solve(t, gradient, { ...params, transposed: !params.transposed }, gradientOfB, workspace);
    return gradientOfB;
  },
  pullbacks: [
    ({ params: { side, triangle, transposed }, value, gradient, workspace }, into, accumulate) => {
      const k = into.rows;
      const x = toDouble(value, workspace);
      const [a, b] = (side === 'left') !== transposed ? [gradient, x] : [x, gradient];
      const out = scratch(workspace, k, k);
      if (side === 'left') kernels.matmulTransposeB(k, k, x.cols, a.data, b.data, out, false);
      else kernels.matmulTransposeA(k, k, x.rows, a.data, b.data, out, false);
      keepTriangle(k, out, triangle);
      kernels.scale(k * k, -1, out, into.data, accumulate);
    },
    ({ gradient }, into, accumulate) => kernels.scale(into.size, 1, gradient.data, into.data, accumulate),
  ],
};

export const invertTriangular: Operation<Triangle> = {
  name: 'invertTriangular',
  shape: ([t], triangle, caller) => {
    checkSquare(caller, 't', t);
    checkTriangular(caller, t.rows, triangle, t.data);
    return t.shape;
  },
  precision: () => 'double',
  forward: ({ inputs: [t], params, workspace }, value) =>
    invertTriangularInto(t.rows, params === 'lower', toDouble(t, workspace).data, (value as Matrix).data),
  // T̄ = −Xᵀ·X̄·Xᵀ within the triangle of T.
  pullbacks: [
    ({ params, value, gradient, workspace }, into, accumulate) => {
      const k = value.rows;
      const half = scratch(workspace, k, k);
      const out = scratch(workspace, k, k);
      kernels.matmulTransposeA(k, k, k, value.data, gradient.data, half, false);
      kernels.matmulTransposeB(k, k, k, half, value.data, out, false);
      keepTriangle(k, out, params);
      kernels.scale(k * k, -1, out, into.data, accumulate);
    },
  ],
};

function solve(
  t: Tensor,
  b: Tensor,
  { side, triangle, transposed }: Required<SolveTriangularOptions>,
  out: Tensor,
  workspace: Workspace,
): void {
  const k = t.rows;
  const matrix = toDouble(t, workspace).data;
  if (side === 'right') {
    out.data.set(b.data);
    solveRightInPlace(b.rows, k, triangle === 'lower', transposed, matrix, scratch(workspace, k), out.data);
    return;
  }
  const x = workspace.take(b.shape, 'double').data;
  x.set(b.data);
  solveLeftInPlace(k, b.cols, triangle === 'lower', transposed, matrix, x);
  out.data.set(x);
}

function toDouble(x: Tensor, workspace: Workspace): Matrix {
  if (x.data instanceof Float64Array) return x as Matrix;
  const copy = workspace.take(x.shape, 'double');
  copy.data.set(x.data);
  return copy;
}

function scratch(workspace: Workspace, ...shape: number[]): Float64Array {
  return workspace.take(shape, 'double').data;
}

/** Sets the entries outside of the triangle to zero. */
function keepTriangle(k: number, a: Float64Array, triangle: Triangle): void {
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < i; j++) a[triangle === 'lower' ? j * k + i : i * k + j] = 0;
  }
}

function squareShape(caller: string, name: string, a: Tensor): Shape {
  checkSquare(caller, name, a);
  return a.shape;
}
