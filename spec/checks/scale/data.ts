/** A Swiss roll on a jittered grid with a list of edges, written to .npy files row by row, of any size. */

import { ArrayWriter } from '../../../lib/storage/arrays/array-file.ts';
import { Random } from '../../../lib/index.ts';

/** Nodes within √10 steps of a grid are joined: 36 neighbors, of which each edge is listed once. */
const offsets: readonly (readonly [down: number, across: number])[] = steps();

function steps(): [number, number][] {
  const all: [number, number][] = [];
  for (let down = 0; down <= 3; down++) {
    for (let across = -3; across <= 3; across++) {
      const isAfter = down > 0 || across > 0;
      if (isAfter && down ** 2 + across ** 2 <= 10) all.push([down, across]);
    }
  }
  return all;
}

/** The number of nodes of the grid nearest to `points`: its lines have as many nodes as there are lines. */
export function gridSide(points: number): number {
  return Math.max(4, Math.round(Math.sqrt(points)));
}

/** Writes side² points of three columns. A line of the grid runs along the height of the roll. */
export function writeRoll(path: string, side: number): void {
  const random = new Random('roll');
  const writer = new ArrayWriter('the points', path, '<f4', 3);
  const line = new Float32Array(3 * side);
  for (let i = 0; i < side; i++) {
    for (let j = 0; j < side; j++) {
      const t = 1.5 * Math.PI * (1 + (2 * (i + random.uniform())) / side);
      line.set([t * Math.cos(t), (21 * (j + random.uniform())) / side, t * Math.sin(t)], 3 * j);
    }
    writer.append(line);
  }
  writer.finish();
}

/** Writes the edges of the grid, two nodes each. Returns their number. */
export function writeEdges(path: string, side: number): number {
  const writer = new ArrayWriter('the edges', path, '<i4', 2);
  const line = new Int32Array(2 * side * offsets.length);
  let count = 0;
  for (let i = 0; i < side; i++) {
    let at = 0;
    for (let j = 0; j < side; j++) {
      for (const [down, across] of offsets) {
        if (i + down >= side || j + across < 0 || j + across >= side) continue;
        line[at++] = i * side + j;
        line[at++] = (i + down) * side + j + across;
      }
    }
    writer.append(line.subarray(0, at));
    count += at / 2;
  }
  writer.finish();
  return count;
}
