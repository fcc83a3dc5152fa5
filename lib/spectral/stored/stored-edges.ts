/** Sampled edges of a graph in a folder, with the draws of `EdgeSampler`. */

import { badValue } from '../../core/check.ts';
import type { Random } from '../../core/random.ts';
import type { Task } from '../../core/task.ts';
import type { StoredGraph } from '../../storage/stored-graph.ts';
import type { EdgeSource } from '../train/edges.ts';

/** Rows of the graph that are compared at a time. */
const blockRows = 1 << 12;

/**
 * The edges of a graph whose weights are all equal. Others would need a table of 12 bytes for each entry, whose cells are drawn at
 * random; they are refused.
 */
export function* storedEdgesSteps(caller: string, graph: StoredGraph): Task<EdgeSource> {
  let first: number | null = null;
  for (let from = 0; from < graph.size; from += blockRows) {
    const { values } = graph.rowRange(from, Math.min(graph.size, from + blockRows));
    first ??= values[0] ?? null;
    const other = values.find((value) => value !== first);
    if (other !== undefined) {
      const remedy = "Use scheme 'neighbor', or train on the graph in memory.";
      throw badValue(caller, "equal weights for scheme 'edges' on a stored graph", `${first} and ${other}`, remedy);
    }
    yield from / graph.size;
  }
  return { batches: (steps, edges, random) => uniformBatches(graph, steps, edges, random) };
}

/** `steps` batches of `edges` edges, each valid until the next one. */
function* uniformBatches(
  graph: StoredGraph,
  steps: number,
  edges: number,
  random: Random,
): Generator<Int32Array, void> {
  const ends = new Int32Array(2 * edges);
  const entries = new Float64Array(edges);
  for (let step = 0; step < steps; step++) {
    for (let k = 0; k < edges; k++) entries[k] = random.integer(graph.nonzeros);
    graph.entries(entries, ends);
    yield ends;
  }
}
