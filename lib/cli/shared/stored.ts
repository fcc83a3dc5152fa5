/** Stored graphs as inputs of commands: a folder in place of a file. */

import { openStoredGraph } from '../../storage/stored-graph.ts';
import type { Graph } from '../../graph/graph.ts';

/** Reads the whole graph of a folder. */
export function readStoredGraph(folder: string): Graph {
  const stored = openStoredGraph(folder);
  try {
    return stored.toGraph();
  } finally {
    stored.close();
  }
}
