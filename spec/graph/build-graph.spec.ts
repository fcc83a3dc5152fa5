import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, type Graph, type GraphOptions, Random, type Tensor, tensor } from '../../lib/index.ts';
import { asymmetry } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { assertCanonical, type Dense, denseOf } from '../sparse/reference.ts';
import { clusteredPoints, latticePoints, line, nearestByHand, squared, uniformPoints } from './reference.ts';

const test = suite('build graph');

/** W, by a formula for every pair. */
function formula(points: Tensor, weight: (i: number, j: number, squaredDistance: number) => number): Dense {
  const range = Array.from({ length: points.rows }, (_, i) => i);
  return range.map((i) => range.map((j) => weight(i, j, squared(points, i, points, j))));
}

/** Equal up to the rounding of distances and weights to single precision, with zeros in the same places. */
function assertWeights(graph: Graph, expected: Dense): void {
  assertCanonical(graph.weights);
  assert.is(graph.weights.precision, 'single');
  assert.is(asymmetry(graph.weights), 0, 'symmetric to the bit');
  assert.not(graph.weights.values.includes(0), 'no stored zeros');
  denseOf(graph.weights).forEach((row, i) =>
    row.forEach((value, j) => {
      assert.is(value === 0, expected[i][j] === 0, `(${i}, ${j}): ${value} and ${expected[i][j]}`);
      assert.ok(Math.abs(value - expected[i][j]) <= 1e-6 * expected[i][j], `${value} and ${expected[i][j]}`);
    }),
  );
}

/** A moon as in the paper. */
function oneMoon(random: Random, n: number): Tensor {
  const points = zeros([n, 2]);
  for (let i = 0; i < n; i++) {
    const angle = random.uniform(0, Math.PI);
    points.data[2 * i] = Math.cos(angle) + 0.1 * random.normal();
    points.data[2 * i + 1] = Math.sin(angle) + 0.1 * random.normal();
  }
  return points;
}

test('a truncated Gaussian keeps weights above the threshold, 1 on the diagonal', async () => {
  const random = new Random('gaussian');
  await forEachInOrder([oneMoon(random, 300), uniformPoints(random, 150, 20)], async (points) => {
    const [sigma, threshold] = points.cols === 2 ? [0.2, 0.6] : [1.5, 0.55];
    const graph = await buildGraph(points, { kind: 'gaussian', sigma, threshold });
    const above = (value: number) => (value > threshold ? value : 0);
    assertWeights(
      graph,
      formula(points, (_i, _j, d) => above(Math.exp(-d / (2 * sigma * sigma)))),
    );
    assert.ok(graph.weights.nonzeros > 2 * points.rows && graph.weights.nonzeros < points.rows ** 2 / 2);
    const { treeOrder, ...origin } = graph.origin;
    assert.equal(origin, { kind: 'gaussian' });
    // A tree finds the pairs of few columns only.
    assert.equal(treeOrder?.toSorted(), points.cols === 2 ? Int32Array.from({ length: 300 }, (_, i) => i) : undefined);
  });
  const byDefault = await buildGraph(line(0, 3, 3.1), { kind: 'gaussian', sigma: 1 });
  assert.equal(
    denseOf(byDefault.weights).map((row) => row.map((value) => value > 0)),
    [
      [true, true, false],
      [true, true, true],
      [false, true, true],
    ],
  );
});

