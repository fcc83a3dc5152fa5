/** Matrices of networks, whose rows are irregular: power laws, roads, circuits, two kinds of nodes, nearest neighbors. */

import type { Random } from '../core/random.ts';
import { subtask, type Task } from '../core/task.ts';
import { nearestNeighborsSteps } from '../graph/neighbors/neighbors.ts';
import { symmetrize } from '../sparse/combine.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { zeros } from '../tensor/tensor.ts';
import { forEachRowSteps } from './grids.ts';
import { EntryWriter, RowWriter } from './writers.ts';

/** The number of draws between two reports of progress. */
const reportEvery = 16_384;

/** Counts from 0 to `count` − 1 and reports progress up to `end`. */
function* countingSteps(count: number, end: number, visit: (i: number) => void): Task<void> {
  for (let i = 0; i < count; i++) {
    visit(i);
    if (i % reportEvery === 0) yield (end * i) / count;
  }
}

/** The probabilities of the quadrants of R-MAT (Chakrabarti, Zhan & Faloutsos), as Graph500 has them. */
const quadrants = { a: 0.57, b: 0.19, c: 0.19 };
const edgesPerNode = 16;

/**
 * R-MAT: each of 16 edges per node descends through quadrants of the matrix, unevenly, so that degrees follow a power law.
 * Nodes are numbered at random. Edges that repeat are one entry. Not symmetric.
 */
export function* powerLawSteps(nonzeros: number, random: Random): Task<CsrMatrix> {
  const levels = Math.max(1, Math.round(Math.log2(nonzeros / edgesPerNode)));
  const n = 2 ** levels;
  const names = random.permutation(n);
  const writer = new EntryWriter(nonzeros);
  yield* countingSteps(nonzeros, 0.7, () => {
    let [i, j] = [0, 0];
    for (let level = 0; level < levels; level++) {
      const u = random.uniform();
      const isRight =
        u >= quadrants.a && (u < quadrants.a + quadrants.b || u >= quadrants.a + quadrants.b + quadrants.c);
      const isBelow = u >= quadrants.a + quadrants.b;
      i = 2 * i + Number(isBelow);
      j = 2 * j + Number(isRight);
    }
    writer.add(names[i], names[j], random.uniform());
  });
  return writer.finish(n, n);
}

/** The fraction of the edges of a grid that are roads, and the side of a district. */
const roadFraction = 0.65;
const district = 32;

/**
 * Roads: 65 % of the edges of a square grid, about 2.6 to a node. Nodes are numbered district by district, at random within
 * each. Symmetric; a few nodes have no road.
 */
export function* roadSteps(nonzeros: number, random: Random): Task<CsrMatrix> {
  const side = Math.max(2, Math.round(Math.sqrt(nonzeros / (4 * roadFraction))));
  const n = side * side;
  const names = districtNames(side, random);
  const writer = new EntryWriter(nonzeros);
  const join = (a: number, b: number): void => {
    if (random.uniform() >= roadFraction) return;
    const length = random.uniform(0.5, 1.5);
    writer.add(names[a], names[b], length);
    writer.add(names[b], names[a], length);
  };
  yield* countingSteps(n, 0.7, (node) => {
    if (node % side < side - 1) join(node, node + 1);
    if (node < n - side) join(node, node + side);
  });
  return writer.finish(n, n);
}

/** The numbers of the nodes of a grid: districts in random order, nodes in random order within each. */
function districtNames(side: number, random: Random): Int32Array {
  const across = Math.ceil(side / district);
  const districts = random.permutation(across * across);
  const names = new Int32Array(side * side);
  let next = 0;
  for (const each of districts) {
    const [left, top] = [(each % across) * district, Math.floor(each / across) * district];
    const width = Math.min(district, side - left);
    for (const place of random.permutation(width * Math.min(district, side - top))) {
      names[(top + Math.floor(place / width)) * side + left + (place % width)] = next++;
    }
  }
  return names;
}

