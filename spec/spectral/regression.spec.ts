import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon, trainAndTest, twoMoons } from '../../datasets/index.ts';
import { buildGraph, graphFrom, Random, SpectralEmbedding, spectrum } from '../../lib/index.ts';
import type { Graph, Tensor } from '../../lib/index.ts';
import { principalAngles, relativeErrors } from '../../lib/doors/linalg.ts';
import { chooseLandmarks, Mlp } from '../../lib/doors/network.ts';
import { train, type TrainOptions } from '../../lib/doors/solver.ts';
import { fromDense, fromTriplets, toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runAsync, runSync } from '../../lib/core/task.ts';
import { factorInPlace } from '../../lib/linalg/cholesky.ts';
import { solveLeftInPlace } from '../../lib/linalg/triangular.ts';
import { leastSquaresSteps } from '../../lib/spectral/regression/least-squares.ts';
import { normalMatrixSteps, wholeFeatures } from '../../lib/spectral/regression/normal-equations.ts';
import { trainOnTargetsSteps } from '../../lib/spectral/train/supervised.ts';
import { eigenvectorTargetsSteps } from '../../lib/spectral/regression/targets.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';
import { centralDifference } from '../network/difference.ts';

const test = suite('regression');

async function moon(n = 400): Promise<{ graph: Graph; points: Tensor }> {
  const { points } = oneMoon({ n, seed: 1 });
  return { graph: await buildGraph(points, { kind: 'gaussian', sigma: 0.3, threshold: 0.3 }), points };
}

test('the step follows central differences of the squared distance, weighted by degrees', async () => {
  const { graph, points } = await moon(60);
  const network = new Mlp([2, 5, 2], { activation: 'tanh', precision: 'double', seed: 3 });
  const { rows: targets } = await runAsync(eigenvectorTargetsSteps(graph, 2), {});
  const batch = [0, 1, 2, 3];
  const meanDegree = graph.volume / graph.size;
  const loss = (): number => {
    const y = network.evaluate(points.copy('double'));
    let sum = 0;
    for (const i of batch) {
      for (const j of [0, 1]) sum += (graph.degrees[i] / meanDegree / 8) * (y.at(i, j) - targets.at(i, j)) ** 2;
    }
    return sum;
  };
  // One step of plain gradient descent with rate 1 on the first rows: a copy moves by minus the gradient.
  const moved = network.copy();
  const options = { optimizer: { kind: 'sgd' }, rate: 1, batch: batch.length, order: 'cyclic' } as const;
  trainOnTargetsSteps({ graph, network: moved, points: points.copy('double'), options }, targets).next();
  for (const [p, { data }] of network.parameters.entries()) {
    for (let i = 0; i < data.length; i++) {
      const slope = centralDifference(data, i, loss);
      const gradient = data[i] - moved.parameters[p].data[i];
      assert.ok(Math.abs(slope - gradient) < 1e-8, `parameter ${p}, entry ${i}`);
    }
  }
});

test('targets are the nontrivial eigenvectors, also if the graph is disconnected', async () => {
  const { graph } = await moon();
  const { rows, converged } = await runAsync(eigenvectorTargetsSteps(graph, 3), {});
  assert.ok(converged);
  const errors = relativeErrors(rows, columns((await spectrum(graph, { count: 4 })).vectors, 1, 4), graph.degrees);
  assert.ok(Math.max(...errors) < 1e-4, `${errors}`);
  const pairs = Array.from({ length: 6 }, (_, i) => [2 * i, 2 * i + 1]).flat();
  const parts = graphFrom(
    fromTriplets({ rows: pairs, columns: pairs.map((i) => i ^ 1), values: pairs.map(() => 1) }, [12, 12]),
  );
  const { rows: partRows } = await runAsync(eigenvectorTargetsSteps(parts, 2), {});
  for (const j of [0, 1]) {
    let mean = 0;
    for (let i = 0; i < 12; i++) mean += parts.degrees[i] * partRows.at(i, j);
    assert.ok(Math.abs(mean) < 1e-8, `${mean}`);
  }
});

