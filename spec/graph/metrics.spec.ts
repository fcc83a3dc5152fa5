/** Every metric finds what sorting all distances by its definition finds, for dense and sparse points, by every search. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type MetricOptions, Random, tensor, type Tensor } from '../../lib/index.ts';
import { nearestAmong, nearestNeighbors, radiusAmong, radiusNeighbors } from '../../lib/doors/graph.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { onEveryBackend } from '../backends.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { latticePoints, uniformPoints } from './reference.ts';

const test = suite('metrics');

const unit = (x: number[]): number[] => x.map((value) => value / Math.hypot(...x));
const centered = (x: number[]): number[] => x.map((value) => value - x.reduce((a, b) => a + b) / x.length);
const differences = (x: number[], y: number[]): number[] => x.map((value, j) => Math.abs(value - y[j]));

/** The distances by their definitions. */
const definitions: [MetricOptions, (x: number[], y: number[]) => number][] = [
  [{ metric: 'euclidean' }, (x, y) => Math.hypot(...differences(x, y))],
  [{ metric: 'cosine' }, (x, y) => Math.hypot(...differences(unit(x), unit(y)))],
  [{ metric: 'correlation' }, (x, y) => Math.hypot(...differences(unit(centered(x)), unit(centered(y))))],
  [{ metric: 'manhattan' }, (x, y) => differences(x, y).reduce((a, b) => a + b)],
  [{ metric: 'chebyshev' }, (x, y) => Math.max(...differences(x, y))],
  ...[1.5, 3, 8, 20].map((p): [MetricOptions, (x: number[], y: number[]) => number] => [
    { metric: 'minkowski', minkowskiPower: p },
    (x, y) => differences(x, y).reduce((sum, value) => sum + value ** p, 0) ** (1 / p),
  ]),
];

const rowOf = ({ cols, data }: Tensor, i: number): number[] => [...data.subarray(i * cols, (i + 1) * cols)];

/** The sorted distances of a query to all points. */
function sortedDistances(points: Tensor, query: number[], distance: (x: number[], y: number[]) => number): number[] {
  const all = Array.from({ length: points.rows }, (_, j) => distance(query, rowOf(points, j)));
  return all.toSorted((a, b) => a - b);
}

function assertNear(found: number, expected: number, context: string): void {
  // Unit rows are off by a few roundings of 1.
  assert.ok(Math.abs(found - expected) <= 1e-6 * expected + 1e-7, `${context}: ${found} for ${expected}`);
}

onEveryBackend(test, 'neighbors are those of the definition', async () => {
  const random = new Random('definitions');
  await forEachInOrder([3, 12], async (d) => {
    const points = uniformPoints(random, 90, d);
    const queries = uniformPoints(random, 20, d);
    await forEachInOrder(definitions, async ([options, distance]) => {
      await forEachInOrder(['tree', 'brute'] as const, async (method) => {
        const name = `${JSON.stringify(options)} ${method} ${d}`;
        const all = await nearestNeighbors(points, { ...options, method, neighbors: 6 });
        const among = await nearestAmong(points, queries, { ...options, method, neighbors: 6 });
        for (let i = 0; i < queries.rows; i++) {
          const own = sortedDistances(points, rowOf(points, i), distance);
          const other = sortedDistances(points, rowOf(queries, i), distance);
          for (let k = 0; k < 6; k++) {
            assertNear(Math.sqrt(all.squaredDistances[i * 6 + k]), own[k], name);
            assertNear(Math.sqrt(among.squaredDistances[i * 6 + k]), other[k], name);
            const index = among.indices[i * 6 + k];
            assertNear(distance(rowOf(queries, i), rowOf(points, index)), other[k], `${name}: index`);
          }
        }
      });
    });
  });
});

onEveryBackend(test, 'tree and all pairs agree to the bit, also where distances tie and points repeat', async () => {
  const random = new Random('ties');
  const lattice = latticePoints(random, 300, 4, 3);
  for (let i = 0; i < lattice.size; i++) lattice.data[i] += 1; // no zero row
  await forEachInOrder([lattice, uniformPoints(random, 300, 3, 'double')], async (points) => {
    await forEachInOrder(definitions, async ([options]) => {
      if (options.metric === 'correlation' && points === lattice) return; // constant rows
      const tree = await nearestNeighbors(points, { ...options, method: 'tree', neighbors: 9 });
      const brute = await nearestNeighbors(points, { ...options, method: 'brute', neighbors: 9 });
      assert.equal(tree.indices, brute.indices, JSON.stringify(options));
      assert.equal(tree.squaredDistances, brute.squaredDistances, JSON.stringify(options));
    });
  });
});

onEveryBackend(test, 'points within a radius are those of the definition', async () => {
  const points = uniformPoints(new Random('radius'), 80, 5);
  await forEachInOrder(definitions, async ([options, distance]) => {
    const radius = sortedDistances(points, rowOf(points, 0), distance)[12] * 1.0001;
    const tree = await radiusNeighbors(points, radius, { ...options, method: 'tree' });
    const brute = await radiusNeighbors(points, radius, { ...options, method: 'brute' });
    assert.equal(tree, brute, JSON.stringify(options));
    for (let i = 0; i < points.rows; i++) {
      const expected = Array.from({ length: points.rows }, (_, j) => j).filter(
        (j) => distance(rowOf(points, i), rowOf(points, j)) < radius,
      );
      assert.equal([...tree.indices.subarray(tree.starts[i], tree.starts[i + 1])], expected, JSON.stringify(options));
    }
  });
});

