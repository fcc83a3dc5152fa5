/** The Nyström extension places new points where the eigenvectors of the graph would. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon, oneMoonDensity, trainAndTest, twoMoons } from '../../datasets/index.ts';
import {
  accuracy,
  buildGraph,
  graphFrom,
  type GraphRecipe,
  nystrom,
  type NystromSource,
  Random,
  tensor,
  type Tensor,
} from '../../lib/index.ts';
import { diffusionMap, laplacianEigenmap, nearestCenters, spectralClustering } from '../../lib/doors/embedding.ts';
import { relativeErrors } from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { eigenfunctions } from '../../lib/doors/theory.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';
import { clusteredPoints, uniformPoints } from '../graph/reference.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';

const test = suite('Nyström extension');

const recipes: GraphRecipe[] = [
  { kind: 'gaussian', sigma: 0.15, threshold: 0.1 },
  { kind: 'indicator', radius: 0.3 },
  { kind: 'kernel', kernel: (t) => 1 / (1 + t) ** 2, sigma: 0.2, threshold: 0.05 },
  ...[true, false].flatMap((includeSelf): GraphRecipe[] => [
    { kind: 'knn', neighbors: 9, includeSelf },
    { kind: 'knn', neighbors: 9, includeSelf, symmetric: 'max' },
    { kind: 'knn-gaussian', neighbors: 9, includeSelf },
    { kind: 'knn-gaussian', neighbors: 9, includeSelf, sigma: 0.1, symmetric: 'mean' },
    { kind: 'self-tuned', neighbors: 9, includeSelf },
    { kind: 'self-tuned', neighbors: 9, includeSelf, scaleNeighbor: 3, symmetric: 'mean' },
    { kind: 'self-tuned', neighbors: 12, includeSelf, symmetric: 'mutual', leastWeight: 0.2 },
  ]),
  { kind: 'gaussian', sigma: 0.15, metric: 'manhattan' },
  { kind: 'knn', neighbors: 9, metric: 'cosine' },
  { kind: 'self-tuned', neighbors: 9, metric: 'chebyshev' },
  { kind: 'knn-gaussian', neighbors: 9, metric: 'minkowski', minkowskiPower: 3 },
];

async function embed(points: Tensor, recipe: GraphRecipe, components = 3): Promise<NystromSource> {
  const graph = await buildGraph(points, recipe);
  return { points, recipe, graph, ...(await laplacianEigenmap(graph, { components })) };
}

function largestDifference(a: Tensor, b: Tensor): number {
  assert.equal(a.shape, b.shape);
  let most = 0;
  for (let i = 0; i < a.size; i++) most = Math.max(most, Math.abs(a.data[i] - b.data[i]));
  return most;
}

for (const recipe of recipes) {
  test(`the points of the graph get their own rows back: ${JSON.stringify(recipe)}`, async () => {
    const points = uniformPoints(new Random('own rows'), 300, 2);
    const source = await embed(points, recipe);
    assert.ok(largestDifference(await nystrom(source, points), source.embedding) < 1e-8);
    assert.ok(largestDifference(await nystrom(source, points.copy()), source.embedding) < 1e-8);
    // A single point, in double precision, gives the same result.
    const one = await nystrom(source, points.rowRange(17, 18).copy('double'));
    assert.ok(largestDifference(one, source.embedding.rowRange(17, 18)) < 1e-8);
  });
}

test('a new point hardly beside one that is far from all others is searched like any other', async () => {
  const points = tensor([[0], [10], [30], [31], [32]], 'double');
  const source = await embed(points, { kind: 'knn', neighbors: 3 }, 1);
  const [beside, same] = (await nystrom(source, tensor([[1e-15], [0]], 'double'))).toArray() as number[][];
  assert.equal(beside, same);
  assert.equal((await nystrom(source, tensor([[1e-15]], 'double'))).toArray(), [same]);
});

test('points of many columns, whose distances are computed in blocks, get their own rows back', async () => {
  const points = clusteredPoints(new Random('columns'), 250, 30, 4, 0.3);
  await forEachInOrder(['knn', 'self-tuned'] as const, async (kind) => {
    const source = await embed(points, { kind, neighbors: 12 });
    assert.ok(largestDifference(await nystrom(source, points), source.embedding) < 1e-8);
  });
});

test('repeated points are accepted: copies get the same rows', async () => {
  const half = uniformPoints(new Random('twice'), 120, 2);
  const points = zeros([240, 2]);
  points.data.set(half.data);
  points.data.set(half.data, half.size);
  await forEachInOrder(
    [
      { kind: 'gaussian', sigma: 0.15 },
      { kind: 'knn', neighbors: 10 },
      { kind: 'knn', neighbors: 9, includeSelf: false },
    ] as GraphRecipe[],
    async (recipe) => {
      const source = await embed(points, recipe);
      const found = await nystrom(source, half);
      assert.ok(largestDifference(found, source.embedding.rowRange(0, 120)) < 1e-7, recipe.kind);
    },
  );
});

test('points whose neighbors all coincide with them, and points whose weights all vanished', async () => {
  const six = uniformPoints(new Random('six'), 6, 2);
  const points = zeros([30, 2]);
  for (let copy = 0; copy < 5; copy++) points.data.set(six.data, 12 * copy);
  const bundled = await embed(points, { kind: 'knn', neighbors: 4 }, 5);
  assert.is(bundled.graph.components.count, 6);
  assert.ok(largestDifference(await nystrom(bundled, points), bundled.embedding) < 1e-10);
  const far = tensor([[0], [1], [2], [3], [900]]);
  const lost = await embed(far, { kind: 'knn-gaussian', neighbors: 3, sigma: 1 }, 2);
  assert.equal([...lost.graph.components.sizes], [4, 1]);
  assert.ok(largestDifference(await nystrom(lost, far), lost.embedding) < 1e-10);
  assert.match(
    await refusalOf(nystrom(lost, tensor([[1.5], [400]]))),
    /expected every new point to have a neighbor among the points of the graph, got 1 of 2 without one \(row 1\)/,
  );
});

test('a new point is the weighted mean of its neighbors over the eigenvalue, by hand', async () => {
  // Distances of x = 1.5 to 0, 1, 2, 4, 7. Two nearest: 1 and 2. Last neighbors with k = 2 others are at 2, 1, 2, 3 and 5,
  // so that 0 and 4 would count x as well and 7 would not.
  const points = tensor([[0], [1], [2], [4], [7]]);
  const recipe = { kind: 'knn', neighbors: 2, includeSelf: false } as const;
  const source = await embed(points, recipe, 1);
  const [a, b, c, d] = source.embedding.data;
  const expected = (0.5 * a + b + c + 0.5 * d) / 3 / source.eigenvalues[0];
  const found = await nystrom(source, tensor([[1.5]]));
  assert.ok(Math.abs(found.item() - expected) < 1e-12, `${found.item()}, ${expected}`);
  const greedy = await embed(points, { ...recipe, symmetric: 'max' }, 1);
  const [e, f, g, h] = greedy.embedding.data;
  const all = (e + f + g + h) / 4 / greedy.eigenvalues[0];
  assert.ok(Math.abs((await nystrom(greedy, tensor([[1.5]]))).item() - all) < 1e-12);
});

for (const [threshold, alpha] of [
  [0.01, 0],
  [0.01, 1],
  [1e-60, 0],
] as const) {
  test(`a new point of a Gaussian graph, by hand: threshold ${threshold}, alpha ${alpha}`, async () => {
    const points = uniformPoints(new Random('by hand'), 200, 2);
    const source = await embed(points, { kind: 'gaussian', sigma: 0.1, threshold, alpha }, 5);
    const { densities } = source.graph.origin;
    const unseen = uniformPoints(new Random('unseen'), 7, 2);
    const found = await nystrom(source, unseen);
    for (let i = 0; i < unseen.rows; i++) {
      const weights = Array.from({ length: points.rows }, (_, j) => {
        const squared =
          (unseen.data[2 * i] - points.data[2 * j]) ** 2 + (unseen.data[2 * i + 1] - points.data[2 * j + 1]) ** 2;
        const weight = Math.exp(-squared / (2 * 0.1 ** 2));
        return weight > threshold ? weight / (densities ? densities[j] : 1) : 0;
      });
      const degree = weights.reduce((sum, weight) => sum + weight);
      for (let c = 0; c < 5; c++) {
        const sum = weights.reduce((total, weight, j) => total + weight * source.embedding.at(j, c), 0);
        const expected = sum / degree / source.eigenvalues[c];
        assert.ok(Math.abs(found.at(i, c) - expected) < 1e-6, `${found.at(i, c)}, ${expected}`);
      }
    }
  });
}

test('on one moon test points are as near to the continuous eigenfunctions as those of the graph', async () => {
  const { train, test: fresh } = trainAndTest(oneMoon, { seed: 4 });
  const limit = eigenfunctions(oneMoonDensity(), { sigma: 0.2, count: 3, spacing: 0.05 });
  const errorsOf = (found: Tensor, points: Tensor): ArrayLike<number> => {
    const truth = columns(limit.evaluate(points), 1, 3);
    return relativeErrors(found, truth);
  };
  const source = await embed(train.points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 }, 2);
  const own = errorsOf(source.embedding, train.points);
  const extended = errorsOf(await nystrom(source, fresh.points), fresh.points);
  // 0.0502 and 0.0540 against 0.0506 and 0.0549.
  for (let k = 0; k < 2; k++) {
    assert.ok(own[k] < 0.06, `${own[k]}`);
    assert.ok(extended[k] < 1.03 * own[k], `${extended[k]} against ${own[k]}`);
  }
});

test('extended diffusion maps have the same scale, and clusters follow from the nearest center', async () => {
  const { train, test: fresh } = trainAndTest(twoMoons, { seed: 1 });
  const recipe = { kind: 'gaussian', sigma: 0.15, threshold: 0.08 } as const;
  const graph = await buildGraph(train.points, recipe);
  const source = { points: train.points, recipe, graph };
  const still = await laplacianEigenmap(graph, { components: 2 });
  const walked = await diffusionMap(graph, { components: 2, time: 3 });
  const [a, b] = [
    await nystrom({ ...source, ...still }, fresh.points),
    await nystrom({ ...source, ...walked }, fresh.points),
  ];
  for (let i = 0; i < a.size; i++) {
    assert.ok(Math.abs(b.data[i] - a.data[i] * still.eigenvalues[i % 2] ** 3) < 1e-9);
  }
  const clusters = await spectralClustering(graph, { clusters: 2 });
  const own = nearestCenters(await nystrom({ ...source, ...clusters }, train.points), clusters.centers);
  assert.equal(own.labels, clusters.labels);
  const { labels } = nearestCenters(await nystrom({ ...source, ...clusters }, fresh.points), clusters.centers);
  assert.ok(accuracy(labels, fresh.labels!) > 0.99);
});

test('nystrom reports progress and can be aborted', async () => {
  const points = uniformPoints(new Random('watched'), 200, 2);
  const source = await embed(points, { kind: 'knn' });
  const seen: number[] = [];
  await nystrom(source, points, { progress: (fraction) => void seen.push(fraction) });
  assert.is(seen.at(-1), 1);
  const stopped = nystrom(source, points, { signal: AbortSignal.abort(new RangeError('enough')) });
  assert.is(await refusalOf(stopped), 'enough');
});

test('input that cannot be extended is refused', async () => {
  const points = uniformPoints(new Random('refusals'), 60, 2);
  const recipe = { kind: 'gaussian', sigma: 0.1 } as const;
  const source = await embed(points, recipe);
  const refuse = (changes: Partial<NystromSource>, queries: Tensor = points): Promise<string> =>
    refusalOf(nystrom({ ...source, ...changes }, queries));
  assert.match(
    await refuse(
      {},
      tensor([
        [0.5, 0.5],
        [9, 9],
        [0.4, 0.4],
        [-9, 0],
      ]),
    ),
    /^nystrom: expected every new point to have a neighbor among the points of the graph, got 2 of 4 without one \(row 1, 3\)\. Remove them/,
  );
  assert.match(
    await refuse({}, tensor([[0.5, NaN]])),
    /^nystrom: expected finite numbers in queries, got NaN at row 0/,
  );
  assert.match(await refuse({}, tensor([[1]])), /^nystrom: expected queries of 2 columns, as the points have, got 1/);
  assert.match(
    await refuse({ eigenvalues: [0.9, 0.5, -0.1] }),
    /^nystrom: expected eigenvalues of at least 1e-10, got -0\.1 of component 2\. Only the first 2 components can be extended\./,
  );
  assert.match(
    await refusalOf(nystrom(null as never, points)),
    /^nystrom: expected an object \{ points, recipe, graph, embedding, eigenvalues \}, got null/,
  );
  assert.match(
    await refuse({ embedding: [[1]] as never }),
    /^nystrom: expected the embedding as a tensor, got an array/,
  );
  assert.match(
    await refuse({ recipe: undefined as never }),
    /^nystrom: expected recipe to be options with a kind, got undefined/,
  );
  assert.match(
    await refuse({}, tensor([9, 8, 7, 6, 5, 4].map((x) => [x, x]))),
    /got 6 of 6 without one \(row 0, 1, 2, 3, 4, …\)/,
  );
  assert.match(await refuse({ eigenvalues: [1] }), /^nystrom: expected 3 eigenvalues, one for each column, got 1/);
  assert.match(
    await refuse({ embedding: zeros([59, 3]) }),
    /^nystrom: expected an embedding with 60 rows.* got shape 59×3/,
  );
  assert.match(
    await refuse({ points: points.rowRange(0, 59) }),
    /^nystrom: expected the 60 points of the graph, got 59/,
  );
  assert.match(
    await refuse({ recipe: { kind: 'knn' } }),
    /expected the recipe of the graph, of kind 'gaussian', got 'knn'/,
  );
  assert.match(
    await refuse({ recipe: { kind: 'knn' }, graph: { ...source.graph, origin: { kind: 'knn' } } }),
    /^nystrom: expected a graph as buildGraph returns it, got one without origin\.squaredReaches/,
  );
  assert.match(
    await refuse({ graph: graphFrom(source.graph.weights) }),
    /expected a graph that buildGraph made of points, got one of kind 'given'/,
  );
  // Points of another graph, two of which coincide: a query at their position has scale 0.
  const twice = points.copy();
  twice.data.copyWithin(2, 0, 2);
  const tuned = await embed(points, { kind: 'self-tuned', neighbors: 5, scaleNeighbor: 1 });
  assert.match(
    await refusalOf(nystrom({ ...tuned, points: twice }, twice)),
    /^nystrom: expected every new point to be apart from the neighbor that sets its scale, got row 0, which coincides/,
  );
});

test.run();
