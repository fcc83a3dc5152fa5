/** Estimators, models and their files under every metric, for sparse points, for given distances, and for graphs in parts. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs, texts } from '../../datasets/index.ts';
import {
  adjustedRandIndex,
  buildGraph,
  exportOnnx,
  loadModel,
  type MetricOptions,
  nystrom,
  Random,
  saveModel,
  SpectralClustering,
  SpectralEmbedding,
  tensor,
  Tensor,
  transform,
} from '../../lib/index.ts';
import { laplacianEigenmap } from '../../lib/doors/embedding.ts';
import { nearestNeighbors } from '../../lib/doors/graph.ts';
import { fromDense, toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { allocator } from '../../lib/kernels/table.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';

const test = suite('distances of estimators');

const metrics: MetricOptions[] = [
  { metric: 'cosine' },
  { metric: 'correlation' },
  { metric: 'manhattan' },
  { metric: 'chebyshev' },
  { metric: 'minkowski', minkowskiPower: 3 },
];

const { points, labels } = blobs({ n: 300, centers: 3, dimension: 5, deviation: 1, seed: 4 });
const documents = texts({ n: 400, words: 2000, topics: 3, seed: 1 });

test('transform gives the points of fit their coordinates under every metric, also by a model from a file', async () => {
  await forEachInOrder(metrics, async (metric) => {
    const name = JSON.stringify(metric);
    await forEachInOrder([{}, { hidden: [16], training: { epochs: 2 } }], async (rest) => {
      const fitted = await new SpectralEmbedding({ ...metric, ...rest }).fit(points);
      assert.equal(fitted.graph.origin.metric, metric.metric, name);
      assert.equal(fitted.transform(points), fitted.embedding, name);
      const loaded = loadModel(saveModel(fitted.model));
      assert.equal(loaded.metric, metric);
      assert.equal(transform(loaded, points), fitted.embedding, name);
    });
  });
});

test('under cosine a point and its multiples have the same coordinates', async () => {
  const fitted = await new SpectralEmbedding({ metric: 'cosine' }).fit(points);
  const doubled = new Tensor(
    points.data.map((value) => 2 * value),
    points.shape,
  );
  assert.equal(fitted.transform(doubled), fitted.embedding);
  const network = await new SpectralEmbedding({ metric: 'cosine', method: 'ritz', hidden: [8] }).fit(points);
  assert.equal(network.transform(doubled), network.embedding);
});

test('the metric may be in the estimator, in its recipe or in the graph, and must be one', async () => {
  const inRecipe = await new SpectralEmbedding({ graph: { kind: 'knn', metric: 'manhattan' } }).fit(points);
  const inEstimator = await new SpectralEmbedding({ metric: 'manhattan' }).fit(points);
  const graph = await buildGraph(points, { kind: 'knn', metric: 'manhattan', connect: 'join' });
  const inGraph = await new SpectralEmbedding().fit(points, { graph });
  assert.equal(inRecipe.embedding, inEstimator.embedding);
  assert.equal(inGraph.embedding, inEstimator.embedding);
  assert.equal(inGraph.model.metric, { metric: 'manhattan' });
  assert.match(
    await refusalOf(new SpectralEmbedding({ metric: 'cosine' }).fit(points, { graph })),
    /SpectralEmbedding\.fit: expected one metric, 'cosine' .*, got also 'manhattan'\./,
  );
  assert.throws(() => new SpectralEmbedding({ metric: 'minkowski' }), /expected minkowskiPower of at least 1/);
});

test('sparse points have the coordinates of the same points written out, to the bit', async () => {
  await forEachInOrder(['euclidean', 'cosine'] as const, async (metric) => {
    const sparse = await new SpectralEmbedding({ metric }).fit(documents.points);
    const dense = await new SpectralEmbedding({ metric, graph: { kind: 'knn', method: 'brute' } }).fit(
      toDense(documents.points),
    );
    assert.equal(sparse.graph.weights, dense.graph.weights, metric);
    if (metric === 'cosine') assert.equal(sparse.embedding, dense.embedding);
    assert.equal(sparse.transform(documents.points), sparse.embedding);
    assert.equal(sparse.transform(toDense(documents.points)), sparse.embedding, 'dense rows');
    const loaded = loadModel(saveModel(sparse.model));
    assert.equal(transform(loaded, documents.points), sparse.embedding, 'from a file');
  });
});

/** The largest number of floats that one array was made for during the work. */
async function largestArray(work: () => Promise<unknown>): Promise<number> {
  let largest = 0;
  const note = (length: unknown): void => {
    if (typeof length === 'number') largest = Math.max(largest, length);
  };
  const [allocators, types] = [{ ...allocator }, { Float32Array, Float64Array }];
  const spied = <T extends (length: number) => object>(make: T): T =>
    ((length: number) => {
      note(length);
      return make(length);
    }) as T;
  Object.assign(allocator, { float32: spied(allocators.float32), float64: spied(allocators.float64) });
  for (const [name, type] of Object.entries(types)) {
    const construct = (target: typeof Float32Array, args: [number]): object => {
      note(args.length === 1 ? args[0] : undefined);
      return Reflect.construct(target, args) as object;
    };
    Object.assign(globalThis, { [name]: new Proxy(type as typeof Float32Array, { construct }) });
  }
  try {
    await work();
  } finally {
    Object.assign(allocator, allocators);
    Object.assign(globalThis, types);
  }
  return largest;
}

