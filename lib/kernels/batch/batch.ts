/**
 * What does a step need to know of a batch of rows, beside products? A table of its own, with the product of listed rows:
 * who does not go through a graph batch by batch does not load the twins.
 */

import { adamProduct, beginAdam, settleAdam } from './adam-product.ts';
import { csrRowsMatmul } from './sparse-rows.ts';
import { turn } from './turn.ts';
import type { Floats } from '../types.ts';

/**
 * Rows rows[0], rows[1], … of a CSR matrix, one after the other: outStarts[count + 1], outColumns and outValues, with
 * room for all their entries.
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
 * The rows of the batch and then every other row that they are joined to, each once, in the order in which they are met,
 * to `out`; returns how many. Met are the rows of which the stamp is `stamp`: none has it before, all that are met have
 * it afterwards. `out` has room for one more.
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
  let met = meet(batch, 0, count, stamp, stamps, out, 0);
  for (let i = 0; i < count; i++) met = meet(columns, starts[batch[i]], starts[batch[i] + 1], stamp, stamps, out, met);
  return met;
}

/** Appends those of list[from … to−1] that were not met yet to the `met` rows in `out`; returns how many these are then. */
export function meet(
  list: Int32Array,
  from: number,
  to: number,
  stamp: number,
  stamps: Int32Array,
  out: Int32Array,
  met: number,
): number {
  for (let k = from; k < to; k++) {
    const row = list[k];
    // Written in any case and kept if it is new: whether it is cannot be foretold, and a wrong guess costs more.
    out[met] = row;
    met += Number(stamps[row] !== stamp);
    stamps[row] = stamp;
  }
  return met;
}

/**
 * Row i of x[count×width] takes the place of row rows[i] of `kept`, and the moments YᵀDY and ηᵀY of what is kept follow, in
 * Float64. `mass` and `eta`, which may be absent, are of all rows kept.
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
 * Row rows[i] of `kept`, y, becomes y + length·what `mapRows` makes of it and of row i of the product, rounded once, and the
 * moments YᵀDY and ηᵀY of what is kept follow, in Float64. `mass` and `eta`, which may be absent, are of all rows kept. Rows
 * do not repeat.
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

/** The moments YᵀDY and ηᵀY of many rows when some of them, of this mass and η, which may be absent, are no longer `before`. */
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

/** `turn` for rows of so many columns: outStarts[cols + 1], and room for all entries in the others. */
export function turnRows(
  rows: number,
  cols: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  outStarts: Int32Array,
  outColumns: Int32Array,
  outValues: Floats,
): void {
  const zeroed = outStarts.subarray(0, cols + 1).fill(0);
  turn(rows, starts, columns, values, zeroed, outColumns, outValues);
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
  turnRows,
  sampledProduct,
  adamProduct,
  beginAdam,
  settleAdam,
};

export type BatchKernels = typeof plainBatch;
