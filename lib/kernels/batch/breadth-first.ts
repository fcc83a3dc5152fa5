/** Breadth-first orders of the nodes of a graph. */

import { visit } from './slice.ts';

/** The search for a pseudo-peripheral node mostly ends after two or three iterations. This limit keeps it linear. */
const maxIterations = 10;

/**
 * All nodes, one component after the other, each in breadth-first order from a pseudo-peripheral node (George & Liu), so that levels
 * are many and narrow. The neighbors of a node come in the order of its row; the pattern is symmetric. The first node of
 * `seeds`, which lists all nodes, that is in no earlier component starts the search for the next one.
 */
export function breadthFirstOrder(
  n: number,
  starts: Int32Array,
  neighbors: Int32Array,
  seeds: ArrayLike<number>,
): Int32Array {
  const degree = (node: number): number => starts[node + 1] - starts[node];
  /** Length: n + 1, as `visit` requires. */
  const order = new Int32Array(n + 1);
  /** The number of the last search that visited each node; 0 for nodes that are not visited yet. */
  const stamps = new Int32Array(n);
  let stamp = 0;
  let end = 0;
  let lastLevel = 0;

  /** Writes the component of `root` to `order` from index `begin` on, level by level. Returns the number of levels. */
  function search(root: number, begin: number): number {
    stamps[root] = ++stamp;
    order[begin] = root;
    end = begin + 1;
    let levels = 0;
    for (let at = begin; at < end; levels++) {
      lastLevel = at;
      for (const levelEnd = end; at < levelEnd; at++) {
        end = visit(neighbors, starts[order[at]], starts[order[at] + 1], stamp, stamps, order, end);
      }
    }
    return levels;
  }

  for (let k = 0; k < n; k++) {
    if (stamps[seeds[k]] > 0) continue;
    const begin = end;
    let depth = search(seeds[k], begin);
    for (let iteration = 0; iteration < maxIterations; iteration++) {
      const farthest = order.subarray(lastLevel, end);
      const nextDepth = search(
        farthest.reduce((best, node) => (degree(node) < degree(best) ? node : best)),
        begin,
      );
      if (nextDepth <= depth) break;
      depth = nextDepth;
    }
  }
  return order.subarray(0, n);
}
