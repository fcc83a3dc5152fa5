/** Connected components. */

import type { CsrMatrix } from '../sparse/csr.ts';

/** The connected components of a graph. */
export interface Components {
  readonly count: number;
  /** The component of each node; components are numbered in the order of their first nodes. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
}

/** Breadth-first search along the stored entries of a symmetric matrix. O(rows + nonzeros). */
export function findComponents({ rows, starts, columns }: CsrMatrix): Components {
  const labels = new Int32Array(rows).fill(-1);
  const queue = new Int32Array(rows);
  const sizes: number[] = [];
  let reached = 0;
  for (let seed = 0; seed < rows; seed++) {
    if (labels[seed] >= 0) continue;
    const first = reached;
    labels[seed] = sizes.length;
    queue[reached++] = seed;
    for (let at = first; at < reached; at++) {
      for (let e = starts[queue[at]]; e < starts[queue[at] + 1]; e++) {
        const node = columns[e];
        if (labels[node] >= 0) continue;
        labels[node] = sizes.length;
        queue[reached++] = node;
      }
    }
    sizes.push(reached - first);
  }
  return { count: sizes.length, labels, sizes: Int32Array.from(sizes) };
}
