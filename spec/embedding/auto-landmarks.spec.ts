/** The number of landmarks that a fit chooses, and what it reports about it. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { swissRoll, twoMoons } from '../../datasets/index.ts';
import { Random, SpectralEmbedding, type Tensor } from '../../lib/index.ts';
import { laplacianEigenmap, nystrom, nystromExtension } from '../../lib/doors/embedding.ts';
import { buildGraph } from '../../lib/doors/graph.ts';
import { relativeErrors } from '../../lib/doors/linalg.ts';
import { chooseLandmarks } from '../../lib/doors/network.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runSync } from '../../lib/core/task.ts';
import { GrowingLandmarks } from '../../lib/network/bodies/growing-landmarks.ts';
import { everyIndex } from '../../lib/sparse/indices.ts';

const test = suite('automatic landmarks');

function normals(rows: number, cols: number, seed: string): Tensor<Float32Array> {
  const points = zeros([rows, cols]);
  new Random(seed).fillNormal(points.data);
  return points;
}

test('of few points all are landmarks, and the coordinates are those of the eigenvectors within a hundredth', async () => {
  for (const { points } of [twoMoons({ n: 300, noise: 0.1, seed: 1 }), swissRoll({ n: 1000, seed: 1 })]) {
    const { graph, embedding, diagnostics } = await new SpectralEmbedding({ components: 3 }).fit(points);
    assert.equal(diagnostics.landmarks, { count: points.rows, reason: 'all', stages: [] });
    const exact = await laplacianEigenmap(graph, { components: 3 });
    const errors = relativeErrors(embedding, exact.embedding, graph.degrees);
    assert.ok(Math.max(...errors) < 0.01, `${errors}`);
  }
});

test('of more points the number doubles until the error on held-out points is small, and gives the same bits as that number', async () => {
  const { points } = twoMoons({ n: 4200, noise: 0.1, seed: 1 });
  const grown = await new SpectralEmbedding().fit(points);
  const { count, reason, stages } = grown.diagnostics.landmarks!;
  assert.is(reason, 'accurate');
  assert.equal(
    stages.map((stage) => stage.count),
    stages.map((_, s) => 1024 * 2 ** s),
  );
  assert.is(stages.at(-1)!.count, count);
  assert.ok(
    stages.every(({ error }, s) => error <= 0.01 === (s === stages.length - 1)),
    JSON.stringify(stages),
  );
  const { graph } = grown;
  const given = await new SpectralEmbedding({ landmarks: count }).fit(points, { graph });
  assert.equal(given.embedding.data, grown.embedding.data);
  assert.equal(given.diagnostics.landmarks, { count, reason: 'given', stages: [] });
});

test('where every point is far from all others, half of the points are too few, and all become landmarks', async () => {
  const { diagnostics } = await new SpectralEmbedding().fit(normals(4100, 12, 'points'));
  const { count, reason, stages } = diagnostics.landmarks!;
  assert.equal([count, reason], [4100, 'all']);
  assert.ok(stages.length > 0 && stages.every(({ error }) => error > 0.05), JSON.stringify(stages));
});

test('landmarks that grow describe points as landmarks that are chosen at once', () => {
  for (const cols of [2, 40]) {
    const points = normals(200, cols, 'points');
    for (let i = 0; i < 20; i++) points.data.copyWithin(i * cols, 100 * cols, 101 * cols); // repeated points tie
    const growing = new GrowingLandmarks(points, 3, {});
    for (const count of [5, 12, 40, 150, 200]) {
      runSync(growing.growSteps(count));
      const { landmarks, features } = runSync(growing.describeSteps(everyIndex(200)));
      const chosen = chooseLandmarks(points, { count, seed: 3 });
      const expected = chosen.features(points);
      assert.equal((landmarks.centers as Tensor).data, (chosen.centers as Tensor).data);
      assert.equal(features.columns, expected.columns);
      assert.equal(features.values, expected.values);
    }
  }
});

test('the Ritz head takes half of the points, and a network has no landmarks', async () => {
  const { points } = twoMoons({ n: 200, seed: 1 });
  const reportOf = async (options: object) => (await new SpectralEmbedding(options).fit(points)).diagnostics.landmarks;
  assert.equal(await reportOf({ method: 'ritz' }), { count: 100, reason: 'fraction', stages: [] });
  assert.equal(await reportOf({ method: 'ritz', landmarks: 40 }), { count: 40, reason: 'given', stages: [] });
  assert.is(await reportOf({ method: 'ritz', hidden: [16] }), null);
  assert.throws(
    () => new SpectralEmbedding({ landmarks: 'many' as never }),
    /^SpectralEmbedding: expected landmarks to be a number or 'auto', got many\.$/,
  );
});

test('a prepared extension gives the rows of nystrom, in many columns those of few', async () => {
  const { points } = twoMoons({ n: 500, noise: 0.1, seed: 1 });
  const unseen = twoMoons({ n: 300, noise: 0.1, seed: 1, draw: 'test' }).points;
  for (const recipe of [
    { kind: 'knn', neighbors: 9 },
    { kind: 'self-tuned', neighbors: 9, includeSelf: false },
    { kind: 'knn-gaussian', neighbors: 9, symmetric: 'max' },
  ] as const) {
    const graph = await buildGraph(points, recipe);
    const found = await laplacianEigenmap(graph, { components: 2 });
    const expected = await nystrom({ points, recipe, graph, ...found }, unseen);
    // Columns of zeros change no distance, and all pairs are compared instead of a tree.
    const extend = await nystromExtension({ points: widened(points), recipe, graph, ...found });
    assert.equal((await extend(widened(unseen))).data, expected.data);
    assert.equal((await extend(widened(unseen))).data, expected.data);
  }
});

function widened(points: Tensor): Tensor {
  const wide = zeros([points.rows, 12]);
  for (let i = 0; i < points.rows; i++) for (let j = 0; j < 2; j++) wide.data[i * 12 + j] = points.at(i, j);
  return wide;
}

test.run();
