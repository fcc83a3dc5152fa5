/** Gaussian weights of queries and the points of a k-d tree, by one pass over the tree. */

import type { Task } from '../../../core/task.ts';
import { tableHead, tableSteps } from '../../../kernels/nearest/kd-gaussian.ts';
import { leafSlots, stackLength } from '../../../kernels/nearest/kd-reach.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate } from '../../../tensor/tensor.ts';
import { extensionKernels } from '../../../wasm/families.ts';
import type { KdTree } from './kd-tree.ts';
import { mostHits, type ReachTree, visitorsFor } from './reach-tree.ts';

/** The longest step of the table for which four terms of a series give ten digits. */
const longestStep = 2 ** -7;

/**
 * A table of the weights exp(−s/(2σ²)) above a threshold, in the layout of the kernel `kdGaussian`, for squared distances s up to
 * `limit`, at which the weight is below the threshold. Weights from it are off by at most 2e-10 of themselves, far less than their
 * rounding to single precision. Returns null if the threshold is too small for that.
 */
export function gaussianTable(sigma: number, threshold: number, limit: number): Float64Array | null {
  const h = -Math.log(threshold) / tableSteps;
  if (h > longestStep) return null;
  const table = allocate(tableHead + tableSteps + 2, 'double');
  table.set([1 / (2 * sigma * sigma * h), h, threshold, limit]);
  for (let k = 0; k < tableSteps + 2; k++) table[tableHead + k] = Math.exp(-h * k);
  return table;
}

/** Rows and weights: those of query queries[i] are at starts[i] … starts[i+1]−1, in any order. */
type UseWeights = (queries: Int32Array, starts: Int32Array, rows: Int32Array, weights: Float32Array) => void;

/**
 * Calls `use` with the weights of all visitors and the points of the tree, some visitors at a time. What it gets is valid during
 * the call. There is room for `usual` weights of a visitor at first; a search that finds more is repeated.
 */
export function* gaussianWeightsInTreeSteps(
  { dimension, leaves, rows, columns, pairs }: ReachTree,
  visitors: KdTree,
  power: number,
  table: Float64Array,
  usual: number,
  use: UseWeights,
): Task<void> {
  let room = roomFor(usual);
  for (let start = 0, end = 0; start < visitors.size; start = end) {
    end = Math.min(start + room.visitors, visitors.size);
    const counts = [start, end, dimension, leaves, room.hits, power] as const;
    const found = [room.reached, room.weights, room.stack] as const;
    extensionKernels().kdGaussian(...counts, rows, columns, pairs, visitors.points, table, ...found);
    const most = mostHits(end - start, room.hits, room.reached);
    if (most >= room.hits - leafSlots) {
      room = roomFor(most);
      end = start;
    } else use(visitors.order.subarray(start, end), packRows(end - start, room), room.reached, room.weights);
    yield start / visitors.size;
  }
}

/** Moves the hits of all rows to the front, in place. Returns where each row starts. */
function packRows(count: number, { hits, reached, weights }: ReturnType<typeof roomFor>): Int32Array {
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) {
    const first = i * (hits + 1) + 1;
    const end = first + reached[first - 1];
    reached.copyWithin(starts[i], first, end);
    weights.copyWithin(starts[i], first, end);
    starts[i + 1] = starts[i] + end - first;
  }
  return starts;
}

/** Room for `usual` weights of each visitor, and for those of one more leaf. */
function roomFor(usual: number) {
  const hits = usual + leafSlots + 1;
  const visitors = visitorsFor(hits);
  return {
    visitors,
    hits,
    reached: allocateIndices(visitors * (hits + 1)),
    weights: allocate(visitors * (hits + 1), 'single'),
    stack: allocate(visitors * stackLength, 'double'),
  };
}
