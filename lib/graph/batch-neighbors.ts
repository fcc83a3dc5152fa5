/** The mean size of the neighborhoods of random batches, which a step of the neighbor scheme evaluates. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { Random, type Seed } from '../core/random.ts';
import { NeighborUnion } from '../sparse/slices/neighbor-union.ts';
import { checkGraph, type Graph } from './graph.ts';

/** Batches drawn for each size. Their mean has an error of a few percent on the graphs of the paper. */
const draws = 200;

/** For each batch size the mean of |N(B)|, the batch and all its neighbors, over random batches without repetition. */
export function batchNeighbors(graph: Graph, sizes: readonly number[], seed: Seed = 0): number[] {
  const caller = 'batchNeighbors';
  checkGraph(caller, graph);
  if (!Array.isArray(sizes)) throw badKind(caller, 'an array of batch sizes', sizes);
  for (const size of sizes) {
    checkCount(caller, 'a batch size', size, 1);
    if (size > graph.size) throw badValue(caller, `batches of at most ${graph.size} nodes`, size);
  }
  const union = new NeighborUnion(graph.weights);
  const order = Int32Array.from({ length: graph.size }, (_, i) => i);
  return sizes.map((size) => {
    const random = new Random(seed).fork(`batches of ${size}`);
    let total = 0;
    for (let draw = 0; draw < draws; draw++) {
      random.bringToFront(order, size);
      total += union.of(order.subarray(0, size)).length;
    }
    return total / draws;
  });
}
