/** Density normalization and automatic bandwidths: on manifolds that are sampled unevenly, alpha = 1 gives the harmonics. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { laplacianEigenmap } from '../../lib/doors/embedding.ts';
import { normalizeDensity, reorder } from '../../lib/doors/graph.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import {
  buildGraph,
  DiffusionMap,
  graphFrom,
  type GraphRecipe,
  nystrom,
  SpectralEmbedding,
  Tensor,
} from '../../lib/index.ts';
import { tuneBandwidth } from '../../lib/graph/affinity/bandwidth.ts';
import { rejects } from '../rejects.ts';
import { distanceFromHarmonics, extendable, unevenSphere } from './uneven-sphere.ts';

const test = suite('diffusion maps');

/** The density is proportional to 1 + 0.8·(last coordinate): up to 9 to 1. */
const uneven = (n: number, dimension: number, seed: number): Tensor =>
  unevenSphere(n, dimension, seed, (height) => (1 + 0.8 * height) / 1.8);

const circle = uneven(1000, 2, 1);
const sphere = uneven(1000, 3, 2);

test('on an uneven circle and sphere, alpha = 1 gives the harmonics, where 0 and ½ do not', async () => {
  for (const [points, limit] of [
    [circle, 0.06],
    [sphere, 0.13],
  ] as const) {
    const errors: number[] = [];
    for (const alpha of [0, 0.5, 1]) {
      const graph = await buildGraph(points, { kind: 'gaussian', sigma: 'auto', alpha });
      const { embedding } = await laplacianEigenmap(graph, { components: points.cols });
      errors.push(distanceFromHarmonics(embedding, points));
    }
    // At 1,500 points: 0.80, 0.57, 0.03 on the circle, and 0.68, 0.45, 0.09 on the sphere.
    assert.ok(errors[0] > 0.6 && errors[1] > 0.4 && errors[2] < limit, errors.join(' '));
  }
});

test('DiffusionMap with alpha = 1 learns the harmonics, also of new points', async () => {
  for (const [points, limit] of [
    [circle, 0.06],
    [sphere, 0.16],
  ] as const) {
    const components = points.cols;
    const fitted = await new DiffusionMap({ components, alpha: 1, time: 0 }).fit(points);
    assert.is(fitted.base.graph.origin.alpha, 1);
    assert.is(fitted.base.graph.origin.kind, 'gaussian');
    const learned = distanceFromHarmonics(fitted.embedding, points);
    const fresh = uneven(500, components, 9);
    const extended = distanceFromHarmonics(fitted.transform(fresh), fresh);
    assert.ok(learned < limit && extended < limit, `${learned} ${extended}`);
  }
});

test('the automatic bandwidth lies between the spacing and the whole, and estimates the dimension', async () => {
  for (const [points, dimension] of [
    [circle, 1],
    [sphere, 2],
  ] as const) {
    const { origin } = await buildGraph(points, { kind: 'gaussian', sigma: 'auto' });
    assert.ok(Math.abs(origin.dimension! - dimension) < 0.15, `${origin.dimension}`);
    assert.ok(origin.sigma! > 0.02 && origin.sigma! < 0.5, `${origin.sigma}`);
    // The rule has no unit: points twice as far apart have twice the bandwidth.
    const double = new Tensor(points.data.map((x) => 2 * x), points.shape); // oxfmt-ignore
    const wider = await buildGraph(double, { kind: 'gaussian', sigma: 'auto' });
    assert.ok(Math.abs(wider.origin.sigma! / origin.sigma! - 2) < 1e-6);
    const near = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 100, sigma: 'auto' });
    assert.ok(Math.abs(near.origin.dimension! - dimension) < 0.25, `${near.origin.dimension}`);
  }
});

