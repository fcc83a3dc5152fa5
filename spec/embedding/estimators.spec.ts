import ndarray from 'ndarray';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs, oneMoon, trainAndTest, twoMoons } from '../../datasets/index.ts';
import {
  accuracy,
  buildGraph,
  DiffusionMap,
  graphFrom,
  nystrom,
  setThreads,
  SpectralClustering,
  SpectralEmbedding,
  spectrum,
  tensor,
  type Tensor,
} from '../../lib/index.ts';
import { laplacianEigenmap } from '../../lib/doors/embedding.ts';
import { relativeErrors } from '../../lib/doors/linalg.ts';
import { rayleighRitz } from '../../lib/doors/solver.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';

const test = suite('estimators');

// Two spec files run at a time, and a second thread of each would only wait for a core.
setThreads(1);

test('transform gives the points of fit the coordinates of fit, in every input format', async () => {
  const { points } = oneMoon({ n: 300, seed: 1 });
  const fitted = await new SpectralEmbedding({ components: 3, seed: 5 }).fit(points);
  assert.equal(fitted.embedding.shape, [300, 3]);
  const forms = {
    tensor: points,
    nested: points.toArray(),
    shaped: { data: Array.from(points.data), shape: [300, 2] },
    ndarray: ndarray(new Float32Array(points.data), [300, 2]),
    double: points.copy('double'),
    sparse: fromDense(points),
  };
  for (const [name, form] of Object.entries(forms)) {
    assert.equal(fitted.transform(form).data, fitted.embedding.data, name);
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its form
    const again = await new SpectralEmbedding({ components: 3, seed: 5 }).fit(form);
    assert.equal(again.embedding.data, fitted.embedding.data, name);
  }
});

test('coordinates are those of the eigenvectors, for unseen points as well', async () => {
  const { train, test: unseen } = trainAndTest(oneMoon, { seed: 3 });
  const recipe = { kind: 'gaussian', sigma: 0.2, threshold: 0.6 } as const;
  const fitted = await new SpectralEmbedding({ graph: recipe }).fit(train.points);
  const truth = await spectrum(fitted.graph, { count: 3 });
  const errors = relativeErrors(fitted.embedding, columns(truth.vectors, 1, 3));
  assert.ok(errors[0] < 0.015 && errors[1] < 0.03, `${errors}`);
  for (const j of [0, 1]) assert.ok(fitted.eigenvalues[j] <= truth.values[j + 1] + 1e-9);
  // The first eigenfunction of the moon runs along it: its order is that of the angle.
  const coordinate = fitted.transform(unseen.points);
  assert.ok(Math.abs(rankCorrelation(columnOf(coordinate, 0), Array.from(unseen.intrinsic!.data))) > 0.97);
});

test('diagnostics tell f1 and f2, and how far above the optimum where the eigenvectors had to be found', async () => {
  const { points } = oneMoon({ n: 300, seed: 1 });
  const training = { epochs: 5 };
  const ways = [{}, { hidden: [16], training }, { method: 'ritz' }, { method: 'specnet2', training }] as const;
  for (const options of ways) {
    // oxlint-disable-next-line no-await-in-loop -- one quick fit after another
    const { graph, embedding, eigenvalues, diagnostics } = await new SpectralEmbedding(options).fit(points);
    const reference = await spectrum(graph, { count: 3 });
    const { f1, f2, gap } = diagnostics;
    const unit = embedding.copy('double');
    // At its best scale a column is √θ times one with Σ dψ² = n².
    const scale = graph.size / Math.sqrt(graph.volume);
    for (let i = 0; i < unit.size; i++) unit.data[i] *= scale * Math.sqrt(Math.max(0, eigenvalues[i % 2]));
    const measured = rayleighRitz(graph, unit, { reference });
    assert.ok(Math.abs(f1 - measured.f1) < 1e-5 && Math.abs(f2 - measured.f2) < 1e-5, `${f1} ${f2}`);
    if ('method' in options) assert.is(gap, null);
    else {
      assert.ok(Math.abs(gap!.f1 - measured.gap!.f1) < 1e-5, `${gap!.f1}`);
      assert.ok(Math.abs(gap!.f2 - measured.gap!.f2) < 1e-5 && gap!.f2 > -1e-9, `${gap!.f2}`);
    }
  }
});

test('a given graph replaces the graph of the points', async () => {
  const { points } = oneMoon({ n: 200, seed: 1 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 30 });
  const fitted = await new SpectralEmbedding().fit(points, { graph });
  assert.is(fitted.graph, graph);
  const other = await new SpectralEmbedding().fit(points);
  assert.not.equal(other.embedding.data, fitted.embedding.data);
});

