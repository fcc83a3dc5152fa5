/** Gaussian weights of queries and the points of a k-d tree: the search and the weights in one pass. */

import { halfDistance, leafSlots, slotDistance } from './kd-reach.ts';

/** The steps of the table of exp(−u), and the last place that the kernel reads. */
export const tableSteps = 4096;
const last = tableSteps + 1;
/** The numbers before the table. */
export const tableHead = 4;

/**
 * The weights of the queries at places start … end−1 of x and the points of the tree, all in `dimension` columns of Float64. The
 * tree, `rows`, `columns`, `pairs` and `stack` are as for `kdReach`; reaches are not read. In `table`:
 *
 *     table[0] = 1/(2σ²h)   table[1] = h   table[2] = the threshold   table[3] = the largest squared distance, a Float32
 *     table[4 + k] = exp(−h·k), k = 0 … tableSteps + 1
 *
 * The weight at the squared distance s, which is rounded to Float32, is that of u = s·table[0] = k + r: table[4 + k] times four terms
 * of the series of exp(−h·r), in Float64, then rounded. A weight above the threshold is noted. hits[base] is their number, for
 * base = (place − start)·(room + 1). Rows and weights are at base + 1 … of hits and weights, in the order of leaves, followed by a
 * zero. There is room for them if their number is less than room − leafSlots. If a leaf might not find room, the first ones are
 * overwritten, and the number still counts all of them. room > leafSlots.
 */
export function kdGaussian(
  start: number,
  end: number,
  dimension: number,
  leaves: number,
  room: number,
  power: number,
  rows: Int32Array,
  columns: Float64Array,
  pairs: Float64Array,
  x: Float64Array,
  table: Float64Array,
  hits: Int32Array,
  weights: Float32Array,
  stack: Float64Array,
): void {
  const side = 4 * dimension + 2;
  const [threshold, limit] = [table[2], table[3]];
  for (let place = start, base = 0; place < end; place++, base += room + 1) {
    const from = place * dimension;
    let to = base + 1;
    hits[base] = 0;
    stack[0] = 1;
    for (let waiting = 1; waiting > 0;) {
      const node = stack[--waiting];
      if (node < leaves) {
        for (const half of [1, 0]) {
          if (!(halfDistance(power, dimension, pairs, node * side + half, x, from) <= limit)) continue;
          stack[waiting++] = 2 * node + half;
        }
        continue;
      }
      if (to - base + leafSlots > room) {
        hits[to] = 0;
        weights[to] = 0;
        to = base + 1;
      }
      const first = (node - leaves) * leafSlots;
      for (let slot = 0; slot < leafSlots; slot++) {
        const distance = slotDistance(power, dimension, columns, first * (dimension + 1) + slot, x, from);
        const weight = weightAt(distance, table);
        if (!(weight > threshold)) continue;
        hits[base]++;
        hits[to] = rows[first + slot];
        weights[to++] = weight;
      }
    }
    hits[to] = 0;
    weights[to] = 0;
  }
}

/** The weight at a squared distance, by the table. */
export function weightAt(squared: number, table: Float64Array): number {
  const place = Math.min(squared * table[0], last);
  const k = Math.trunc(place);
  const t = table[1] * (place - k);
  return table[tableHead + k] * (1 - t * (1 - t * (1 / 2 - t * (1 / 6))));
}
