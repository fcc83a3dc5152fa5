/** The points within whose reach queries are: trees, also from a known order, and all pairs, against the definition. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, type Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runSync } from '../../lib/core/task.ts';
import { prepareReachSteps } from '../../lib/graph/neighbors/reach.ts';
import { makeRows } from '../../lib/graph/neighbors/neighbors.ts';
import { growTreeSteps } from '../../lib/graph/neighbors/tree/kd-tree.ts';
import { nearestAndReachedInTreeSteps, reachTreeSteps } from '../../lib/graph/neighbors/tree/reach-tree.ts';

const test = suite('reach');

/** Normal points, the first ten of them far out; coordinates on a grid, so that distances tie. */
function drawPoints(random: Random, rows: number, cols: number): Tensor {
  const points = zeros([rows, cols]);
  for (let i = 0; i < rows; i++) {
    for (let c = 0; c < cols; c++) points.data[i * cols + c] = Math.round(8 * random.normal()) * (i < 10 ? 6 : 1);
  }
  return points;
}

function distanceOf(a: Tensor, i: number, b: Tensor, j: number, power: number): number {
  let sum = 0;
  for (let c = 0; c < a.cols; c++) {
    const difference = Math.abs(a.data[i * a.cols + c] - b.data[j * a.cols + c]);
    sum = power === Infinity ? Math.max(sum, difference) : sum + difference ** power;
  }
  return Math.fround(power === 2 ? sum : sum ** 2);
}

for (const cols of [1, 2, 5, 12, 20]) {
  for (const power of [2, 1, Infinity]) {
    test(`the definition, ${cols} columns, power ${power}`, () => {
      const random = new Random(`reach ${cols}`);
      const [points, queries] = [drawPoints(random, 400, cols), drawPoints(random, 60, cols)];
      const all = Array.from({ length: queries.rows }, (_, i) => {
        return Array.from({ length: points.rows }, (__, j) => distanceOf(queries, i, points, j, power));
      });
      // Reaches as in a graph: the distance to the fourth of the others.
      const squared = Float32Array.from({ length: points.rows }, (_, i) => {
        const others = Array.from({ length: points.rows }, (__, j) => distanceOf(points, i, points, j, power));
        return others.toSorted((a, b) => a - b)[4];
      });
      const { order } = runSync(growTreeSteps(points));
      const shuffled = new Random('another').permutation(points.rows);
      for (const treeOrder of [undefined, order.slice(), shuffled]) {
        const reach = { squared, treeOrder };
        const metric = power === 2 ? 'euclidean' : power === 1 ? 'manhattan' : 'chebyshev';
        const searchSteps = runSync(prepareReachSteps('spec', points, reach, power, { metric }));
        const { found, reached } = runSync(searchSteps(queries, 5));
        for (let i = 0; i < queries.rows; i++) {
          const from = reached.starts[i];
          const rows = [...reached.indices.subarray(from, reached.starts[i + 1])];
          assert.equal(
            rows,
            [...squared.keys()].filter((j) => all[i][j] <= squared[j]),
            `query ${i}`,
          );
          rows.forEach((j, k) => assert.is(reached.squaredDistances[from + k], all[i][j]));
          const nearest = all[i].toSorted((a, b) => a - b).slice(0, 5);
          assert.equal([...found.squaredDistances.subarray(5 * i, 5 * i + 5)], nearest);
        }
      }
    });
  }
}

/** The nearest points and those within reach, by a tree and by the definition. */
function compareWithDefinition(points: Tensor, queries: Tensor, squared: Float32Array, neighbors: number): number {
  const tree = runSync(reachTreeSteps(points, undefined, squared));
  const out = makeRows(queries.rows, neighbors, neighbors);
  const reached = runSync(nearestAndReachedInTreeSteps('spec', tree, runSync(growTreeSteps(queries)), 2, out));
  for (let i = 0; i < queries.rows; i++) {
    const all = Array.from(squared, (_, j) => distanceOf(queries, i, points, j, 2));
    const within = [...squared.keys()].filter((j) => all[j] <= squared[j]);
    const [from, to] = [reached.starts[i], reached.starts[i + 1]];
    assert.equal([...reached.indices.subarray(from, to)], within, `query ${i}`);
    assert.equal(
      [...reached.squaredDistances.subarray(from, to)],
      within.map((j) => all[j]),
    );
    const nearest = [...squared.keys()].toSorted((a, b) => all[a] - all[b] || a - b).slice(0, neighbors);
    assert.equal([...out.indices.subarray(i * neighbors, (i + 1) * neighbors)], nearest);
  }
  return reached.indices.length;
}

for (const cols of [4, 6, 8]) {
  test(`trees of ${cols} columns, and leaves of all sizes`, () => {
    const random = new Random(`trees of ${cols}`);
    for (const rows of [3, 17, 32, 40, 600]) {
      const points = drawPoints(random, rows, cols);
      const squared = Float32Array.from({ length: rows }, () => 100 * cols * random.uniform());
      compareWithDefinition(points, drawPoints(random, 30, cols), squared, 3);
    }
  });
}

test('more points reach a query than there is room for at first', () => {
  const random = new Random('hubs');
  const points = drawPoints(random, 300, 2);
  const found = compareWithDefinition(points, drawPoints(random, 20, 2), new Float32Array(300).fill(1e6), 5);
  assert.is(found, 20 * 300);
});

test.run();
