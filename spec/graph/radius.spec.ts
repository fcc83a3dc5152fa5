import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, type Tensor } from '../../lib/index.ts';
import { radiusAmong, radiusNeighbors, type RadiusRows } from '../../lib/doors/graph.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { HitList } from '../../lib/graph/neighbors/hit-list.ts';
import { onEveryBackend } from '../backends.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { clusteredPoints, latticePoints, line, squared, uniformPoints } from './reference.ts';

const test = suite('radius neighbors');

const methods = ['tree', 'brute'] as const;

function assertWithin(found: RadiusRows, points: Tensor, queries: Tensor, radius: number): void {
  assert.is(found.starts.length, queries.rows + 1);
  assert.is(found.starts[queries.rows], found.indices.length);
  for (let i = 0; i < queries.rows; i++) {
    const near = Array.from({ length: points.rows }, (_, j) => j).filter(
      (j) => squared(points, j, queries, i) < radius * radius,
    );
    const [start, end] = [found.starts[i], found.starts[i + 1]];
    assert.equal([...found.indices.subarray(start, end)], near);
    assert.equal(
      [...found.squaredDistances.subarray(start, end)],
      near.map((j) => Math.fround(squared(points, j, queries, i))),
    );
  }
}

onEveryBackend(test, 'both methods find what measuring all pairs finds, in any dimension', async () => {
  const random = new Random('radius');
  await forEachInOrder(
    [
      [1, 0.05],
      [2, 0.2],
      [3, 0.3],
      [8, 0.8],
      [50, 2.7],
      [784, 11.3],
    ],
    async ([d, radius]) => {
      const points = uniformPoints(random, d > 100 ? 60 : 200, d);
      await forEachInOrder(methods, async (method) => {
        const found = await radiusNeighbors(points, radius, { method });
        assert.ok(found.indices.length > 1.1 * points.rows && found.indices.length < 0.9 * points.rows ** 2, `${d}`);
        assertWithin(found, points, points, radius);
      });
    },
  );
});

test('many leaves and many blocks; clusters; queries; double precision far from the origin', async () => {
  const random = new Random('larger');
  const clusters = clusteredPoints(random, 1100, 3, 5, 0.05);
  await forEachInOrder(methods, async (method) => {
    assertWithin(await radiusNeighbors(clusters, 0.1, { method }), clusters, clusters, 0.1);
    const queries = uniformPoints(random, 300, 3);
    assertWithin(await radiusAmong(clusters, queries, 0.2, { method }), clusters, queries, 0.2);
    const far = uniformPoints(random, 120, 9, 'double');
    for (let at = 0; at < far.size; at++) far.data[at] += 1e8;
    assertWithin(await radiusNeighbors(far, 0.9, { method }), far, far, 0.9);
  });
});

test('a point at exactly the radius is outside, also after rounding', async () => {
  const lattice = latticePoints(new Random('edge'), 150, 2, 6);
  await forEachInOrder(methods, async (method) => {
    await forEachInOrder([1, Math.sqrt(2), 2, 5], async (radius) => {
      assertWithin(await radiusNeighbors(lattice, radius, { method }), lattice, lattice, radius);
    });
    const { indices } = await radiusNeighbors(line(0, 1, 3), 2, { method });
    assert.equal([...indices], [0, 1, 0, 1, 2]);
  });
});

test('a pair just inside the radius is found though single precision sees it outside', async () => {
  for (const precision of ['single', 'double'] as const) {
    const points = uniformPoints(new Random('brink'), 40, 60, precision);
    for (let i = 1; i < 20; i++) {
      const radius = Math.sqrt(squared(points, 0, points, i)) * (1 + 1e-12);
      assertWithin(await radiusNeighbors(points, radius, { method: 'brute' }), points, points, radius);
    }
  }
});

test('points that coincide are neighbors, a lone point is its own', async () => {
  await forEachInOrder(methods, async (method) => {
    const same = await radiusNeighbors(zeros([70, 2]), 1e-9, { method });
    assert.is(same.indices.length, 70 * 70);
    const alone = await radiusNeighbors(line(4), 1, { method });
    assert.equal([[...alone.starts], [...alone.indices]], [[0, 1], [0]]);
    const none = await radiusAmong(line(4), zeros([0, 1]), 1, { method });
    assert.equal([...none.starts], [0]);
  });
});

test('wrong radii and too many pairs are refused', async () => {
  const search = (radius: number) => refusalOf(radiusNeighbors(line(1, 2), radius));
  assert.match(await search(0), /radiusNeighbors: expected radius to be positive, from 1e-150 to 1e150, got 0\./);
  assert.match(await search(-1), /got -1/);
  assert.match(await search(NaN), /got NaN/);
  assert.match(await search('1' as never), /radius to be a number, got 1/);
  assert.match(await refusalOf(radiusNeighbors(line(1), 1, { method: 'x' as never })), /method to be 'auto' or/);
  assert.match(await refusalOf(radiusAmong(line(1), zeros([1, 2]), 1)), /radiusAmong: expected queries of 1 columns/);
  const list = new HitList('f');
  assert.throws(
    () => list.makeRoom(2 ** 31),
    /f: expected at most 2147483647 pairs of neighbors, got more\. Take a smaller/,
  );
});

test.run();