test('sparse text is fitted and transformed, and no array is made for its dense table or that of its landmarks', async () => {
  const { rows, cols } = documents.points;
  let found: Int32Array | undefined;
  const largest = await largestArray(async () => {
    const fitted = await new SpectralClustering({ clusters: 3, metric: 'cosine', landmarks: 300 }).fit(
      documents.points,
    );
    found = fitted.predict(documents.points);
    const recipe = { kind: 'knn', metric: 'cosine' } as const;
    const graph = await buildGraph(documents.points, recipe);
    const map = await laplacianEigenmap(graph, { components: 2 });
    await nystrom({ points: documents.points, recipe, graph, ...map }, documents.points);
  });
  assert.ok(adjustedRandIndex(found!, documents.labels) > 0.95);
  assert.ok(largest < (rows * cols) / 4, `${largest} of ${rows * cols}`);
  const dense = await largestArray(async () => toDense(documents.points));
  assert.is(dense, rows * cols, 'the spy sees dense tables');
});

test('given distances and given neighbors make the graph', async () => {
  const size = points.rows;
  const found = await nearestNeighbors(points, { neighbors: 16 });
  const cut = (list: ArrayLike<number>) =>
    Array.from({ length: size }, (_, i) => Array.from({ length: 16 }, (_column, k) => list[16 * i + k]));
  const neighbors = { indices: cut(found.indices), distances: cut(found.squaredDistances.map(Math.sqrt)) };
  const distances = zeros([size, size], 'double');
  const all = await nearestNeighbors(points, { neighbors: size, includeSelf: true });
  for (let e = 0; e < size * size; e++) {
    distances.data[Math.floor(e / size) * size + all.indices[e]] = Math.sqrt(all.squaredDistances[e]);
  }
  const recipe = { graph: { kind: 'knn', connect: 'none' } } as const;
  const { embedding } = await new SpectralEmbedding(recipe).fit(points);
  assert.equal((await new SpectralEmbedding(recipe).fit(points, { neighbors })).embedding, embedding);
  assert.equal((await new SpectralEmbedding(recipe).fit(points, { distances })).embedding, embedding);
  assert.match(
    await refusalOf(new SpectralEmbedding().fit(points, { neighbors, distances })),
    /expected one of graph, distances and neighbors, got 2 of them\./,
  );
});

/** Twelve tight groups, six around each of two centers. */
function inParts(): { points: Tensor; sides: Int32Array } {
  const random = new Random('parts');
  const centers = Array.from({ length: 12 }, (_, g) => [g % 2 === 0 ? 0 : 30, 0].map((x) => x + 3 * random.normal()));
  const rows = Array.from({ length: 360 }, (_, i) => centers[i % 12].map((x) => x + 0.01 * random.normal()));
  return { points: tensor(rows), sides: Int32Array.from(rows, (_, i) => (i % 12) % 2) };
}

test('a graph in parts is joined, reported and warned of, and seeds agree', async () => {
  const { points: groups, sides } = inParts();
  const runs = [0, 1].map((seed) => new SpectralClustering({ clusters: 2, seed }).fit(groups));
  const [first, second] = await Promise.all(runs);
  assert.is(adjustedRandIndex(first.labels, second.labels), 1);
  assert.is(adjustedRandIndex(first.labels, sides), 1);
  const { parts, warnings } = first.base.diagnostics;
  assert.equal(parts, new Array(12).fill(30));
  assert.is(first.base.graph.components.count, 1);
  assert.match(
    warnings.join(),
    /^The graph falls into 12 parts of 30, 30, 30, 30, 30, 30, … points\. 11 edges join them, of length up to .*\. More n/,
  );
  const apart = await new SpectralEmbedding({ graph: { kind: 'knn', connect: 'none' } }).fit(groups);
  assert.equal(apart.diagnostics.parts, parts);
  assert.is(apart.graph.components.count, 12);
  assert.match(apart.diagnostics.warnings.join(), /The first 11 coordinates only tell .* connect: 'join' adds/);
  const whole = await new SpectralEmbedding().fit(points.rowRange(0, 20));
  assert.equal([whole.diagnostics.parts, whole.diagnostics.warnings], [[20], []]);
  assert.ok(labels!.length > 0);
});

test('the extension of new points has the metric of the graph', async () => {
  const recipe = { kind: 'knn', neighbors: 9, metric: 'cosine' } as const;
  const graph = await buildGraph(points, recipe);
  const map = await laplacianEigenmap(graph, { components: 2 });
  const other = { points, recipe: { kind: 'knn', neighbors: 9 } as const, graph, ...map };
  assert.match(
    await refusalOf(nystrom(other, points)),
    /the recipe of the graph, with metric 'cosine', got 'euclidean'/,
  );
  const sparse = await nystrom({ points: fromDense(points), recipe, graph, ...map }, fromDense(points));
  assert.equal(sparse, await nystrom({ points, recipe, graph, ...map }, points));
});

test('ONNX has the metrics that are angles, and refuses landmarks under others', async () => {
  const { model } = await new SpectralEmbedding({ metric: 'cosine' }).fit(points);
  const { model: plain } = await new SpectralEmbedding().fit(points);
  const text = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);
  assert.ok(text(exportOnnx(model)).includes('Sqrt') && !text(exportOnnx(plain)).includes('Sqrt'));
  const { model: manhattan } = await new SpectralEmbedding({ metric: 'manhattan' }).fit(points);
  assert.throws(
    () => exportOnnx(manhattan),
    /exportOnnx: expected landmarks under a Euclidean, cosine or correlation metric, got 'manhattan'\. Fit a network/,
  );
  const { model: sparse } = await new SpectralEmbedding({ metric: 'cosine' }).fit(fromDense(points));
  assert.equal(exportOnnx(sparse).length, exportOnnx(model).length);
});

test.run();
