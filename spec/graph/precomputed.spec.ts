/** Graphs of distances and of lists of neighbors are those of the points they were computed from. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, type GraphRecipe, Random, tensor } from '../../lib/index.ts';
import { nearestNeighbors } from '../../lib/doors/graph.ts';
import { fromDense, fromTriplets } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { squared, uniformPoints } from './reference.ts';

const test = suite('precomputed distances');

const points = uniformPoints(new Random('precomputed'), 60, 3);
const size = points.rows;
const distances = zeros([size, size], 'double');
for (let e = 0; e < size * size; e++) {
  distances.data[e] = Math.sqrt(squared(points, Math.floor(e / size), points, e % size));
}

const recipes: GraphRecipe[] = [
  { kind: 'knn', neighbors: 5 },
  { kind: 'knn', neighbors: 5, includeSelf: false, symmetric: 'mutual' },
  { kind: 'knn-gaussian', neighbors: 6 },
  { kind: 'self-tuned', neighbors: 9 },
  { kind: 'gaussian', sigma: 0.2 },
  { kind: 'indicator', radius: 0.3 },
];

test('a matrix of distances, dense or sparse, gives the graph of its points', async () => {
  await forEachInOrder(recipes, async (recipe) => {
    const { weights } = await buildGraph(points, recipe);
    await forEachInOrder([distances, fromDense(distances)], async (given) => {
      const graph = await buildGraph(given, { ...recipe, metric: 'precomputed' });
      assert.equal(graph.weights.columns, weights.columns, recipe.kind);
      for (const [e, value] of graph.weights.values.entries()) {
        // A distance that was rounded before it was squared differs in the last digit of single precision.
        assert.ok(Math.abs(value - weights.values[e]) < 1e-5, recipe.kind);
      }
      assert.is(graph.origin.metric, 'precomputed');
    });
  });
});

test('lists of neighbors give the graph of the search that found them, with or without the point itself', async () => {
  await forEachInOrder([true, false], async (includeSelf) => {
    const found = await nearestNeighbors(points, { neighbors: 7, includeSelf });
    const rows = (list: ArrayLike<number>) =>
      Array.from({ length: size }, (_, i) => Array.from(list).slice(7 * i, 7 * i + 7));
    const lists = { indices: rows(found.indices), distances: rows(found.squaredDistances.map(Math.sqrt)) };
    await forEachInOrder([{ kind: 'knn' }, { kind: 'self-tuned' }] as const, async (recipe) => {
      const expected = await buildGraph(points, { ...recipe, neighbors: 7, includeSelf });
      const given = await buildGraph(lists, { ...recipe, includeSelf });
      assert.equal(given.weights.columns, expected.weights.columns);
      assert.is(given.origin.method, 'precomputed');
      const few = await buildGraph(lists, {
        ...recipe,
        includeSelf,
        neighbors: 4,
        ...(recipe.kind === 'self-tuned' && { scaleNeighbor: 2 }),
      });
      assert.ok(few.weights.nonzeros < given.weights.nonzeros);
    });
    const tables = { indices: tensor(lists.indices), distances: tensor(lists.distances) };
    assert.equal(
      (await buildGraph(tables, { kind: 'knn', includeSelf })).weights,
      (await buildGraph(lists, { kind: 'knn', includeSelf })).weights,
    );
  });
});

test('anything but distances or lists of neighbors is refused with a reason', async () => {
  const metric = 'precomputed' as const;
  const refusal = (given: Parameters<typeof buildGraph>[0], recipe: GraphRecipe = { kind: 'knn', neighbors: 2 }) =>
    refusalOf(buildGraph(given, { ...recipe, metric }));
  assert.match(await refusal(points), /expected a square matrix of distances for metric 'precomputed', got 60×3\./);
  assert.match(
    await refusal(
      tensor([
        [0, -1],
        [-1, 0],
      ]),
    ),
    /expected distances from 0 to 1e18, got -1\./,
  );
  assert.match(
    await refusal(
      tensor([
        [0, 1],
        [2, 0],
      ]),
    ),
    /expected a symmetric matrix of distances, got 2 at \(1, 0\)/,
  );
  const known = fromTriplets({ rows: [0, 1], columns: [1, 0], values: [1, 1] }, [3, 3]);
  assert.match(await refusal(known), /expected at least 1 neighbors of every point besides itself, got 0 of point 2\./);
  const lists = (indices: number[][], given: number[][]) => refusal({ indices, distances: given }, { kind: 'knn' });
  assert.match(await lists([[1], [-1]], [[1], [1]]), /expected indices from 0 to 1, got -1 in row 1\. Searches mark/);
  assert.match(
    await lists(
      [[1], [0]],
      [
        [1, 2],
        [1, 2],
      ],
    ),
    /expected 2×1 distances, one for every index, got 2×2\./,
  );
  assert.match(await lists([[1], [0]], [[1], [NaN]]), /NaN|finite/);
  assert.match(
    await refusalOf(buildGraph({ indices: [[1], [0]], distances: [[1], [1]] }, { kind: 'knn', metric: 'cosine' })),
    /expected metric 'precomputed' for lists of neighbors, got 'cosine'\. Omit metric\./,
  );
});

test.run();
