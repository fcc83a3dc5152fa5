import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, type Tensor } from '../../lib/index.ts';
import { nearestNeighbors, type Neighbors } from '../../lib/doors/graph.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { CandidateLists } from '../../lib/graph/neighbors/descent/candidate-lists.ts';
import { NeighborHeaps } from '../../lib/graph/neighbors/descent/neighbor-heaps.ts';
import { projectionGroups } from '../../lib/graph/neighbors/descent/projection-tree.ts';
import { withFewerColumns } from '../../lib/graph/neighbors/blocks/fewer-columns.ts';
import { setThreads } from '../../lib/wasm/set-threads.ts';
import { disableSimd, enableSimd } from '../../lib/wasm/simd.ts';
import { ascending } from '../sparse/reference.ts';
import { clusteredPoints, latticePoints, nearestByHand, squared, twoClouds, uniformPoints } from './reference.ts';

const test = suite('neighbor descent');

/** Recall: the fraction of true neighbors that were found, over all points. */
function recallByHand(found: Neighbors, truth: Neighbors): number {
  let hits = 0;
  const k = truth.neighbors;
  for (let i = 0; i < truth.indices.length / k; i++) {
    const own = new Set(truth.indices.subarray(i * k, (i + 1) * k));
    for (const index of found.indices.subarray(i * k, (i + 1) * k)) if (own.has(index)) hits++;
  }
  return hits / truth.indices.length;
}

/** Checks everything but the recall: rows sorted, each neighbor once, the point itself not among them, distances right. */
function assertSound(points: Tensor, { neighbors: k, indices, squaredDistances }: Neighbors): void {
  for (let i = 0; i < points.rows; i++) {
    assert.is(new Set(indices.subarray(i * k, (i + 1) * k)).size, k);
    for (let e = i * k; e < (i + 1) * k; e++) {
      assert.is.not(indices[e], i);
      assert.is(squaredDistances[e], Math.fround(squared(points, i, points, indices[e])));
      if (e === i * k) continue;
      const rises = squaredDistances[e - 1] < squaredDistances[e];
      assert.ok(rises || (squaredDistances[e - 1] === squaredDistances[e] && indices[e - 1] < indices[e]));
    }
  }
}

test('on 3,000 points in 50 dimensions nine in ten are found, and the reported recall is true', async () => {
  const random = new Random('descent');
  for (const points of [clusteredPoints(random, 3000, 50, 40, 0.1), uniformPoints(random, 3000, 50)]) {
    const options = { neighbors: 15, includeSelf: false } as const;
    const found = await nearestNeighbors(points, { ...options, method: 'descent', seed: 3 });
    const truth = await nearestNeighbors(points, { ...options, method: 'brute' });
    const recall = recallByHand(found, truth);
    assert.ok(recall >= 0.9, `${recall}`);
    assert.ok(Math.abs(found.recall! - recall) < 0.02, `${found.recall} reported, ${recall} true`);
    assertSound(points, found);
  }
});

test('a low recall is reported', async () => {
  // Noise in 400 dimensions: distances hardly differ, which is the hardest case.
  const points = uniformPoints(new Random('noise'), 2500, 400);
  const options = { neighbors: 2, includeSelf: false } as const;
  const found = await nearestNeighbors(points, { ...options, method: 'descent' });
  const recall = recallByHand(found, await nearestNeighbors(points, { ...options, method: 'brute' }));
  assert.ok(recall < 0.9, `${recall}`);
  assert.ok(Math.abs(found.recall! - recall) < 0.06, `${found.recall} reported, ${recall} true`);
});

test('a low recall is reported, also for distances that single precision cannot represent', async () => {
  const points = twoClouds(new Random('apart'), 600, 10, 1e8);
  const found = await nearestNeighbors(points, { neighbors: 6, includeSelf: false, method: 'descent' });
  const truth = nearestByHand(points, points, 6, 'out').flatMap((row) => row.map(([index]) => index));
  const recall = recallByHand(found, { ...found, indices: Int32Array.from(truth) });
  assert.ok(recall < 0.9, `${recall}`);
  assert.ok(Math.abs(found.recall! - recall) < 0.05, `${found.recall} reported, ${recall} true`);
  assertSound(points, found);
});

test('the same seed finds the same neighbors', async () => {
  const points = uniformPoints(new Random('seeds'), 600, 60);
  const search = (seed: number) => nearestNeighbors(points, { neighbors: 5, method: 'descent', seed });
  const [first, again, other] = [await search(1), await search(1), await search(2)];
  assert.equal(first.indices, again.indices);
  assert.is(first.recall, again.recall);
  assert.not.equal(first.indices, other.indices);
});

