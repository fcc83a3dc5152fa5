/** Gaussian weights between new points and those of a graph: trees and all pairs, against the definition. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, type GraphRecipe, nystrom, Random, setThreads, tensor, type Tensor } from '../../lib/index.ts';
import { laplacianEigenmap } from '../../lib/doors/embedding.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runSync } from '../../lib/core/task.ts';
import { affinityAmongSteps } from '../../lib/graph/affinity-among.ts';
import type { Graph } from '../../lib/graph/graph.ts';
import { squaredDistance } from '../../lib/graph/neighbors/points.ts';
import { forEachInOrder } from '../for-each.ts';

const test = suite('Gaussian weights');

type Gaussian = Extract<GraphRecipe, { kind: 'gaussian' }>;

function drawPoints(random: Random, rows: number, cols: number): Tensor {
  const points = zeros([rows, cols]);
  random.fillNormal(points.data);
  return points;
}

/** The weights of every query, by the number of the point. */
function weightsAmong(points: Tensor, queries: Tensor, recipe: Gaussian, graph: Graph): Map<number, number>[] {
  const found = Array.from({ length: queries.rows }, () => new Map<number, number>());
  const weightsSteps = runSync(affinityAmongSteps('spec', points, recipe, graph));
  runSync(
    weightsSteps(queries, (some, { weights: { starts, columns, values } }) => {
      for (let i = 0; i < some.length; i++) {
        assert.is(found[some[i]].size, 0, 'each query once');
        for (let e = starts[i]; e < starts[i + 1]; e++) found[some[i]].set(columns[e], values[e]);
      }
    }),
  );
  return found;
}

/** The table of the kernel is off by 2e-10; weights are then rounded to single precision. */
const tolerance = 2 ** -24 + 1e-9;

function compare(points: Tensor, queries: Tensor, recipe: Gaussian, graph: Graph, power: number): number {
  const { sigma, threshold = 0.01 } = recipe as { sigma: number; threshold?: number };
  let most = 0;
  weightsAmong(points, queries, recipe, graph).forEach((found, i) => {
    for (let j = 0; j < points.rows; j++) {
      const squared = Math.fround(squaredDistance(queries, i, points, j, power));
      const expected = Math.exp(-squared / (2 * sigma * sigma));
      const got = found.get(j);
      if (got === undefined) assert.ok(expected <= threshold * (1 + tolerance), `${expected} is missing`);
      else assert.ok(Math.abs(got - expected) <= expected * tolerance, `${got} instead of ${expected}`);
    }
    most = Math.max(most, found.size);
  });
  return most;
}

const metrics: readonly (readonly [Gaussian['metric'], number])[] = [
  ['euclidean', 2],
  ['manhattan', 1],
  ['chebyshev', Infinity],
  ['minkowski', 3],
];

for (const [metric, power] of metrics) {
  test(`the definition, ${metric}`, () =>
    forEachInOrder([1, 2, 5, 10], async (cols) => {
      const random = new Random(`gaussian ${cols}`);
      const [points, queries] = [drawPoints(random, 300, cols), drawPoints(random, 40, cols)];
      const more = power === 3 ? { minkowskiPower: 3 } : {};
      // A threshold for which a table suffices, and one for which it would be too coarse.
      await forEachInOrder([0.3, 1e-15], async (threshold) => {
        const recipe = { kind: 'gaussian', sigma: 0.3 * cols, threshold, metric, ...more } as Gaussian;
        assert.ok(compare(points, queries, recipe, await buildGraph(points, recipe), power) > 0);
      });
    }));
}

test('a query with more neighbors than any point has, and one without', async () => {
  // Two groups 4σ apart: none of their points sees the other group, the point between them sees both.
  const random = new Random('groups');
  const points = zeros([400, 2]);
  for (let i = 0; i < 400; i++)
    points.data.set([0.05 * random.normal() + (i % 2 ? 2 : -2), 0.05 * random.normal()], 2 * i);
  const recipe: Gaussian = { kind: 'gaussian', sigma: 1 };
  const queries = tensor([
    [9, 9],
    [0, 0],
    [2, 0],
  ]);
  const graph = await buildGraph(points, recipe);
  assert.is(compare(points, queries, recipe, graph, 2), 400);
  assert.equal(weightsAmong(points, queries, recipe, graph)[0].size, 0);
});

test('new points get the same bits on any number of threads', async () => {
  const random = new Random('threads');
  const [points, queries] = [drawPoints(random, 500, 2), drawPoints(random, 700, 2)];
  const recipe: Gaussian = { kind: 'gaussian', sigma: 0.5, threshold: 1e-4 };
  const graph = await buildGraph(points, { ...recipe, connect: 'join' });
  const source = { points, recipe: { ...recipe, connect: 'join' as const }, graph };
  const map = await laplacianEigenmap(graph, { components: 5 });
  setThreads(1);
  const alone = await nystrom({ ...source, ...map }, queries);
  setThreads(3);
  const together = await nystrom({ ...source, ...map }, queries);
  setThreads(1);
  assert.equal(together.data, alone.data);
});

test.run();
