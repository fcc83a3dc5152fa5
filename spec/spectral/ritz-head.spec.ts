import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { oneMoon, trainAndTest, twoMoons } from '../../datasets/index.ts';
import { buildGraph, CsrMatrix, type Graph, graphFrom, Random, spectrum, type Tensor } from '../../lib/index.ts';
import { addBias, matmul } from '../../lib/doors/autodiff.ts';
import { relativeErrors } from '../../lib/doors/linalg.ts';
import { type Body, chooseLandmarks, hiddenLayers, Landmarks, Mlp, type Points } from '../../lib/doors/network.ts';
import { stepwiseBody } from '../../lib/network/bodies/body.ts';
import { type RitzHead, ritzHead } from '../../lib/doors/solver.ts';
import { fromTriplets, toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runSync } from '../../lib/core/task.ts';
import { featurePencilSteps } from '../../lib/spectral/ritz/feature-pencil.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';

const test = suite('ritz head');

const moonRecipe = { kind: 'gaussian', sigma: 0.2, threshold: 0.6 } as const;

function embed(body: Body, points: Points, { weights, bias }: RitzHead): Tensor {
  const features = body.features(points);
  return addBias(features instanceof CsrMatrix ? matmul(features, weights) : matmul(features, weights), bias);
}

const bodies = (points: Tensor): Record<string, Body> => ({
  network: hiddenLayers(new Mlp([2, 12, 1], { seed: 5 })),
  landmarks: chooseLandmarks(points, { count: 20, neighbors: 3 }),
});

/** HᵀDH and Hᵀ(D − W)H of centered features, entry by entry. */
function pencilByHand(graph: Graph, features: Tensor): { energy: Tensor; covariance: Tensor } {
  const [n, h] = [features.rows, features.cols];
  const w = toDense(graph.weights);
  const means = Array.from({ length: h }, (_, s) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += graph.degrees[i] * features.at(i, s);
    return sum / graph.volume;
  });
  const energy = zeros([h, h], 'double');
  const covariance = zeros([h, h], 'double');
  for (let s = 0; s < h; s++) {
    for (let t = 0; t < h; t++) {
      for (let i = 0; i < n; i++) {
        covariance.data[s * h + t] +=
          graph.degrees[i] * (features.at(i, s) - means[s]) * (features.at(i, t) - means[t]);
        for (let j = 0; j < n; j++) {
          const [left, right] = [features.at(i, s) - features.at(j, s), features.at(i, t) - features.at(j, t)];
          energy.data[s * h + t] += (w.at(i, j) * left * right) / 2;
        }
      }
    }
  }
  return { energy, covariance };
}

test('the pencil is that of the definition, held whole or block by block, from dense and from sparse features', async () => {
  const { points } = oneMoon({ n: 90, seed: 1 });
  const graph = await buildGraph(points, { ...moonRecipe, sigma: 0.5 });
  for (const [name, body] of Object.entries(bodies(points))) {
    const features = body.features(points);
    const expected = pencilByHand(graph, features instanceof CsrMatrix ? toDense(features) : features);
    for (const memory of [2 ** 20, 0]) {
      const pencil = runSync(featurePencilSteps(graph, stepwiseBody(name, body), points, memory));
      for (const part of ['energy', 'covariance'] as const) {
        const scale = Math.max(...expected[part].data);
        for (let i = 0; i < expected[part].size; i++) {
          const difference = Math.abs(pencil[part].data[i] - expected[part].data[i]);
          assert.ok(difference < 1e-7 * scale, `${name}, memory ${memory}, ${part}: ${difference / scale}`);
        }
      }
    }
  }
});

test('features that hardly vary have the energy of their differences, not of their mean', async () => {
  const { points } = oneMoon({ n: 90, seed: 1 });
  const graph = await buildGraph(points, { ...moonRecipe, sigma: 0.5 });
  const features = zeros([90, 2]);
  for (let i = 0; i < features.size; i++) features.data[i] = 1 + 1e-5 * points.data[i];
  const body: Body = { inputs: 2, outputs: 2, features: () => features };
  const expected = pencilByHand(graph, features).energy;
  const { energy } = runSync(featurePencilSteps(graph, stepwiseBody('spec', body), points, 2 ** 20));
  const scale = Math.max(...expected.data);
  for (let i = 0; i < 4; i++) {
    const difference = Math.abs(energy.data[i] - expected.data[i]) / scale;
    assert.ok(difference < 1e-6, `differs by ${difference}`);
  }
});

