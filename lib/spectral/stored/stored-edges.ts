/** Sampled edges of a graph in a folder, with the draws of `EdgeSampler`. */

import type { Random } from '../../core/random.ts';
import { subtask, type Task } from '../../core/task.ts';
import { AliasFile } from '../../storage/fit/alias-file.ts';
import type { CacheStatistics } from '../../storage/arrays/page-cache.ts';
import type { StoredGraph } from '../../storage/graph/stored-graph.ts';
import type { EdgeSource } from '../train/edges.ts';

/** Weights that are compared at a time. */
const blockEntries = 1 << 16;

/** Edges whose table, if there is one, is in a file. */
export interface StoredEdges extends EdgeSource {
  /** The pages of the table; null if all weights are equal. */
  readonly statistics: CacheStatistics | null;
  /** Deletes the file. */
  close(): void;
}

/**
 * The edges of a graph. Unless all weights are equal, they are drawn by a table in a file at `path`, 16 bytes for each entry, through
 * a cache of `memory` bytes.
 */
export function* storedEdgesSteps(
  caller: string,
  graph: StoredGraph,
  { path, memory }: { readonly path: string; readonly memory: number },
): Task<StoredEdges> {
  const isEqual = yield* subtask(areEqualSteps(graph), 0, 0.2);
  const table = isEqual ? null : new AliasFile(caller, path, graph, memory);
  try {
    if (table) yield* subtask(table.fillSteps(), 0.2, 1);
  } catch (error) {
    table?.close();
    throw error;
  }
  return {
    batches: (steps, edges, random) => storedBatches(graph, table, steps, edges, random),
    get statistics() {
      return table?.statistics ?? null;
    },
    close: () => table?.close(),
  };
}

function* areEqualSteps(graph: StoredGraph): Task<boolean> {
  let first: number | null = null;
  for (let from = 0; from < graph.nonzeros; from += blockEntries) {
    const values = graph.weights(from, Math.min(graph.nonzeros, from + blockEntries));
    first ??= values[0];
    if (values.some((value) => value !== first)) return false;
    yield from / graph.nonzeros;
  }
  return true;
}

/** `steps` batches of `edges` edges, each valid until the next one. */
function* storedBatches(
  graph: StoredGraph,
  table: AliasFile | null,
  steps: number,
  edges: number,
  random: Random,
): Generator<Int32Array, void> {
  const ends = new Int32Array(2 * edges);
  const entries = new Float64Array(edges);
  for (let step = 0; step < steps; step++) {
    for (let k = 0; k < edges; k++) entries[k] = table ? table.draw(random) : random.integer(graph.nonzeros);
    graph.entries(entries, ends);
    yield ends;
  }
}