test('same seed, same bits; another seed, other landmarks', async () => {
  const { points } = twoMoons({ n: 400, seed: 1 });
  const run = async (seed: number) =>
    (await new SpectralEmbedding({ seed, landmarks: 256 }).fit(points)).embedding.data;
  assert.equal(await run(1), await run(1));
  assert.not.equal(await run(1), await run(2));
});

test('networks embed too: untrained under a Ritz head, and trained by SpecNet1 and SpecNet2', async () => {
  const { train, test: unseen } = trainAndTest(oneMoon, { seed: 1 });
  const graph = await buildGraph(train.points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  const truth = columns((await spectrum(graph, { count: 3 })).vectors, 1, 3);
  const exact = { points: train.points, recipe: { kind: 'gaussian', sigma: 0.2, threshold: 0.6 } as const, graph };
  const extended = await nystrom({ ...exact, ...(await laplacianEigenmap(graph, { components: 2 })) }, unseen.points);
  const limits = { ritz: [0.02, 0.04], specnet2: [0.09, 0.12], specnet1: [0.2, 0.5] } as const;
  for (const method of ['ritz', 'specnet2', 'specnet1'] as const) {
    const training = method === 'specnet1' ? ({ scheme: 'full', epochs: 3 } as const) : { epochs: 12 };
    const options = { method, hidden: [128], training };
    // oxlint-disable-next-line no-await-in-loop -- three fits of a second each
    const fitted = await new SpectralEmbedding(options).fit(train.points, { graph });
    assert.is(fitted.model.kind, 'network');
    assert.ok(alike(fitted.transform(train.points), fitted.embedding), method);
    const seen = relativeErrors(fitted.embedding, truth);
    const errors = relativeErrors(fitted.transform(unseen.points), extended);
    for (const j of [0, 1]) {
      assert.ok(seen[j] < limits[method][j], `${method}, seen: ${seen}`);
      assert.ok(errors[j] < 1.3 * limits[method][j], `${method}, unseen: ${errors}`);
    }
  }
});

test('a diffusion map is the embedding times λᵗ', async () => {
  const { points } = oneMoon({ n: 250, seed: 2 });
  const base = await new SpectralEmbedding({ components: 3 }).fit(points);
  const map = await new DiffusionMap({ components: 3, time: 4 }).fit(points);
  for (const [i, value] of map.embedding.data.entries()) {
    const expected = base.embedding.data[i] * base.eigenvalues[i % 3] ** 4;
    assert.ok(Math.abs(value - expected) <= 1e-6 * Math.abs(expected));
  }
  assert.equal(map.transform(points).data, map.embedding.data);
});

test('clusters are found and predicted: moons and blobs', async () => {
  const cases = { twoMoons, blobs } as const;
  for (const [name, draw] of Object.entries(cases)) {
    const { train, test: unseen } = trainAndTest(draw as typeof twoMoons, { n: 500, seed: 4 });
    const clusters = new Set(train.labels).size;
    // oxlint-disable-next-line no-await-in-loop -- a few quick fits
    const fitted = await new SpectralClustering({ clusters }).fit(train.points);
    assert.ok(fitted.converged, name);
    assert.ok(accuracy(fitted.labels, train.labels!) > 0.98, `${name} ${accuracy(fitted.labels, train.labels!)}`);
    const predicted = fitted.predict(unseen.points);
    assert.ok(accuracy(predicted, unseen.labels!) > 0.98, `${name} ${accuracy(predicted, unseen.labels!)}`);
    assert.is(
      fitted.sizes.reduce((sum, size) => sum + size, 0),
      500,
    );
    assert.equal(fitted.predict(train.points), fitted.labels, 'the centers are kept');
  }
});

test('progress is reported, and an abort stops the fit', async () => {
  const { points } = oneMoon({ n: 400, seed: 1 });
  const reported: number[] = [];
  await new SpectralEmbedding().fit(points, { progress: (fraction) => void reported.push(fraction) });
  assert.is(reported[reported.length - 1], 1);
  const reason = new Error('enough');
  try {
    await new SpectralEmbedding().fit(points, { signal: AbortSignal.abort(reason) });
    assert.unreachable();
  } catch (error) {
    assert.is(error, reason);
  }
});

test('invalid input is refused', async () => {
  const { points } = oneMoon({ n: 100, seed: 1 });
  const refused = async (call: () => Promise<unknown>, message: RegExp): Promise<void> => {
    const error = await call().then(
      () => new Error('nothing was refused'),
      (problem: Error) => problem,
    );
    assert.match(error.message, message);
  };
  assert.throws(() => new SpectralEmbedding({ components: 0 }), /components to be a whole number, at least 1, got 0/);
  assert.throws(() => new SpectralClustering({ clusters: 0 }), /clusters to be a whole number, at least 1, got 0/);
  assert.throws(() => new DiffusionMap({ time: -1 }), /^DiffusionMap: expected a time of at least 0, got -1\.$/);
  await refused(
    () => new SpectralEmbedding({ components: 100 }).fit(points),
    /^SpectralEmbedding\.fit: expected at most 99 components, one less than points, got 100\.$/,
  );
  await refused(
    () => new SpectralEmbedding({ components: 20, landmarks: 20 }).fit(points),
    /^SpectralEmbedding\.fit: expected components below 20, the number of landmarks, got 20\. Request more landmarks\.$/,
  );
  const bad = points.copy();
  bad.data[5] = NaN;
  await refused(() => new SpectralEmbedding().fit(bad), /finite numbers in points, got NaN at row 2, column 1\.$/);
  await refused(
    () => new SpectralEmbedding().fit([[1, 2], [3]]),
    /^tensor: expected an array of length 2 at \[1\], got 1/,
  );
  await refused(() => new SpectralEmbedding().fit([[1, 2]]), /at least two points|at most/);
  const graph = await buildGraph(points.rowRange(0, 50), { kind: 'knn', neighbors: 5 });
  await refused(() => new SpectralEmbedding().fit(points, { graph }), /expected a graph of 100 nodes, .* got 50\.$/);
  const fitted = await new SpectralEmbedding().fit(points);
  assert.throws(
    () => fitted.transform(zeros([3, 5])),
    /^SpectralEmbedding\.transform: expected 2 columns as in fit, got 5\.$/,
  );
});

test('the unit of the points does not matter to a network: meters or millimeters, dense or sparse', async () => {
  const { points } = oneMoon({ n: 200, seed: 1 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 10 });
  for (const options of [
    { method: 'ritz', hidden: [16] },
    { method: 'specnet2', hidden: [16], training: { epochs: 2 } },
    { hidden: [16], training: { epochs: 2 } },
  ] as const) {
    for (const factor of [1024, 1 / 1024]) {
      // The largest coordinate of the moon is near 1, so the factor is the scale of the points.
      const other = points.copy();
      for (let i = 0; i < other.size; i++) other.data[i] *= factor;
      const fit = (from: Tensor) => new SpectralEmbedding(options).fit(from, { graph });
      // oxlint-disable-next-line no-await-in-loop -- small fits
      const [one, two] = [await fit(points), await fit(other)];
      assert.equal(two.embedding.data, one.embedding.data, `${factor}`);
      assert.equal(two.transform(fromDense(other)).data, one.transform(fromDense(points)).data);
    }
  }
});

test('defaults suit few points and many components', async () => {
  const { points } = oneMoon({ n: 150, seed: 1 });
  const three = points.rowRange(0, 3);
  const training = { epochs: 1 };
  const few = await new SpectralEmbedding({ components: 1, method: 'specnet2', hidden: [4], training }).fit(three);
  assert.equal(few.embedding.shape, [3, 1]);
  const many = await new SpectralEmbedding({ components: 100, method: 'ritz' }).fit(points);
  assert.equal(many.embedding.shape, [150, 100]);
});

test('every method refuses isolated nodes in the name of fit', async () => {
  const graph = graphFrom(
    fromDense(
      tensor([
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
      ]),
    ),
  );
  const points = tensor([
    [0, 0],
    [1, 1],
    [5, 5],
  ]);
  for (const method of ['regression', 'ritz', 'specnet1', 'specnet2'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- refused at once
    const error = await new SpectralEmbedding({ components: 1, method }).fit(points, { graph }).catch((e: Error) => e);
    assert.match(
      (error as Error).message,
      /^SpectralEmbedding\.fit: expected no isolated nodes, got 1 of degree 0 \(2\)/,
    );
  }
});

/** Rounding depends on which rows are evaluated together. */
function alike(a: Tensor, b: Tensor): boolean {
  return a.data.every((value, i) => Math.abs(value - b.data[i]) < 1e-4);
}

function columnOf(table: Tensor, j: number): number[] {
  return Array.from({ length: table.rows }, (_, i) => table.at(i, j));
}

/** Spearman's rank correlation. */
function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const ranksOf = (values: readonly number[]): number[] => {
    const ranks = values.map(() => 0);
    for (const [rank, i] of values
      .map((_, k) => k)
      .toSorted((p, q) => values[p] - values[q])
      .entries())
      ranks[i] = rank;
    return ranks;
  };
  const [left, right] = [ranksOf(a), ranksOf(b)];
  const middle = (a.length - 1) / 2;
  let [product, square] = [0, 0];
  for (const [i, rank] of left.entries()) {
    product += (rank - middle) * (right[i] - middle);
    square += (rank - middle) ** 2;
  }
  return product / square;
}

test.run();