test('blocks and their neighbors make the same head as everything at once, for many blocks', async () => {
  const { points } = oneMoon({ n: 1500, seed: 1 });
  const graph = await buildGraph(points, moonRecipe);
  for (const [name, body] of Object.entries(bodies(points))) {
    const whole = await ritzHead(graph, body, points, { components: 2 });
    const blocks = await ritzHead(graph, body, points, { components: 2, memory: 0 });
    for (const j of [0, 1]) assert.ok(Math.abs(whole.eigenvalues[j] - blocks.eigenvalues[j]) < 1e-9, name);
  }
});

test('features that can be anything give the eigenpairs themselves', async () => {
  const { points } = oneMoon({ n: 200, seed: 2 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 12 });
  const truth = await spectrum(graph, { count: 4 });
  const body = new Landmarks(points, 1); // the feature of a point is the point itself
  const head = await ritzHead(graph, body, points, { components: 3, ridge: 1e-9 });
  assert.ok(head.converged);
  for (const j of [0, 1, 2]) assert.ok(Math.abs(head.eigenvalues[j] - truth.values[j + 1]) < 1e-9);
  const errors = relativeErrors(embed(body, points, head), columns(truth.vectors, 1, 4));
  assert.ok(Math.max(...errors) < 1e-4, `${errors}`);
});

test('quotients never exceed the eigenvalues, columns are D-orthogonal to each other and to the constant', async () => {
  const { points } = oneMoon({ n: 400, seed: 4 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 15 });
  const truth = await spectrum(graph, { count: 5 });
  for (const [name, body] of Object.entries(bodies(points))) {
    const head = await ritzHead(graph, body, points, { components: 4 });
    const y = embed(body, points, head);
    for (let j = 0; j < 4; j++) {
      assert.ok(head.eigenvalues[j] <= truth.values[j + 1] + 1e-9, `${name}, ${j}`);
      for (let k = 0; k <= j; k++) {
        let product = 0;
        for (let i = 0; i < 400; i++) product += graph.degrees[i] * y.at(i, j) * y.at(i, k);
        assert.ok(Math.abs(product / graph.volume - (j === k ? 1 : 0)) < 1e-3, `${name}, ${j}, ${k}: ${product}`);
      }
      let mean = 0;
      for (let i = 0; i < 400; i++) mean += graph.degrees[i] * y.at(i, j);
      assert.ok(Math.abs(mean / graph.volume) < 1e-3, `${name}, ${j}`);
    }
  }
});

test('one moon, 128 units that were never trained: within 0.015 and 0.03 of the eigenvectors', async () => {
  for (const seed of [1, 2, 3, 4]) {
    const { points } = oneMoon({ seed });
    const graph = await buildGraph(points, moonRecipe);
    const truth = columns((await spectrum(graph, { count: 3 })).vectors, 1, 3);
    const body = hiddenLayers(new Mlp([2, 128, 2], { seed }));
    const [first, second] = relativeErrors(
      embed(body, points, await ritzHead(graph, body, points, { components: 2 })),
      truth,
    );
    assert.ok(first < 0.015 && second < 0.03, `seed ${seed}: ${first}, ${second}`);
  }
});

test('two moons, landmarks: a sign tells the moons apart, for points never seen too', async () => {
  for (const seed of [1, 2, 3]) {
    const { train, test: unseen } = trainAndTest(twoMoons, { seed });
    const graph = await buildGraph(train.points, { kind: 'gaussian', sigma: 0.15, threshold: 0.08 });
    const body = chooseLandmarks(train.points, { count: 256, seed });
    const head = await ritzHead(graph, body, train.points, { components: 1 });
    for (const { points, labels } of [train, unseen]) {
      const y = embed(body, points, head);
      const agree = Array.from(labels!).filter((label, i) => y.data[i] > 0 === (label === 1)).length / points.rows;
      assert.ok(Math.max(agree, 1 - agree) >= 0.995, `seed ${seed}: ${agree}`);
    }
  }
});