test('one moon has the neighborhoods that the paper reports', async () => {
  const graph = await buildGraph(oneMoon(new Random('moon'), 2000), { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  assert.is(graph.components.count, 1);
  const perRow = graph.weights.nonzeros / 2000;
  assert.ok(perRow > 150 && perRow < 210, `${perRow}`);
});

test('an indicator graph joins points nearer than the radius', async () => {
  const points = latticePoints(new Random('indicator'), 80, 2, 5);
  const graph = await buildGraph(points, { kind: 'indicator', radius: 2 });
  assertWeights(
    graph,
    formula(points, (_i, _j, d) => (d < 4 ? 1 : 0)),
  );
});

test('any function of the squared distance in units of sigma², with a radius, a threshold or both', async () => {
  const points = uniformPoints(new Random('kernel'), 120, 2);
  const cauchy = (s: number) => 1 / (1 + s);
  const bump = (s: number) => Math.max(0, 1 - s) ** 2;
  const [byRadius, byThreshold, byBoth, compact] = await Promise.all([
    buildGraph(points, { kind: 'kernel', kernel: cauchy, sigma: 0.1, radius: 0.25 }),
    buildGraph(points, { kind: 'kernel', kernel: cauchy, sigma: 0.1, threshold: 0.3 }),
    buildGraph(points, { kind: 'kernel', kernel: cauchy, sigma: 0.1, radius: 0.12, threshold: 0.3 }),
    buildGraph(points, { kind: 'kernel', kernel: bump, sigma: 0.2, radius: 0.5 }),
  ]);
  const value = (d: number) => cauchy(d / 0.01);
  assertWeights(
    byRadius,
    formula(points, (_i, _j, d) => (d < 0.0625 ? value(d) : 0)),
  );
  assertWeights(
    byThreshold,
    formula(points, (_i, _j, d) => (value(d) > 0.3 ? value(d) : 0)),
  );
  assertWeights(
    byBoth,
    formula(points, (_i, _j, d) => (d < 0.0144 && value(d) > 0.3 ? value(d) : 0)),
  );
  assert.ok(byBoth.weights.nonzeros < byThreshold.weights.nonzeros);
  const known = formula(points, (_i, _j, d) => bump(d / 0.04));
  assert.is(compact.weights.nonzeros, known.flat().filter((weight) => weight > 0).length);
  const one = await buildGraph(line(0, 0.5), { kind: 'kernel', kernel: cauchy, radius: 1 });
  assert.ok(Math.abs(denseOf(one.weights)[0][1] - 0.8) < 1e-7);
});

/** Entry (i, j): whether j is one of i's k neighbors. */
function adjacency(points: Tensor, k: number, self: 'in' | 'out'): boolean[][] {
  const rows = nearestByHand(points, points, k, self).map((row) => new Set(row.map(([j]) => j)));
  return rows.map((row) => Array.from({ length: points.rows }, (_, j) => row.has(j)));
}

test('k nearest neighbors become (A + Aᵀ)/2, the point itself counted by default', async () => {
  const random = new Random('knn');
  await forEachInOrder([clusteredPoints(random, 150, 3, 4, 0.1), uniformPoints(random, 100, 30)], async (points) => {
    for (const self of ['in', 'out'] as const) {
      const a = adjacency(points, 6, self);
      const options = { kind: 'knn', neighbors: 6, includeSelf: self === 'in' } as const;
      assertWeights(
        await buildGraph(points, options),
        formula(points, (i, j) => (Number(a[i][j]) + Number(a[j][i])) / 2),
      );
      assertWeights(
        await buildGraph(points, { ...options, symmetric: 'max' }),
        formula(points, (i, j) => (a[i][j] || a[j][i] ? 1 : 0)),
      );
    }
  });
  const few = uniformPoints(random, 40, 3);
  const graph = await buildGraph(few, { kind: 'knn' });
  assert.is(graph.volume, 40 * 16);
  denseOf(graph.weights).forEach((row, i) => assert.is(row[i], 1));
  const { squaredReaches, treeOrder, ...origin } = graph.origin;
  assert.equal(origin, { kind: 'knn', method: 'tree' });
  assert.equal(treeOrder!.toSorted(), Int32Array.from(treeOrder!.keys()));
  assert.equal(
    [...squaredReaches!],
    nearestByHand(few, few, 16, 'in').map((row) => row[15][1]),
  );
});

test('a Gaussian of the k nearest has the weight of its distance on every edge', async () => {
  const points = clusteredPoints(new Random('knn-gaussian'), 150, 3, 4, 0.1);
  const a = adjacency(points, 8, 'in');
  const given = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 8, sigma: 0.1 });
  const value = (d: number, sigma: number) => Math.exp(-d / (2 * sigma * sigma));
  assertWeights(
    given,
    formula(points, (i, j, d) => (a[i][j] || a[j][i] ? value(d, 0.1) : 0)),
  );
  const mean = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 8, sigma: 0.1, symmetric: 'mean' });
  assertWeights(
    mean,
    formula(points, (i, j, d) => ((Number(a[i][j]) + Number(a[j][i])) / 2) * value(d, 0.1)),
  );
  const chosen = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 8 });
  const reaches = nearestByHand(points, points, 8, 'in').map((row) => row[7][1]);
  reaches.sort((left, right) => left - right);
  assert.is(chosen.origin.sigma, Math.sqrt(reaches[75]));
});