test('the descent finds nearly all neighbors under every metric', async () => {
  const points = uniformPoints(new Random('descent'), 400, 6);
  await forEachInOrder(definitions, async ([options]) => {
    const { recall } = await nearestNeighbors(points, { ...options, method: 'descent', neighbors: 8 });
    assert.ok(recall! > 0.95, `${JSON.stringify(options)} ${recall}`);
  });
});

/** Rows with few nonzeros, none of them empty, some equal. */
function fewNonzeros(rows: number, cols: number, precision: 'single' | 'double'): Tensor {
  const random = new Random(`sparse ${rows}`);
  const points = zeros([rows, cols], precision);
  for (let i = 0; i < rows; i++) {
    if (i % 10 === 9) {
      points.data.set(points.data.subarray((i - 1) * cols, i * cols), i * cols);
      continue;
    }
    for (let k = 0; k < 6; k++) points.data[i * cols + random.integer(cols)] = 0.1 + random.uniform();
  }
  return points;
}

onEveryBackend(test, 'sparse points have the neighbors of the same points written out, to the bit', async () => {
  await forEachInOrder(['single', 'double'] as const, async (precision) => {
    const points = fewNonzeros(130, 40, precision);
    const queries = fewNonzeros(35, 40, precision);
    await forEachInOrder(['euclidean', 'cosine'] as const, async (metric) => {
      const options = { metric, neighbors: 7 };
      const dense = await nearestNeighbors(points, { ...options, method: 'brute' });
      assert.equal(await nearestNeighbors(fromDense(points), options), dense);
      const among = await nearestAmong(points, queries, { ...options, method: 'brute' });
      assert.equal(await nearestAmong(fromDense(points), fromDense(queries), options), among);
      assert.equal(await nearestAmong(fromDense(points), queries, options), among, 'dense queries');
      assert.equal(await nearestAmong(points, fromDense(queries), options), among, 'sparse queries');
      const within = await radiusNeighbors(points, 0.9, { metric });
      assert.equal(await radiusNeighbors(fromDense(points), 0.9, { metric }), within);
      assert.equal(
        await radiusAmong(fromDense(points), fromDense(queries), 0.9, { metric }),
        await radiusAmong(points, queries, 0.9, { metric }),
      );
    });
  });
});

test('sparse rows far from 0, and empty ones, are measured by differences', async () => {
  const points = fewNonzeros(60, 30, 'double');
  for (let i = 0; i < points.size; i++) if (points.data[i] !== 0) points.data[i] = 1e6 + 1e-3 * points.data[i];
  points.data.fill(0, 0, 60); // two rows
  const dense = await nearestNeighbors(points, { neighbors: 9, method: 'brute' });
  assert.equal(await nearestNeighbors(fromDense(points), { neighbors: 9 }), dense);
});

test('rows that are multiples of each other coincide under cosine', async () => {
  const points = tensor([
    [0.1, 0.7, 0.3],
    [0, 1, 5],
    [1, 2, 3],
    [3, 6, 9],
    [-1, -2, -3],
  ]);
  const { indices, squaredDistances } = await nearestNeighbors(points, { metric: 'cosine', neighbors: 2 });
  assert.equal([...indices.subarray(4, 8)], [2, 3, 2, 3]);
  assert.equal([...squaredDistances.subarray(4, 8)], [0, 0, 0, 0]);
  const all = await nearestNeighbors(points, { metric: 'cosine', neighbors: 5 });
  assert.is(all.squaredDistances[2 * 5 + 4], 4, 'opposite directions');
});

test('points that a metric cannot measure are refused with a reason', async () => {
  const points = tensor([
    [1, 2],
    [0, 0],
    [3, 3],
  ]);
  const neighborsBy = (options: MetricOptions, given: Parameters<typeof nearestNeighbors>[0] = points) =>
    refusalOf(nearestNeighbors(given, { neighbors: 2, ...options }));
  assert.match(await neighborsBy({ metric: 'cosine' }), /expected rows that are not all zero .*, got row 1\. Leave/);
  assert.match(await neighborsBy({ metric: 'cosine' }, fromDense(points)), /not all zero .*, got row 1\./);
  assert.match(await neighborsBy({ metric: 'correlation' }), /expected rows that are not constant .*, got row 1\./);
  assert.match(await neighborsBy({ metric: 'minkowski' }), /expected minkowskiPower of at least 1 .*, got undefined\./);
  assert.match(await neighborsBy({ metric: 'minkowski', minkowskiPower: 0.5 }), /at least 1 .*, got 0\.5\./);
  assert.match(await neighborsBy({ metric: 'manhattan', minkowskiPower: 3 }), /with metric 'minkowski' only, got/);
  assert.match(
    await neighborsBy({ metric: 'hamming' as 'cosine' }),
    /expected metric to be 'euclidean' or .*, got ham/,
  );
  assert.match(
    await neighborsBy({ metric: 'manhattan' }, fromDense(points)),
    /expected metric 'euclidean' or 'cosine' for sparse points, got 'manhattan'\. Pass toDense/,
  );
  assert.match(
    await refusalOf(nearestNeighbors(fromDense(points), { neighbors: 2, method: 'tree' })),
    /expected method 'auto' or 'brute' for sparse points, got 'tree'\./,
  );
});

test.run();
