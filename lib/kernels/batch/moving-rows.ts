/** Kernels that replace or move rows of Y and update the moments YᵀDY and ηᵀY. */

import type { Floats } from '../types.ts';

/** D and η, of all rows or of some. */
type Weights = [mass: Float64Array, eta: Float64Array | null];
/** P, Q, s and the exponent of `mapRows`. */
type RowMap = [p: Float64Array, q: Float64Array, s: Float64Array, massExponent: number];
/** YᵀDY and ηᵀY. */
type Moments = [gram: Float64Array, mean: Float64Array];

type Kernel<Operands extends unknown[]> = (count: number, width: number, ...operands: Operands) => void;
type ReplaceRows = Kernel<[rows: Int32Array, ...Weights, x: Floats, kept: Floats, ...Moments]>;
type MapRows = Kernel<[...Weights, ...RowMap, rows: Floats, product: Floats, out: Floats]>;
type MoveRows = Kernel<
  [rows: Int32Array, ...Weights, ...RowMap, length: number, product: Floats, kept: Floats, ...Moments]
>;
type FollowRows = Kernel<[...Weights, before: Floats, after: Floats, ...Moments]>;

/**
 * Replaces row rows[i] of `kept` by row i of x[count×width] and updates the moments YᵀDY and ηᵀY of `kept`, in Float64. `mass`
 * and `eta`, which may be null, belong to all rows of `kept`.
 */
export const replaceRows: ReplaceRows = (count, width, rows, mass, eta, x, kept, gram, mean) => {
  for (let i = 0; i < count; i++) {
    const [from, to] = [i * width, rows[i] * width];
    const weight = mass[rows[i]];
    for (let s = 0; s < width; s++) {
      const [fresh, old] = [x[from + s], kept[to + s]];
      if (eta) mean[s] += eta[rows[i]] * (fresh - old);
      for (let t = 0; t <= s; t++) {
        const change = weight * (fresh * x[from + t] - old * kept[to + t]);
        gram[s * width + t] += change;
        if (t < s) gram[t * width + s] += change;
      }
    }
    for (let s = 0; s < width; s++) kept[to + s] = x[from + s];
  }
};

/**
 * out[count×width], row i = factors[i]·(row i of `rows`)·matrix, for a matrix[width×width] in Float64; factors null means ones. Sums in
 * Float64, rounded once. `out` may be `rows`. 2·width flops for each number.
 */
export function multiplyRows(
  count: number,
  width: number,
  factors: Float64Array | null,
  rows: Floats,
  matrix: Float64Array,
  out: Floats,
): void {
  const row = new Float64Array(width);
  for (let i = 0, at = 0; i < count; i++, at += width) {
    for (let j = 0; j < width; j++) {
      row[j] = 0;
      for (let k = 0; k < width; k++) row[j] += rows[at + k] * matrix[k * width + j];
    }
    for (let j = 0; j < width; j++) out[at + j] = factors ? factors[i] * row[j] : row[j];
  }
}

/**
 * out[count×width], row i = (m·y·P + a·Q + η·s)/m^massExponent, where y is row i of `rows`, a is row i of `product` and m is
 * mass[i]; 0 if m is 0. P and Q, width×width, s[width], `mass` and `eta`, which may be null, are in Float64, and so are the
 * sums. `out` is neither `rows` nor `product`. 4·width flops for each number.
 */
export const mapRows: MapRows = (count, width, mass, eta, p, q, s, massExponent, rows, product, out) => {
  for (let i = 0; i < count; i++) {
    const row = i * width;
    let divisor = 1; // not its inverse, which may overflow
    for (let k = 0; k < massExponent; k++) divisor *= mass[i];
    for (let j = 0; j < width; j++) {
      let own = 0;
      let affinity = eta ? eta[i] * s[j] : 0;
      for (let k = 0; k < width; k++) {
        own += rows[row + k] * p[k * width + j];
        affinity += product[row + k] * q[k * width + j];
      }
      out[row + j] = mass[i] > 0 ? (mass[i] * own + affinity) / divisor : 0;
    }
  }
};

/**
 * Row rows[i] of `kept`, y, becomes y + length·mapRows(y, row i of the product), rounded once, and the moments YᵀDY and ηᵀY of
 * `kept` are updated in Float64. `mass` and `eta`, which may be null, belong to all rows of `kept`. Rows do not repeat.
 */
export const moveRows: MoveRows = (...operands) => {
  const [count, width, rows, mass, eta, p, q, s, massExponent, length, product, kept, gram, mean] = operands;
  const old = gathered(count, width, rows, kept);
  const massOfRows = gathered(count, 1, rows, mass);
  const etaOfRows = eta && gathered(count, 1, rows, eta);
  const change = new Float64Array(count * width);
  mapRows(count, width, massOfRows, etaOfRows, p, q, s, massExponent, old, product, change);
  for (let i = 0, at = 0; i < count; i++) {
    for (let j = 0, to = rows[i] * width; j < width; j++, at++) kept[to + j] = old[at] + length * change[at];
  }
  followRows(count, width, massOfRows, etaOfRows, old, gathered(count, width, rows, kept), gram, mean);
};

/** Updates the moments YᵀDY and ηᵀY of all rows after some rows, with this mass and η, changed from `before` to `after`. `eta` may be null. */
export const followRows: FollowRows = (count, width, mass, eta, before, after, gram, mean) => {
  for (let i = 0, at = 0; i < count; i++, at += width) {
    for (let s = 0; s < width; s++) {
      for (let t = 0; t < width; t++) {
        gram[s * width + t] += mass[i] * (after[at + s] * after[at + t] - before[at + s] * before[at + t]);
      }
      if (eta) mean[s] += eta[i] * (after[at + s] - before[at + s]);
    }
  }
};

/** Rows rows[0], rows[1], … of x, in the precision of x. */
function gathered<T extends Floats>(count: number, width: number, rows: Int32Array, x: T): T {
  const result = x.slice(0, count * width) as T;
  for (let i = 0; i < count; i++) for (let j = 0; j < width; j++) result[i * width + j] = x[rows[i] * width + j];
  return result;
}

export const plainMovingRows = { replaceRows, multiplyRows, mapRows, moveRows, followRows };

export type MovingRowsKernels = typeof plainMovingRows;