test('weights too small for single precision are not edges', async () => {
  const graph = await buildGraph(line(0, 1, 2, 40), { kind: 'knn-gaussian', neighbors: 2, sigma: 1 });
  assert.equal([...graph.components.labels], [0, 0, 0, 1]);
  assert.equal([...graph.weights.columns], [0, 1, 0, 1, 2, 1, 2, 3]);
});

test('a self-tuned bandwidth is the distance to the m-th neighbor', async () => {
  const points = clusteredPoints(new Random('self-tuned'), 120, 2, 3, 0.2);
  for (const self of ['in', 'out'] as const) {
    const a = adjacency(points, 9, self);
    const sigmas = nearestByHand(points, points, 4, 'out').map((row) => Math.sqrt(row[3][1]));
    const options = { neighbors: 9, scaleNeighbor: 4, includeSelf: self === 'in' } as const;
    assertWeights(
      await buildGraph(points, { kind: 'self-tuned', ...options }),
      formula(points, (i, j, d) => (a[i][j] || a[j][i] ? Math.exp(-d / (sigmas[i] * sigmas[j])) : 0)),
    );
  }
  const seventh = await buildGraph(points, { kind: 'self-tuned' });
  const same = await buildGraph(points, { kind: 'self-tuned', neighbors: 16, scaleNeighbor: 7 });
  assert.equal(seventh.weights.values, same.weights.values);
  const fewer = await buildGraph(points, { kind: 'self-tuned', neighbors: 3 });
  const last = await buildGraph(points, { kind: 'self-tuned', neighbors: 3, scaleNeighbor: 2 });
  assert.equal(fewer.weights.values, last.weights.values);
});

test('points that coincide have weight 1 where the kernel does', async () => {
  const points = line(2, 2, 2, 5);
  const ones = formula(points, (_i, _j, d) => (d === 0 ? 1 : 0));
  assertWeights(await buildGraph(points, { kind: 'gaussian', sigma: 0.1 }), ones);
  assertWeights(await buildGraph(points, { kind: 'indicator', radius: 0.1 }), ones);
  const knn = await buildGraph(points, { kind: 'knn', neighbors: 3 });
  assert.is(knn.volume, 12);
});

test('an approximate search tells its recall', async () => {
  const points = uniformPoints(new Random('approximate'), 300, 20);
  const { origin } = await buildGraph(points, { kind: 'knn', neighbors: 5, method: 'descent', seed: 'a' });
  assert.is(origin.method, 'descent');
  assert.ok(origin.recall! > 0.9 && origin.recall! <= 1, `${origin.recall}`);
});