test('least squares solves the normal equations, and reports the explained fraction', async () => {
  const { graph, points } = await moon();
  const features = chooseLandmarks(points, { count: 30, neighbors: 4 }).features(points);
  const targets = zeros([400, 3], 'double');
  new Random(2).fillNormal(targets.data);
  const dense = toDense(features);
  for (let i = 0; i < 400; i++) targets.data[3 * i + 2] = dense.at(i, 7); // in the span of the features
  const { weights, explained, converged } = runSync(leastSquaresSteps(wholeFeatures(features), graph.degrees, targets));
  assert.ok(converged);
  const gram = zeros([30, 30], 'double');
  const right = zeros([30, 3], 'double');
  for (let i = 0; i < 400; i++) {
    for (let s = 0; s < 30; s++) {
      const weight = graph.degrees[i] * dense.at(i, s);
      for (let t = 0; t < 30; t++) gram.data[30 * s + t] += weight * dense.at(i, t);
      for (let j = 0; j < 3; j++) right.data[3 * s + j] += weight * targets.at(i, j);
    }
  }
  for (let s = 0; s < 30; s++) gram.data[31 * s] *= 1 + 1e-3;
  factorInPlace('spec', gram, '');
  solveLeftInPlace(30, 3, true, false, gram.data, right.data);
  solveLeftInPlace(30, 3, true, true, gram.data, right.data);
  // The gradient is at most 1e-6 of the targets' norm, and the smallest eigenvalue is the ridge.
  for (let i = 0; i < right.size; i++) assert.ok(Math.abs(right.data[i] - weights.data[i]) < 1e-3, `${i}`);
  assert.ok(explained[0] > 0 && explained[0] < 0.2 && explained[2] > 0.999, `${explained}`);
});

test('the matrix of the normal equations is the same, summed or applied', async () => {
  const { graph, points } = await moon();
  // 30² and 80² pairs are few for 1,600 entries of the features, 400² are too many to look at.
  const cases = [30, 80, 400].map((count) => chooseLandmarks(points, { count, neighbors: 4 }).features(points));
  // Features without an order have a sum of more than 800 nonzeros, which takes longer than 400 entries twice.
  const scattered = zeros([100, 80], 'double');
  const random = new Random('scattered');
  for (let e = 0; e < 400; e++) scattered.data[80 * (e % 100) + random.integer(80)] = 1 + random.uniform();
  for (const features of [...cases, fromDense(scattered)]) {
    const count = features.cols;
    const [x, got, want] = [0, 1, 2].map(() => new Float64Array(3 * count));
    new Random(3).fillNormal(x);
    const product = runSync(normalMatrixSteps(wholeFeatures(features), graph.degrees));
    runSync(product(3, x, got));
    // Without the whole matrix, products are summed point by point: the same bits.
    const apart = runSync(normalMatrixSteps({ ...wholeFeatures(features), whole: null }, graph.degrees));
    runSync(apart(3, x, want));
    assert.equal(got, want);
    want.fill(0);
    const dense = toDense(features);
    for (let i = 0; i < features.rows; i++) {
      for (let j = 0; j < 3; j++) {
        let image = 0;
        for (let s = 0; s < count; s++) image += dense.at(i, s) * x[3 * s + j];
        for (let s = 0; s < count; s++) want[3 * s + j] += graph.degrees[i] * dense.at(i, s) * image;
      }
    }
    for (let at = 0; at < got.length; at++) assert.ok(Math.abs(got[at] - want[at]) < 1e-11, `${count}: ${at}`);
  }
});

test('a network comes near the eigenvectors within seconds, for points never seen as well', async () => {
  const { train: seen, test: unseen } = trainAndTest(twoMoons, { n: 1000, seed: 3 });
  const graph = await buildGraph(seen.points, { kind: 'gaussian', sigma: 0.15, threshold: 0.08 });
  const truth = columns((await spectrum(graph, { count: 3 })).vectors, 1, 3);
  const fitted = await new SpectralEmbedding({ hidden: [64, 64] }).fit(seen.points, { graph });
  assert.is(fitted.model.kind, 'network');
  const errors = relativeErrors(fitted.embedding, truth, graph.degrees);
  assert.ok(Math.max(...errors) < 0.05, `${errors}`);
  const first = fitted.transform(unseen.points);
  const side = (i: number): number => Number(first.at(i, 0) > 0);
  let same = 0;
  for (let i = 0; i < 1000; i++) same += Number(side(i) === unseen.labels![i]);
  assert.ok(Math.max(same, 1000 - same) > 990, `${same}`);
});

