/** The neighborhood of a batch: its rows and all their neighbors, each with its own place. In plain arrays, for tfjs. */

import type { Graph } from '../../lib/graph/graph.ts';

export class Neighborhood {
  readonly #graph: Graph;
  readonly #places: Int32Array;
  #rows: Int32Array = new Int32Array(0);

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#places = new Int32Array(graph.size).fill(-1);
  }

  of(batch: Int32Array): Int32Array {
    const { starts, columns } = this.#graph.weights;
    for (const row of this.#rows) this.#places[row] = -1;
    const rows: number[] = [];
    const take = (row: number): void => {
      if (this.#places[row] < 0) this.#places[row] = rows.push(row) - 1;
    };
    for (const row of batch) {
      take(row);
      for (let e = starts[row]; e < starts[row + 1]; e++) take(columns[e]);
    }
    this.#rows = Int32Array.from(rows);
    return this.#rows;
  }

  placeOf(row: number): number {
    return this.#places[row];
  }
}
