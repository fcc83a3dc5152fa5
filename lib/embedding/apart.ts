/** Are points still where they were beside each other, once they are rounded to single precision? */

import { badValue } from '../core/check.ts';
import type { Graph } from '../graph/graph.ts';
import type { Points } from '../network/layers/inputs.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Refuses points that lose what lies between neighbours: of sparse ones a single pair that becomes one, of a table many distances. */
export function checkApart(caller: string, graph: Graph, given: Points, rounded: Points): void {
  if (given.precision === 'single') return;
  if (given instanceof CsrMatrix)
    return rounded instanceof CsrMatrix ? checkPairs(caller, graph, given, rounded) : undefined;
  if (!(rounded instanceof CsrMatrix)) checkDistances(caller, graph, given, rounded);
}

/** A distance counts as lost if it is off by more than this share; so many lost ones are a loss, and not a few close pairs. */
const lost = { share: 0.1, most: 0.1 };
/** Of so many points, spread over all, the neighbours are looked at. */
const looked = 1024;

function checkDistances(caller: string, { weights }: Graph, given: Tensor, rounded: Tensor): void {
  let all = 0;
  let bad = 0;
  for (let i = 0; i < weights.rows; i += Math.ceil(weights.rows / looked)) {
    for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
      const share = lossBetween(given, rounded, i, weights.columns[e]);
      if (share === null) continue;
      all++;
      if (share > lost.share) bad++;
    }
  }
  if (bad <= lost.most * all) return;
  throw badValue(
    caller,
    'points whose distances single precision keeps',
    `${bad} of ${all} between neighbours off by more than a tenth`,
    'Take from each column what most of it has in common, or leave out points that lie far from all others.',
  );
}

/** By which share of itself the way from one point to another changes; null where they are the same point. */
function lossBetween({ cols, data }: Tensor, { data: now }: Tensor, i: number, j: number): number | null {
  let square = 0;
  let change = 0;
  for (let c = 0, p = i * cols, q = j * cols; c < cols; c++, p++, q++) {
    const difference = data[p] - data[q];
    square += difference * difference;
    change += (difference - (now[p] - now[q])) ** 2;
  }
  return square > 0 ? Math.sqrt(change / square) : null;
}

/** Refuses two neighbours that differ, but no longer do once they are rounded. */
function checkPairs(caller: string, { weights }: Graph, given: CsrMatrix, rounded: CsrMatrix): void {
  for (let i = 0; i < weights.rows; i++) {
    for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
      const j = weights.columns[e];
      if (j <= i || !sameRow(rounded, i, j) || sameRow(given, i, j)) continue;
      const remedy = 'Bring a dense table, which is centred, or points in single precision.';
      throw badValue(caller, 'sparse points that single precision tells apart', `rows ${i} and ${j} as one`, remedy);
    }
  }
}

function sameRow({ starts, columns, values }: CsrMatrix, i: number, j: number): boolean {
  const length = starts[i + 1] - starts[i];
  if (starts[j + 1] - starts[j] !== length) return false;
  for (let e = 0; e < length; e++) {
    const [p, q] = [starts[i] + e, starts[j] + e];
    if (columns[p] !== columns[q] || values[p] !== values[q]) return false;
  }
  return true;
}