test('a pause changes no bit, and an abort stops the search for eigenvectors', async () => {
  const { graph, points } = await moon();
  const options: TrainOptions = { method: 'regression', epochs: 6, seed: 5 };
  const whole = new Mlp([2, 16, 2], { seed: 1 });
  await train(graph, whole, points, options);
  const stopped = new AbortController();
  let state = null as TrainOptions['from'] | null;
  const onEpoch: TrainOptions['onEpoch'] = (reported) => {
    if (reported.epoch === 3) state = reported.state();
  };
  await train(graph, new Mlp([2, 16, 2], { seed: 1 }), points, { ...options, onEpoch });
  const other = new Mlp([2, 16, 2], { seed: 77 });
  await train(graph, other, points, { ...options, from: state! });
  for (const [p, { data }] of whole.parameters.entries()) assert.equal(other.parameters[p].data, data);

  const many = zeros([40_000, 3]);
  new Random(1).fillNormal(many.data);
  const large = await buildGraph(many, { kind: 'knn', neighbors: 10 });
  const reported: number[] = [];
  const progress = (fraction: number): void => {
    reported.push(fraction);
    stopped.abort(new Error('enough'));
  };
  const error = await runAsync(eigenvectorTargetsSteps(large, 5), { progress, signal: stopped.signal }).catch(
    (e: Error) => e,
  );
  assert.is((error as Error).message, 'enough');
  assert.ok(reported.length === 1 && reported[0] < 1, `${reported}`);
});

test('options that are not for regression are refused', async () => {
  const { graph, points } = await moon(100);
  const cases: [options: TrainOptions, message: RegExp][] = [
    [{ scheme: 'full' }, /^train: expected no scheme for regression, got full\.$/],
    [{ scale: 'plain' }, /^train: expected no scale for regression, got plain\.$/],
    [{ through: false }, /^train: expected no through for regression, got false\.$/],
  ];
  for (const [options, message] of cases) {
    const call = train(graph, new Mlp([2, 2]), points, { method: 'regression', ...options });
    // oxlint-disable-next-line no-await-in-loop -- one at a time
    assert.match(await call.then(String, (error: Error) => error.message), message);
  }
});

test('an eigenvector of a few odd points is passed over: landmarks do not tell it', async () => {
  // Two distant points, connected only to each other: their indicator has eigenvalue 1 and no landmark.
  const { points: near } = oneMoon({ n: 2000, seed: 4 });
  const points = zeros([2002, 2]);
  points.data.set(near.data);
  points.data.set([50, 50, 50.01, 50], 4000);
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  assert.is(graph.components.count, 2);
  const fitted = await new SpectralEmbedding({ landmarks: 256 }).fit(points, { graph });
  assert.not.ok(
    Array.from((fitted.model as { landmarks: { centers: Tensor } }).landmarks.centers.data).some((x) => x > 40),
  );
  const truth = columns((await spectrum(graph, { count: 4 })).vectors, 2, 4);
  const errors = relativeErrors(fitted.embedding, truth, graph.degrees);
  assert.ok(Math.max(...errors) < 0.05, `${errors}`);
});

test('on landmarks, the span of least squares is nearer to the eigenvectors than that of the Ritz head and has no smaller f2', async () => {
  const { points } = twoMoons({ seed: 2 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
  const truth = columns((await spectrum(graph, { count: 5 })).vectors, 1, 5);
  const [regression, ritz] = await Promise.all(
    (['regression', 'ritz'] as const).map((method) =>
      new SpectralEmbedding({ components: 4, landmarks: 256, method }).fit(points, { graph }),
    ),
  );
  const distance = (x: Tensor): number =>
    principalAngles(x, truth, graph.degrees).reduce((sum, angle) => sum + Math.sin(angle) ** 2, 0);
  const [near, far] = [distance(regression.embedding), distance(ritz.embedding)];
  assert.ok(near < 0.7 * far, `${near} ${far}`);
  const f2 = (values: Float64Array): number => -values.reduce((sum, value) => sum + value ** 2, 0);
  assert.ok(f2(regression.eigenvalues) >= f2(ritz.eigenvalues) - 1e-6);
  assert.equal(regression.transform(points).data, regression.embedding.data);
});

test.run();