/** The nets of a circuit that reach one node in sixteen, such as supply and clock. */
const denseNets = 4;
const netReach = 16;
/** How far the parts of a circuit reach, in numbers of nodes; one in ten reaches anywhere. */
const partReach = 64;

/**
 * A circuit: each node has a diagonal entry and about two parts that join it to others, mostly nearby. Four nets join one
 * node in sixteen, so that four rows and columns are dense. The pattern is symmetric, the values are not.
 */
export function* circuitSteps(nonzeros: number, random: Random): Task<CsrMatrix> {
  const perNode = 5 + (2 * denseNets) / netReach;
  const n = Math.max(netReach, Math.round(nonzeros / perNode));
  const writer = new EntryWriter(nonzeros);
  const join = (a: number, b: number): void => {
    if (a === b) return;
    writer.add(a, b, random.uniform(-1, 0));
    writer.add(b, a, random.uniform(-1, 0));
  };
  const nets = Array.from({ length: denseNets }, () => random.integer(n));
  yield* countingSteps(n, 0.7, (node) => {
    writer.add(node, node, 8);
    for (let part = 0; part < 2; part++) {
      const isFar = random.uniform() < 0.1;
      join(node, isFar ? random.integer(n) : Math.min(n - 1, node + 1 + random.integer(partReach)));
    }
    for (const net of nets) if (random.integer(netReach) === 0) join(net, node);
  });
  return writer.finish(n, n);
}

/** The entries of a row of `bipartite`, and how many rows there are to a column. */
const rowLengths = { least: 4, most: 36 };
const rowsPerColumn = 4;

/**
 * Two kinds of nodes, such as documents and words: four times as many rows as columns, rows of 4 to 36 entries. Low columns
 * are frequent: column c is drawn with a probability that falls like 1/√c.
 */
export function* bipartiteSteps(nonzeros: number, random: Random): Task<CsrMatrix> {
  const { least, most } = rowLengths;
  const rows = Math.max(rowsPerColumn * most, Math.round((2 * nonzeros) / (least + most)));
  const cols = Math.ceil(rows / rowsPerColumn);
  const writer = new RowWriter(rows, cols, nonzeros);
  const drawn = new Set<number>();
  yield* forEachRowSteps(rows, writer, () => {
    const length = least + random.integer(most - least + 1);
    drawn.clear();
    while (drawn.size < Math.min(length, cols)) drawn.add(Math.floor(cols * random.uniform() ** 2));
    for (const column of [...drawn].toSorted((a, b) => a - b)) writer.add(column, random.uniform());
  });
  return writer.finish();
}

/** The clusters and neighbors of `knn`. About 1.3 entries remain for each neighbor when the graph is made symmetric. */
const clusters = 20;
const neighbors = 16;
const entriesPerPoint = 20;

/**
 * The graph of the 16 nearest neighbors of points in space, itself counted, in twenty clusters, in random order. An entry is
 * 1/(1 + d²/s²) for the distance d and the spread s of a cluster. Symmetric.
 */
export function* knnSteps(nonzeros: number, random: Random): Task<CsrMatrix> {
  const n = Math.max(2 * neighbors, Math.round(nonzeros / entriesPerPoint));
  const spread = 0.1;
  const centers = zeros([clusters, 3]).data;
  random.fillUniform(centers);
  const points = zeros([n, 3]);
  for (let i = 0, at = 0; i < n; i++) {
    const center = 3 * random.integer(clusters);
    for (let k = 0; k < 3; k++) points.data[at++] = centers[center + k] + spread * random.normal();
  }
  const search = nearestNeighborsSteps('generateMatrix', points, { neighbors, method: 'tree' });
  const { indices, squaredDistances } = yield* subtask(search, 0, 0.7);
  const writer = new EntryWriter(indices.length);
  for (let e = 0; e < indices.length; e++) {
    writer.add(Math.floor(e / neighbors), indices[e], 1 / (1 + squaredDistances[e] / spread ** 2));
  }
  return symmetrize(writer.finish(n, n), 'max');
}