test('any number of threads and the plain kernels find the same neighbors', async () => {
  const points = clusteredPoints(new Random('threads'), 3000, 30, 20, 0.3);
  const search = (): Promise<Neighbors> => nearestNeighbors(points, { neighbors: 6, method: 'descent' });
  const found: Neighbors[] = [];
  try {
    for (const threads of [1, 2, 3]) {
      setThreads(threads);
      found.push(await search());
    }
    disableSimd();
    found.push(await search());
  } finally {
    enableSimd();
    setThreads(1);
  }
  for (const each of found.slice(1)) assert.equal(each.indices, found[0].indices);
});

test('fewer columns keep the neighbors, and estimate what they leave out', async () => {
  // Most of the variance is in 20 of 300 columns; the rest is noise of different strength.
  const random = new Random('columns');
  const points = zeros([2000, 300]);
  random.fillNormal(points.data);
  for (let i = 0; i < points.rows; i++) {
    for (let p = 0; p < 300; p++) points.data[i * 300 + p] *= p < 20 ? 3 : i % 2 === 0 ? 0.1 : 0.6;
  }
  const { points: rough, surplus } = withFewerColumns(points, random);
  assert.is(rough.cols, 128);
  let [error, without] = [0, 0];
  for (let i = 0; i + 2 < points.rows; i += 3) {
    const truth = squared(points, i, points, i + 2);
    const seen = squared(rough, i, rough, i + 2);
    assert.ok(seen <= truth * (1 + 1e-5));
    error += Math.abs(truth - seen - surplus[i] - surplus[i + 2]);
    without += Math.abs(truth - seen);
  }
  // The noise of two points is independent here, so that half of it is estimated.
  assert.ok(Math.abs(error / without - 0.5) < 0.05, `${error / without}`);
});

test('coinciding points and few distinct points work', async () => {
  for (const points of [zeros([500, 10]), latticePoints(new Random('few'), 500, 10, 2)]) {
    const found = await nearestNeighbors(points, { neighbors: 8, method: 'descent', includeSelf: false });
    assertSound(points, found);
    assert.ok(found.recall! > 0.9, `${found.recall}`);
  }
});

test('more neighbors than a projection group holds are found as well', async () => {
  for (let seed = 0; seed < 5; seed++) {
    const points = clusteredPoints(new Random(seed), 150, 10, 8, 0.01);
    const found = await nearestNeighbors(points, { neighbors: 120, method: 'descent', includeSelf: false, seed });
    assertSound(points, found);
    assert.ok(found.recall! > 0.9, `${found.recall}`);
  }
});

test('projection groups hold every point once and are not larger than asked', () => {
  for (const points of [uniformPoints(new Random(1), 1000, 6), zeros([1000, 2])]) {
    const groups = [...projectionGroups(points, 50, new Random(2))].map((group) => Array.from(group));
    assert.ok(groups.every((group) => group.length <= 50 && group.length > 0));
    assert.equal(
      ascending(groups.flat()),
      Array.from({ length: 1000 }, (_, i) => i),
    );
  }
});

test('candidate lists are fair samples without repetition', () => {
  const random = new Random('lists');
  const counts = new Int32Array(20);
  const out = new Int32Array(6);
  for (let round = 0; round < 4000; round++) {
    const lists = new CandidateLists(2, 5);
    for (let name = 0; name < 20; name++) lists.add(1, name, random);
    assert.is(lists.read(0, out, 1), 0);
    assert.is(lists.read(1, out, 1), 5);
    assert.is(new Set(out.subarray(1)).size, 5);
    for (const name of out.subarray(1)) counts[name]++;
    assert.ok(lists.has(1, out[3]) && !lists.has(0, out[3]));
  }
  // 1,000 expected each, standard deviation 27.
  for (const count of counts) assert.ok(Math.abs(count - 1000) < 140, `${counts}`);
  const short = new CandidateLists(1, 5);
  for (const name of [3, 3, 4]) short.add(0, name, random);
  assert.is(short.read(0, out, 0), 2);
});

test('heaps keep the nearest of each row, each once, the later ones marked as new', () => {
  const heaps = new NeighborHeaps(2, 3);
  for (const [index, distance] of [
    [7, 5],
    [8, 4],
  ]) {
    heaps.offer(1, index, distance);
    assert.not(heaps.isFull(1));
  }
  heaps.offer(1, 9, 6);
  assert.ok(heaps.isFull(1));
  const before = heaps.indices.slice();
  heaps.offer(1, 8, 4);
  heaps.offer(1, 10, 7);
  assert.equal(heaps.indices, before, 'one is there, the other is too far');
  heaps.offer(1, 10, 1);
  assert.equal(ascending([...heaps.indices.subarray(3)].map((tagged) => tagged >> 1)), [7, 8, 10]);
  assert.ok(heaps.indices.subarray(3).every((tagged) => (tagged & 1) === 1));
  assert.not(heaps.isFull(0));
  heaps.indices[3] &= ~1;
  assert.is(heaps.newFraction(), 5 / 6, 'empty entries count as new');
});

test.run();
