/** The variable bandwidth of Berry and Harlim: where points are few, its kernels are as wide as the density asks for. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { laplacianEigenmap } from '../../lib/doors/embedding.ts';
import { normalizeDensity, reorder } from '../../lib/doors/graph.ts';
import { principalAngles } from '../../lib/doors/linalg.ts';
import { buildGraph, DiffusionMap, type GraphRecipe, nystrom, Tensor } from '../../lib/index.ts';
import { rejects } from '../rejects.ts';
import { distanceFromHarmonics, extendable, unevenSphere } from './uneven-sphere.ts';

const test = suite('variable bandwidth');

/** Points of the unit circle or sphere, of which the top is drawn up to `ratio` times as densely as the bottom. */
const denseTop = (n: number, dimension: number, ratio: number, seed: number): Tensor<Float64Array> =>
  unevenSphere(n, dimension, seed, (height) => ratio ** ((height - 1) / 2));

async function errorOf(points: Tensor, recipe: GraphRecipe): Promise<number> {
  const graph = await buildGraph(points, recipe);
  const { embedding } = await laplacianEigenmap(graph, { components: points.cols });
  return distanceFromHarmonics(embedding, points);
}

const variable = { kind: 'knn-gaussian', bandwidth: 'variable', alpha: 1 } as const;

test('alpha = 1 gives the harmonics of a circle and of a sphere with a dense side, where one bandwidth does not', async () => {
  for (const [dimension, ratio, limit] of [
    [2, 9, 0.12],
    [3, 50, 0.18],
  ] as const) {
    const points = denseTop(900, dimension, ratio, 1);
    const error = await errorOf(points, variable);
    assert.ok(error < limit, `${error}`);
    const { origin } = await buildGraph(points, variable);
    assert.ok(Math.abs(origin.dimension! - (dimension - 1)) < 0.2, `${origin.dimension}`);
  }
  const sphere = denseTop(900, 3, 50, 1);
  assert.ok((await errorOf(sphere, { kind: 'gaussian', sigma: 'auto', alpha: 1 })) > 0.8);
  assert.ok((await errorOf(sphere, { ...variable, bandwidth: 'fixed', sigma: 'auto', neighbors: 128 })) > 0.8);
});

test('alpha 0 and ½ mean what they mean under a fixed bandwidth', async () => {
  const circle = denseTop(1000, 2, 3, 3);
  const spans: Tensor[][] = [[], []];
  for (const alpha of [0, 0.5, 1]) {
    const recipes: GraphRecipe[] = [
      { ...variable, alpha },
      { kind: 'gaussian', sigma: 'auto', alpha },
    ];
    for (const [which, recipe] of recipes.entries()) {
      const { embedding } = await laplacianEigenmap(await buildGraph(circle, recipe), { components: 2 });
      spans[which].push(embedding);
    }
  }
  const apart = (a: Tensor, b: Tensor): number => Math.sin(Math.max(...principalAngles(a, b)));
  for (let i = 0; i < 3; i++) {
    const own = apart(spans[0][i], spans[1][i]);
    for (let j = 0; j < 3; j++) {
      if (j !== i) assert.ok(own < 0.6 * apart(spans[0][i], spans[1][j]), `${i} ${j}: ${own}`);
    }
  }
});

test('bandwidths grow where points are few, as the density to the power −½, and weights follow their formula', async () => {
  const circle = denseTop(600, 2, 20, 5);
  const { origin, weights, degrees } = await buildGraph(circle, { ...variable, neighbors: 40 });
  const { bandwidths } = origin.variable!;
  const logs = bandwidths.map(Math.log);
  assert.ok(Math.abs(logs.reduce((sum, log) => sum + log, 0)) < 1e-9, 'geometric mean 1');
  // log ρ against log density = height·log(20)/2 + …: the slope is −½.
  const heights = Float64Array.from({ length: 600 }, (_, i) => (circle.at(i, 1) / 2) * Math.log(20));
  const mean = heights.reduce((sum, height) => sum + height, 0) / 600;
  const slope =
    heights.reduce((sum, height, i) => sum + (height - mean) * logs[i], 0) /
    heights.reduce((sum, height) => sum + (height - mean) ** 2, 0);
  assert.ok(Math.abs(slope + 0.5) < 0.1, `${slope}`);
  // Loops make every degree proportional to ρ² times the sum of the kernel's weights.
  const least = bandwidths.reduce((low, each) => Math.min(low, each), Infinity);
  const exponent = 1 - (origin.dimension! / 2 + 1) / 2;
  const { densities, sigma } = origin;
  const average = densities!.reduce((sum, density) => sum + density, 0) / 600;
  for (const i of [0, 100, 599]) {
    let sum = 0;
    let loop = 0;
    for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
      const j = weights.columns[e];
      const squared = (circle.at(i, 0) - circle.at(j, 0)) ** 2 + (circle.at(i, 1) - circle.at(j, 1)) ** 2;
      const kernel = Math.exp(-squared / (2 * sigma! ** 2 * bandwidths[i] * bandwidths[j]));
      const expected = kernel * ((densities![i] * densities![j]) / average ** 2) ** -exponent;
      sum += expected;
      if (j === i) loop = weights.values[e] - expected;
      else
        assert.ok(Math.abs(weights.values[e] - expected) < 1e-4 * expected + 1e-9, `${weights.values[e]} ${expected}`);
    }
    const factor = (bandwidths[i] / least) ** 2;
    assert.ok(Math.abs(degrees[i] / sum - factor) < 1e-3 * factor, `${degrees[i] / sum} ${factor}`);
    assert.ok(Math.abs(loop / sum - (factor - 1)) < 1e-3 * factor);
  }
});

