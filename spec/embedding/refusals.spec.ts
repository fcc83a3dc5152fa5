/** Points that are all equal and networks that fit into no memory are refused in words; repeated points are named. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { checkCoordinates } from '../../lib/embedding/rounding-check.ts';
import { forEachInOrder } from '../for-each.ts';
import { buildGraph, DiffusionMap, graphFrom, SpectralClustering, SpectralEmbedding, tensor } from '../../lib/index.ts';

const test = suite('refusals of fit');

const { points } = oneMoon({ n: 40 });
const equal = tensor(Array.from({ length: 40 }, () => [1, 2]));
/** 20 copies of one point, and 20 others. */
const repeated = points.copy();
for (let i = 0; i < 40; i++) repeated.data[i] = i % 2;

async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
    return '(accepted)';
  } catch (error) {
    return (error as Error).message;
  }
}

test('equal points are named as such by every estimator, method and graph', async () => {
  const rule = 'expected points that differ from each other, got 40 copies of one point. Coordinates are functions';
  const cases = [
    new SpectralEmbedding(),
    new SpectralEmbedding({ method: 'ritz' }),
    new SpectralEmbedding({ method: 'specnet1' }),
    new SpectralEmbedding({ method: 'specnet2' }),
    new SpectralEmbedding({ graph: { kind: 'gaussian', sigma: 1 } }),
    new SpectralEmbedding({ graph: { kind: 'knn-gaussian' } }),
    new SpectralEmbedding({ graph: { kind: 'self-tuned' } }),
    new DiffusionMap(),
    new SpectralClustering({ clusters: 2 }),
  ];
  await forEachInOrder(cases, async (estimator) => {
    const name = estimator.constructor.name;
    for (const table of [equal, fromDense(equal)]) {
      // oxlint-disable-next-line no-await-in-loop -- two of them
      assert.match(await refusal(() => estimator.fit(table)), `${name}.fit: ${rule}`);
    }
  });
});

test('a graph tells how many points coincide with all their neighbors', async () => {
  const kinds = [{ kind: 'knn' }, { kind: 'knn-gaussian', sigma: 1 }] as const;
  await forEachInOrder(kinds, async (recipe) => {
    assert.is((await buildGraph(repeated, { ...recipe, neighbors: 8 })).origin.repeated, 20);
    assert.is((await buildGraph(repeated, { ...recipe, neighbors: 21 })).origin.repeated, undefined);
    assert.is((await buildGraph(points, { ...recipe, neighbors: 8 })).origin.repeated, undefined);
  });
  assert.match(
    await refusal(() => buildGraph(repeated, { kind: 'self-tuned', neighbors: 8 })),
    /got point 0, which coincides with it\. Remove repeated points, or raise scaleNeighbor\.$/,
  );
  assert.match(
    await refusal(() => buildGraph(equal, { kind: 'knn-gaussian', neighbors: 8 })),
    /got points that coincide with all their neighbors\. Remove repeated points, give sigma, or/,
  );
});

test('nodes that hardly have edges, and coordinates that single precision cannot hold, are refused', async () => {
  const weights = tensor(
    [
      [1.356743516409992e-109, 1e-209],
      [1e-209, 1.2642316192519099e-12],
    ],
    'double',
  );
  const pair = tensor([
    [1, 2],
    [3, 4],
  ]);
  const fit = (): unknown =>
    new SpectralEmbedding({ components: 1 }).fit(pair, { graph: graphFrom(fromDense(weights)) });
  assert.match(
    await refusal(fit),
    /^SpectralEmbedding\.fit: expected features that vary over the points, got constants\. A point counts by its degree: leave out/,
  );
  const graph = graphFrom(fromDense(weights));
  assert.throws(
    () => checkCoordinates('fit', graph, tensor([[Infinity], [1]])),
    /^fit: expected coordinates that single precision can hold, got Infinity at row 0, column 0\. Degrees differ by a factor of 9\.3e\+96: leave out/,
  );
});

test('a network that fits into no memory is refused by the memory it would take, before anything is allocated', async () => {
  assert.throws(
    () => new SpectralEmbedding({ hidden: [1e9] }),
    /^SpectralEmbedding: expected a network that takes at most 4 GiB, got 3\.83e\+3 GiB for layers of 1, 1000000000, 2\. Use/,
  );
  assert.throws(
    () => new Mlp([2, 1e6, 1e6, 1]),
    /^Mlp: expected a network that takes at most 4 GiB, got 3\.73e\+3 GiB/,
  );
  const wide = tensor(Array.from({ length: 20 }, (_, i) => Array.from({ length: 2000 }, (__, j) => Math.sin(i * j))));
  assert.match(
    await refusal(() => new SpectralEmbedding({ hidden: [600_000], method: 'specnet2' }).fit(wide)),
    /^SpectralEmbedding\.fit: expected a network that takes at most 4 GiB, got .* GiB for layers of 2000, 600000, 3\./,
  );
  assert.match(
    await refusal(() => new SpectralEmbedding({ hidden: [50_000], method: 'ritz' }).fit(points)),
    /^SpectralEmbedding\.fit: expected at most 16384 units in the last hidden layer for method 'ritz', got 50000\. Each/,
  );
});

test.run();