test('a graph in two parts has the eigenvalue 1 twice, and features that tell the parts apart find it', async () => {
  const n = 40;
  const rows = Array.from({ length: n - 2 }, (_, k) => (k < n / 2 - 1 ? k : k + 1));
  const next = rows.map((i) => i + 1);
  const edges = { rows: [...rows, ...next], columns: [...next, ...rows], values: Array(2 * rows.length).fill(1) };
  const graph = graphFrom(fromTriplets(edges, [n, n]));
  const points = zeros([n, 1]);
  for (let i = 0; i < n; i++) points.data[i] = i;
  const body = new Landmarks(points, 1);
  const { eigenvalues } = await ritzHead(graph, body, points, { components: 2, ridge: 1e-10 });
  assert.ok(Math.abs(eigenvalues[0] - 1) < 1e-8, `${eigenvalues[0]}`);
  assert.ok(eigenvalues[1] < 0.999);
});

test('units that resemble each other get a head whose terms do not cancel: single precision keeps five digits', async () => {
  const { points } = twoMoons({ n: 600, seed: 1 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
  const digits = async (activation: 'softplus' | 'sigmoid' | 'relu', ridge?: number): Promise<number> => {
    const network = new Mlp([2, 64, 64, 2], { activation, seed: 1 });
    const options = { components: 2, ...(ridge !== undefined && { ridge }) };
    const { weights, bias } = await ritzHead(graph, hiddenLayers(network), points, options);
    network.layers[2].weights.data.set(weights.data);
    network.layers[2].bias.data.set(bias.data);
    const exact = new Mlp([2, 64, 64, 2], { activation, precision: 'double' });
    for (const [p, { data }] of exact.parameters.entries()) data.set(network.parameters[p].data);
    const [single, double] = [network.evaluate(points), exact.evaluate(points.copy('double'))];
    const largest = Math.max(...double.data.map(Math.abs));
    return Math.max(...single.data.map((x, i) => Math.abs(x - double.data[i]))) / largest;
  };
  for (const activation of ['softplus', 'sigmoid', 'relu'] as const) {
    const error = await digits(activation);
    assert.ok(error < 1e-5, `${activation}: ${error}`);
  }
  assert.ok((await digits('softplus', 1e-6)) > 2e-5, 'a given ridge is used');

  const ridgeOf = async (activation: 'softplus' | 'relu', options = {}): Promise<number> => {
    const body = hiddenLayers(new Mlp([2, 64, 64, 2], { activation, seed: 1 }));
    return (await ritzHead(graph, body, points, { components: 2, ...options })).ridge;
  };
  assert.is(await ridgeOf('relu'), 1e-6);
  assert.ok((await ridgeOf('softplus')) > 9e-6, 'the ridge used is reported');
  assert.is(await ridgeOf('softplus', { ridge: 3e-7 }), 3e-7);
});

test('invalid input is refused', async () => {
  const { points } = oneMoon({ n: 60, seed: 1 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 8 });
  const body = hiddenLayers(new Mlp([2, 5, 1]));
  const call = (options: object, data: Points = points, on: Body = body) =>
    ritzHead(graph, on, data, { components: 1, ...options });
  await rejects(
    () => call({ components: 0 }),
    /^ritzHead: expected components to be a whole number, at least 1, got 0/,
  );
  await rejects(() => call({ components: 6 }), /^ritzHead: expected at most 5 components, as many as features, got 6/);
  await rejects(() => call({}, points.rowRange(0, 9)), /^ritzHead: expected 60 points, one for each node, got 9\.$/);
  await rejects(() => call({}, zeros([60, 3])), /^ritzHead: expected points of 2 columns, got 3\.$/);
  const constant: Body = { inputs: 2, outputs: 3, features: ({ rows }) => zeros([rows, 3]) };
  await rejects(
    () => call({}, points, constant),
    /^ritzHead: expected features that vary over the points, got constants/,
  );
  const random = new Random(1);
  const twice: Body = {
    inputs: 2,
    outputs: 130,
    features: ({ rows }) => {
      const result = zeros([rows, 130]);
      for (let i = 0; i < rows; i++) result.data.fill(random.normal(), 130 * i, 130 * i + 130);
      return result;
    },
  };
  await rejects(
    () => call({ ridge: 0 }, points, twice),
    /^ritzHead: expected independent features, got feature 1 that/,
  );
});

test.run();