test('Nyström gives the points of the graph their own rows, and new points the harmonics', async () => {
  const sphere = denseTop(900, 3, 50, 1);
  const fresh = denseTop(300, 3, 50, 7);
  for (const recipe of [variable, { ...variable, includeSelf: false, neighbors: 100, alpha: 0.5 }] as const) {
    const { source, worst } = await extendable(sphere, recipe);
    assert.ok(worst < 1e-3, `${worst}`);
    if (recipe.alpha === 1) assert.ok(distanceFromHarmonics(await nystrom(source, fresh), fresh) < 0.25);
    await rejects(
      () => nystrom({ ...source, recipe: { ...recipe, bandwidth: 'fixed' } }, fresh),
      /with bandwidth 'variable', got 'fixed'/,
    );
    // A point far outside has no density.
    const far = new Tensor(Float64Array.from([1e4, 0, 0]), [1, 3]);
    await rejects(
      () => nystrom(source, far),
      /new point to (have a neighbor|be where points of the graph are near enough).*, got 1 of 1 .*\(row 0\)/,
    );
  }
});

test('DiffusionMap learns the harmonics with landmarks, also of new points', async () => {
  const sphere = denseTop(900, 3, 50, 1);
  const fresh = denseTop(300, 3, 50, 8);
  for (const landmarks of ['auto', 300] as const) {
    const estimator = new DiffusionMap({ components: 3, alpha: 1, bandwidth: 'variable', time: 0, landmarks });
    const fitted = await estimator.fit(sphere);
    assert.is(fitted.base.graph.origin.kind, 'knn-gaussian');
    assert.ok(fitted.base.graph.origin.variable);
    const [learned, extended] = [
      distanceFromHarmonics(fitted.embedding, sphere),
      distanceFromHarmonics(fitted.transform(fresh), fresh),
    ];
    assert.ok(learned < 0.22 && extended < 0.25, `${landmarks}: ${learned} ${extended}`);
  }
});

test('what does not go together is refused', async () => {
  const circle = denseTop(100, 2, 3, 1);
  assert.throws(
    () => new DiffusionMap({ bandwidth: 'variable', graph: { kind: 'gaussian', sigma: 1 } }),
    /a recipe with bandwidth 'variable', as the estimator has, got a recipe of kind 'gaussian' with bandwidth 'fixed'/,
  );
  const fixed = await buildGraph(circle, { kind: 'knn' });
  await rejects(
    () => new DiffusionMap({ bandwidth: 'variable' }).fit(circle, { graph: fixed }),
    /a graph with bandwidth 'variable', got 'fixed'/,
  );
  const graph = await buildGraph(circle, { ...variable, neighbors: 20 });
  assert.throws(() => normalizeDensity(graph, 0), /whose density is not normalized, got one with alpha 1/);
  const { graph: other, order } = reorder(graph);
  for (const name of ['bandwidths', 'pilotScales'] as const) {
    const values = graph.origin.variable![name];
    assert.equal(
      [...other.origin.variable![name]],
      Array.from(order, (i) => values[i]),
    );
  }
  const copies = new Tensor(
    new Float64Array(40).map((_, i) => (i < 20 ? 1 : i)),
    [20, 2],
  );
  await rejects(
    () => buildGraph(copies, { ...variable, neighbors: 5 }),
    /apart from one of its 4 nearest, got point 0/,
  );
});

test.run();