test('input that makes no graph is refused', async () => {
  const points = line(0, 1, 2);
  const build = (options: object, from: unknown = points) =>
    refusalOf(buildGraph(from as Tensor, options as GraphOptions));
  const gaussian = { kind: 'gaussian', sigma: 1 };
  assert.match(
    await build({ kind: 'gauss' }),
    /buildGraph: expected kind to be 'gaussian' or 'indicator' or .*, got gauss\./,
  );
  assert.match(await refusalOf(buildGraph(points, undefined as never)), /./);
  assert.match(await build({ kind: 'gaussian' }), /sigma to be a number, got undefined/);
  for (const sigma of [0, -1, NaN, Infinity, 1e-160])
    assert.match(await build({ ...gaussian, sigma }), /sigma to be positive/);
  for (const threshold of [0, 1, -0.1, 2, NaN]) {
    assert.match(await build({ ...gaussian, threshold }), /buildGraph: expected threshold between 0 and 1, got /);
  }
  assert.match(await build({ kind: 'indicator', radius: 0 }), /buildGraph: expected radius to be positive.*, got 0/);
  assert.match(await build(gaussian, line(1)), /expected at least two points, got 1\./);
  assert.match(await build(gaussian, zeros([0, 1])), /expected at least one point, got none/);
  assert.match(
    await build(
      gaussian,
      tensor([
        [0, 1],
        [NaN, 2],
      ]),
    ),
    /finite numbers in points, got NaN at row 1, column 0/,
  );
  assert.match(
    await build({ kind: 'knn', neighbors: 4 }),
    /neighbors to be at most 3 for 3 points, the point itself counted, got 4/,
  );
  assert.match(await build({ kind: 'knn', neighbors: 1 }), /neighbors to be a whole number, at least 2, got 1/);
  assert.match(await build({ kind: 'knn', neighbors: 0, includeSelf: false }), /at least 1, got 0/);
  assert.match(
    await build({ kind: 'knn', neighbors: 2, symmetric: 'sum' }),
    /symmetric to be 'mean' or 'max' or 'mutual', got sum/,
  );
  assert.match(await build({ kind: 'knn-gaussian', neighbors: 2, sigma: 0 }), /sigma to be positive/);
  assert.match(
    await build({ kind: 'knn-gaussian', neighbors: 2 }, line(1, 1, 1, 5)),
    /positive median distance to the last neighbor, got points that coincide.* Remove repeated points, give sigma, or ask for more neighbors\./,
  );
  assert.match(
    await build({ kind: 'self-tuned', neighbors: 3, scaleNeighbor: 3 }),
    /scaleNeighbor to be at most the 2 other neighbors, got 3/,
  );
  assert.match(
    await build({ kind: 'self-tuned', neighbors: 3, scaleNeighbor: 0 }),
    /scaleNeighbor to be a whole number, at least 1/,
  );
  assert.match(
    await build({ kind: 'self-tuned', neighbors: 3, scaleNeighbor: 1 }, line(5, 1, 2, 2)),
    /apart from the neighbor that sets its scale, got point 2, which coincides with it\. Remove repeated points, or raise scaleNeighbor/,
  );
});

test('unusable kernels are refused', async () => {
  const build = (options: object) =>
    refusalOf(buildGraph(line(0, 1, 2), { kind: 'kernel', ...options } as GraphOptions));
  const kernel = (s: number) => 1 / (1 + s);
  assert.match(await build({}), /kernel to be a function of ‖x − y‖²\/σ², got undefined/);
  assert.match(await build({ kernel }), /expected a radius or a threshold for the kernel, got neither/);
  assert.match(await build({ kernel, threshold: 0 }), /threshold to be positive, got 0/);
  assert.match(await build({ kernel, threshold: 1 }), /threshold below kernel\(0\) = 1, got 1/);
  assert.match(
    await build({ kernel: () => 2, threshold: 1 }),
    /a kernel that falls to the threshold 1, got 2 at 1e30\. Give a radius/,
  );
  assert.match(await build({ kernel: (s: number) => 1 - s, radius: 3 }), /finite numbers, none negative, got -3 at 4/);
  assert.match(await build({ kernel: () => NaN, radius: 1 }), /none negative, got NaN at 0/);
  assert.match(await build({ kernel, radius: 1, sigma: -1 }), /sigma to be positive/);
});

test.run();