test('the rule for the bandwidth agrees with its definition', () => {
  // Pairs of 40 points on a line, and each with itself.
  const squared = Array.from({ length: 1600 }, (_, e) => (Math.floor(e / 40) - (e % 40)) ** 2);
  const growth = (sigma: number): number => {
    const logOfSum = (s: number): number => Math.log(squared.reduce((sum, r2) => sum + Math.exp(-r2 / (2 * s * s)), 0));
    return (logOfSum(sigma * 1.0001) - logOfSum(sigma / 1.0001)) / (2 * Math.log(1.0001));
  };
  const { sigma, dimension } = tuneBandwidth('spec', squared, 0);
  const sigmas = Array.from({ length: 400 }, (_, i) => 2 ** (-4 + i / 32));
  const growths = sigmas.map(growth);
  const most = Math.max(...growths);
  assert.ok(Math.abs(dimension - most) < 1e-3, `${dimension} ${most}`);
  const plateau = sigmas.filter((_, i) => growths[i] >= 0.9 * most);
  assert.ok(Math.abs(Math.log2(sigma / Math.sqrt(plateau[0] * plateau.at(-1)!))) < 1 / 16);
  const without = tuneBandwidth('spec', squared.filter((r2) => r2 > 0), 40); // oxfmt-ignore
  assert.equal(without, { sigma, dimension });
  assert.throws(() => tuneBandwidth('spec', [0, 0], 0), /distances other than 0 for sigma 'auto', got only points/);
});

test('alpha divides weights by powers of the degrees', async () => {
  const triplets = { rows: [0, 1, 1, 2, 0, 2], columns: [1, 0, 2, 1, 2, 0], values: [1, 1, 2, 2, 4, 4] };
  const graph = graphFrom(fromTriplets(triplets, [3, 3], 'double'));
  const normalized = normalizeDensity(graph, 0.5);
  const mean = 14 / 3; // degrees 5, 3 and 6
  for (const [i, j, weight] of [
    [0, 1, 1],
    [1, 2, 2],
    [0, 2, 4],
  ] as const) {
    const expected = (weight * mean) / Math.sqrt(graph.degrees[i] * graph.degrees[j]);
    const { starts, columns, values } = normalized.weights;
    const at = starts[i] + columns.subarray(starts[i], starts[i + 1]).indexOf(j);
    assert.ok(Math.abs(values[at] - expected) < 1e-12);
  }
  assert.equal([normalized.origin.alpha, normalized.origin.densities], [0.5, graph.degrees]);
  assert.is(normalizeDensity(graph, 0), graph);
  assert.throws(() => normalizeDensity(normalized, 1), /whose density is not normalized, got one with alpha 0.5/);
  const { graph: other, order } = reorder(normalized);
  assert.equal(
    [...other.origin.densities!],
    Array.from(order, (i) => graph.degrees[i]),
  );
});

test('Nyström gives the points of a normalized graph their own rows, and new points the harmonics', async () => {
  const recipes: GraphRecipe[] = [
    { kind: 'gaussian', sigma: 'auto', alpha: 1 },
    { kind: 'knn-gaussian', sigma: 'auto', neighbors: 150, alpha: 1 },
  ];
  const fresh = uneven(300, 3, 7);
  for (const recipe of recipes) {
    const { source, worst } = await extendable(sphere, recipe);
    assert.ok(worst < 1e-4, `${recipe.kind}: ${worst}`);
    const extended = await nystrom(source, fresh);
    const error = distanceFromHarmonics(extended, fresh);
    assert.ok(error < 0.2, `${recipe.kind}: ${error}`);
    await rejects(() => nystrom({ ...source, recipe: { ...recipe, alpha: 0 } }, fresh), /with alpha 1, got 0/);
  }
});

test('without alpha nothing changes, and alpha of a recipe, of a graph and of the estimator are one', async () => {
  const graph = { kind: 'gaussian', sigma: 0.3 } as const;
  const plain = await new SpectralEmbedding({ graph }).fit(circle);
  const zero = await new DiffusionMap({ graph, alpha: 0, time: 0 }).fit(circle);
  assert.equal(zero.base.embedding.data, plain.embedding.data);
  const [stated, inRecipe, given] = await Promise.all([
    new DiffusionMap({ graph, alpha: 1 }).fit(circle),
    new DiffusionMap({ graph: { ...graph, alpha: 1 } }).fit(circle),
    new DiffusionMap({ alpha: 1 }).fit(circle, { graph: await buildGraph(circle, graph) }),
  ]);
  assert.equal(inRecipe.embedding.data, stated.embedding.data);
  assert.equal(given.embedding.data, stated.embedding.data);
  assert.throws(() => new DiffusionMap({ alpha: 2 }), /expected alpha from 0 to 1, got 2/);
  assert.throws(
    () => new DiffusionMap({ alpha: 1, graph: { ...graph, alpha: 0.5 } }),
    /one alpha, 1 as the estimator has, got 0.5 in the recipe/,
  );
});

test.run();
