/**
 * Kernels for a batch of listed rows. A family of its own, so that only programs that go through a graph batch by batch load the
 * SIMD twins.
 */

import { adamProduct, beginAdam, settleAdam } from './adam-product.ts';
import { csrRowsMatmul } from './sparse-rows.ts';
import { transposeRows } from './counting-sort.ts';
import type { Floats } from '../types.ts';

/**
 * Rows rows[0], rows[1], … of a CSR matrix, one after the other: to outStarts[count + 1], outColumns and outValues, which
 * have room for all their entries.
 */
export function csrSlice(
  count: number,
  rows: Int32Array,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  outStarts: Int32Array,
  outColumns: Int32Array,
  outValues: Floats,
): void {
  let at = 0;
  outStarts[0] = 0;
  for (let i = 0; i < count; i++) {
    const end = starts[rows[i] + 1];
    for (let e = starts[rows[i]]; e < end; e++) {
      outColumns[at] = columns[e];
      outValues[at++] = values[e];
    }
    outStarts[i + 1] = at;
  }
}

/**
 * The rows of the batch and then all their neighbors, each once, in the order of the visits, to `out`; returns how many. A row
 * is visited if stamps[row] === stamp, which holds for none on entry. `out` has room for one more.
 */
export function neighborUnion(
  count: number,
  batch: Int32Array,
  starts: Int32Array,
  columns: Int32Array,
  stamp: number,
  stamps: Int32Array,
  out: Int32Array,
): number {
  let visited = visit(batch, 0, count, stamp, stamps, out, 0);
  for (let i = 0; i < count; i++) {
    visited = visit(columns, starts[batch[i]], starts[batch[i] + 1], stamp, stamps, out, visited);
  }
  return visited;
}

/** Appends the rows of list[from … to−1] that are not visited yet to the `visited` rows in `out`; returns their number. */
export function visit(
  list: Int32Array,
  from: number,
  to: number,
  stamp: number,
  stamps: Int32Array,
  out: Int32Array,
  visited: number,
): number {
  for (let k = from; k < to; k++) {
    const row = list[k];
    // Written in any case and kept if it is new: a branch would often be mispredicted, which costs more.
    out[visited] = row;
    visited += Number(stamps[row] !== stamp);
    stamps[row] = stamp;
  }
  return visited;
}

/**
 * Replaces row rows[i] of `kept` by row i of x[count×width] and updates the moments YᵀDY and ηᵀY of `kept`, in Float64. `mass`
 * and `eta`, which may be absent, belong to all rows kept.
 */
export function replaceRows(
  count: number,
  width: number,
  rows: Int32Array,
  mass: Float64Array,
  eta: Float64Array | null,
  x: Floats,
  kept: Floats,
  gram: Float64Array,
  mean: Float64Array,
): void {
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
}

/**
 * out[count×width], row i = (m·y·P + a·Q + η·s)/m^power for row i of rows, y, and of the product, a; 0 where the mass m is
 * 0. P and Q, width×width, s[width], `mass` and `eta`, which may be absent, are in Float64, and so are the sums. `out` is
 * neither rows nor product. 4·width flops for each number.
 */
export function mapRows(
  count: number,
  width: number,
  mass: Float64Array,
  eta: Float64Array | null,
  p: Float64Array,
  q: Float64Array,
  s: Float64Array,
  power: number,
  rows: Floats,
  product: Floats,
  out: Floats,
): void {
  for (let i = 0; i < count; i++) {
    const row = i * width;
    let divisor = 1; // not its inverse, which may be larger than every number
    for (let k = 0; k < power; k++) divisor *= mass[i];
    for (let j = 0; j < width; j++) {
      let pull = 0;
      let push = eta ? eta[i] * s[j] : 0;
      for (let k = 0; k < width; k++) {
        pull += rows[row + k] * p[k * width + j];
        push += product[row + k] * q[k * width + j];
      }
      out[row + j] = mass[i] > 0 ? (mass[i] * pull + push) / divisor : 0;
    }
  }
}

/**
 * Row rows[i] of `kept`, y, becomes y + length·mapRows(y, row i of the product), rounded once, and the moments YᵀDY and ηᵀY of
 * `kept` are updated in Float64. `mass` and `eta`, which may be absent, belong to all rows kept. Rows do not repeat.
 */
export function moveRows(
  count: number,
  width: number,
  rows: Int32Array,
  mass: Float64Array,
  eta: Float64Array | null,
  p: Float64Array,
  q: Float64Array,
  s: Float64Array,
  power: number,
  length: number,
  product: Floats,
  kept: Floats,
  gram: Float64Array,
  mean: Float64Array,
): void {
  const old = gathered(count, width, rows, kept);
  const own = gathered(count, 1, rows, mass);
  const share = eta && gathered(count, 1, rows, eta);
  const change = new Float64Array(count * width);
  mapRows(count, width, own, share, p, q, s, power, old, product, change);
  for (let i = 0, at = 0; i < count; i++) {
    for (let j = 0, to = rows[i] * width; j < width; j++, at++) kept[to + j] = old[at] + length * change[at];
  }
  followRows(count, width, own, share, old, gathered(count, width, rows, kept), gram, mean);
}

/** Updates the moments YᵀDY and ηᵀY of many rows when some of them, of this mass and η, which may be absent, change. */
export function followRows(
  count: number,
  width: number,
  mass: Float64Array,
  eta: Float64Array | null,
  before: Floats,
  after: Floats,
  gram: Float64Array,
  mean: Float64Array,
): void {
  for (let i = 0, at = 0; i < count; i++, at += width) {
    for (let s = 0; s < width; s++) {
      for (let t = 0; t < width; t++) {
        gram[s * width + t] += mass[i] * (after[at + s] * after[at + t] - before[at + s] * before[at + t]);
      }
      if (eta) mean[s] += eta[i] * (after[at + s] - before[at + s]);
    }
  }
}

/** Rows rows[0], rows[1], … of x, in the precision of x. */
function gathered<T extends Floats>(count: number, width: number, rows: Int32Array, x: T): T {
  const result = x.slice(0, count * width) as T;
  for (let i = 0; i < count; i++) for (let j = 0; j < width; j++) result[i * width + j] = x[rows[i] * width + j];
  return result;
}

/**
 * a·bᵀ where an entry of CSR arrays is, and 0 elsewhere: out[rows×cols], with a[rows×inner] and b[cols×inner]. The first
 * row of the CSR arrays begins at 0. 2·inner flops for each entry.
 */
export function sampledProduct(
  rows: number,
  cols: number,
  inner: number,
  starts: Int32Array,
  columns: Int32Array,
  a: Floats,
  b: Floats,
  out: Floats,
): void {
  out.fill(0, 0, rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      let sum = 0;
      for (let p = 0; p < inner; p++) sum += a[i * inner + p] * b[columns[e] * inner + p];
      out[i * cols + columns[e]] = sum;
    }
  }
}

/** The plain twins, as in the table of all other kernels. */
export const plainBatch = {
  csrRowsMatmul,
  csrSlice,
  neighborUnion,
  replaceRows,
  moveRows,
  transposeRows,
  sampledProduct,
  adamProduct,
  beginAdam,
  settleAdam,
};

export type BatchKernels = typeof plainBatch;
