/** Mutual neighbors, least weights, and self-tuned graphs of points with outliers. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs } from '../../datasets/index.ts';
import {
  adjustedRandIndex,
  buildGraph,
  type GraphRecipe,
  Random,
  SpectralClustering,
  type Tensor,
} from '../../lib/index.ts';
import { spectralClustering } from '../../lib/doors/embedding.ts';
import { nearestNeighbors } from '../../lib/doors/graph.ts';
import { toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { uniformPoints } from './reference.ts';

const test = suite('outliers');

/** The points and `count` more, uniform in a wide box. */
function withOutliers(points: Tensor, count: number, width: number): Tensor {
  const random = new Random('outliers 0');
  const all = zeros([points.rows + count, points.cols]);
  all.data.set(points.data);
  for (let at = points.size; at < all.size; at++) all.data[at] = width * (2 * random.uniform() - 1);
  return all;
}

test('mutual neighbors are joined, and no others', async () => {
  const points = uniformPoints(new Random('mutual'), 80, 2);
  const { indices } = await nearestNeighbors(points, { neighbors: 6 });
  const near = (i: number, j: number): boolean => indices.subarray(6 * i, 6 * i + 6).includes(j);
  const { weights } = await buildGraph(points, { kind: 'knn', neighbors: 6, symmetric: 'mutual' });
  const table = toDense(weights);
  for (let i = 0; i < 80; i++) {
    for (let j = 0; j < 80; j++) assert.is(table.at(i, j), near(i, j) && near(j, i) ? 1 : 0);
  }
  assert.not.ok(weights.values.includes(0));
});

test('no neighbor weighs less than the least weight, and the others weigh what they did', async () => {
  const points = withOutliers(uniformPoints(new Random('least'), 100, 2), 5, 30);
  await forEachInOrder(['self-tuned', 'knn-gaussian'] as const, async (kind) => {
    const plain = await buildGraph(points, { kind, neighbors: 10 });
    const least = await buildGraph(points, { kind, neighbors: 10, leastWeight: 0.05 });
    const before = toDense(plain.weights);
    let raised = 0;
    for (let i = 0; i < 105; i++) {
      for (let e = least.weights.starts[i]; e < least.weights.starts[i + 1]; e++) {
        const weight = before.at(i, least.weights.columns[e]);
        assert.is(least.weights.values[e], Math.max(Math.fround(0.05), weight));
        if (weight < 0.05) raised++;
      }
    }
    assert.ok(raised > 0);
  });
  assert.match(
    await refusalOf(buildGraph(points, { kind: 'self-tuned', leastWeight: 2 })),
    /expected leastWeight from 0 to 1, got 2\./,
  );
});

test('15 outliers among 1,515 points ruin self-tuned weights, unless they have a least weight', async () => {
  const { points, labels } = blobs({ n: 1500, centers: 8, dimension: 10, deviation: 4.5, seed: 0 });
  const all = withOutliers(points, 15, 60);
  const agreement = async (given: Tensor, recipe: GraphRecipe): Promise<number> => {
    const found = await spectralClustering(await buildGraph(given, recipe), { clusters: 8 });
    return adjustedRandIndex(found.labels.slice(0, 1500), labels!);
  };
  const clean = await agreement(points, { kind: 'self-tuned' });
  assert.ok(clean > 0.8);
  assert.ok((await agreement(all, { kind: 'self-tuned' })) < 0.5, 'the problem');
  assert.ok((await agreement(all, { kind: 'self-tuned', leastWeight: 0.05 })) > clean - 0.02);
  const fitted = await new SpectralClustering({ clusters: 8, graph: { kind: 'self-tuned' } }).fit(all);
  const byDefault = adjustedRandIndex(fitted.labels.slice(0, 1500), labels!);
  assert.ok(byDefault > clean - 0.02, 'estimators have one by default');
  assert.ok((await agreement(points, { kind: 'self-tuned', leastWeight: 0.05 })) > clean - 0.02, 'no harm');
});

test.run();
