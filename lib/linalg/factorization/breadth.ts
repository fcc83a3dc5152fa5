/** The length of a graph and its width in the middle, measured by breadth-first searches. */

import type { Pattern } from './pattern.ts';

export interface Breadth {
  /** The largest number of levels of a component. */
  readonly depth: number;
  /** The largest size, over components, of the smallest level in the middle half of a component: about that of a separator. */
  readonly width: number;
}

/** Two searches of every component, the second from a node that the first one reaches last. O(entries). */
export function measureBreadth({ size, starts, columns }: Pattern): Breadth {
  const queue = new Int32Array(size);
  const visits = new Int32Array(size);
  let [depth, width] = [0, 0];

  /** Writes the component of the root to the queue. Returns its end and the ends of its levels. */
  const search = (root: number, begin: number, visit: number): number[] => {
    const ends: number[] = [];
    visits[root] = visit;
    queue[begin] = root;
    let end = begin + 1;
    for (let at = begin; at < end;) {
      for (const levelEnd = end; at < levelEnd; at++) {
        for (let e = starts[queue[at]]; e < starts[queue[at] + 1]; e++) {
          const other = columns[e];
          if (visits[other] === visit) continue;
          visits[other] = visit;
          queue[end++] = other;
        }
      }
      ends.push(at);
    }
    return ends;
  };

  for (let root = 0, begin = 0; root < size; root++) {
    if (visits[root] > 0) continue;
    const first = search(root, begin, 1);
    const ends = search(queue[first.at(-1)! - 1], begin, 2);
    const end = ends.at(-1)!;
    const [lower, upper] = [begin + (end - begin) / 4, begin + (3 * (end - begin)) / 4];
    let thinnest = end - begin;
    for (let level = 0, from = begin; level < ends.length; from = ends[level++]) {
      if (ends[level] > lower && from < upper) thinnest = Math.min(thinnest, ends[level] - from);
    }
    depth = Math.max(depth, ends.length);
    width = Math.max(width, thinnest);
    begin = end;
  }
  return { depth, width };
}
