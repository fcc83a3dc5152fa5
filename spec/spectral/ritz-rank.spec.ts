import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import {
  buildGraph,
  type Graph,
  graphFrom,
  Random,
  SpectralEmbedding,
  spectrum,
  type Tensor,
  tensor,
} from '../../lib/index.ts';
import { chooseLandmarks, hiddenLayers, Mlp } from '../../lib/doors/network.ts';
import { ritzHead } from '../../lib/doors/solver.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { ritzHeadSteps } from '../../lib/spectral/ritz/ritz-head.ts';

const test = suite('ritz head on few points');

function normals(n: number, d: number, seed: number): Tensor {
  const points = zeros([n, d]);
  new Random(seed).fillNormal(points.data);
  return points;
}

/** The eigenvalues of a fit, or the error message. */
async function fitted(points: Tensor, graph: Graph, components: number): Promise<Float64Array | string> {
  return new SpectralEmbedding({ components }).fit(points, { graph }).then(
    ({ eigenvalues }) => eigenvalues,
    (error: Error) => error.message,
  );
}

for (const n of [3, 4, 5, 17, 20]) {
  test(`of ${n} points there are all components, or as many as the refusal says`, async () => {
    const points = normals(n, 2, n);
    const graph = await buildGraph(points, { kind: 'knn', neighbors: Math.min(4, n) });
    const truth = (await spectrum(graph, { count: n })).values.subarray(1);
    let found = await fitted(points, graph, n - 1);
    if (typeof found === 'string') {
      const rule =
        /^SpectralEmbedding\.fit: expected at most (\d+) components, all that the features of these points allow, got/;
      assert.match(found, rule);
      found = await fitted(points, graph, Number(rule.exec(found)![1]));
    }
    assert.instance(found, Float64Array);
    for (const [k, value] of (found as Float64Array).entries()) {
      assert.ok(value <= truth[k] + 1e-7, `${k}: ${value} above ${truth[k]}`);
      if (n <= 4) assert.ok(value >= truth[k] - 1e-7, `${k}: ${value} below ${truth[k]}`);
    }
  });
}

for (const n of [50, 300]) {
  test(`${n} points at two places have one component, and no more`, async () => {
    const points = zeros([n, 2]);
    for (let i = 0; i < n; i += 2) points.data[2 * i] = 1;
    const graph = await buildGraph(points, { kind: 'gaussian', sigma: 1 });
    const [value] = (await fitted(points, graph, 1)) as Float64Array;
    assert.ok(Math.abs(value - (await spectrum(graph, { count: 2 })).values[1]) < 1e-6);
    assert.is(
      await fitted(points, graph, 2),
      'SpectralEmbedding.fit: expected at most 1 components, all that the features of these points allow, got 2. ' +
        'Repeated points count once. Ask for 1 component.',
    );
  });
}

test('points at one place are refused', async () => {
  const points = zeros([40, 2]);
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: 1 });
  assert.is(
    await fitted(points, graph, 1),
    'SpectralEmbedding.fit: expected points that differ from each other, got 40 copies of one point. ' +
      'Coordinates are functions of the point. Check how the points were read.',
  );
});

test('the quotients of nearly dependent features are not above the eigenvalues of the graph', async () => {
  const n = 9;
  const points = normals(n, 2, 4);
  // In a complete graph every eigenvalue but the first is 0, so that a quotient is an error.
  const graph = graphFrom(fromDense(tensor(Array.from({ length: n }, () => new Array<number>(n).fill(1)))));
  for (const [apart, mean] of [
    [1, 0],
    [1e-2, 0],
    [1e-4, 0],
    [1, 1e6],
  ]) {
    const features = zeros([n, 2]);
    for (let i = 0; i < n; i++) {
      features.data[2 * i] = mean + points.data[2 * i];
      features.data[2 * i + 1] = mean + points.data[2 * i] + apart * points.data[2 * i + 1];
    }
    const body = { inputs: 2, outputs: 2, features: () => features };
    const { eigenvalues } = await ritzHead(graph, body, points, { components: 2 });
    assert.ok(
      eigenvalues.every((value) => Math.abs(value) < 1e-6),
      `${apart}, ${mean}: ${eigenvalues.join()}`,
    );
  }
});

test('without hidden layers the points themselves are the features', async () => {
  const points = normals(60, 3, 1);
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 8 });
  const { weights } = await ritzHead(graph, hiddenLayers(new Mlp([3, 1])), points, { components: 3 });
  assert.equal(weights.shape, [3, 3]);
  const linear = await new SpectralEmbedding({ components: 3, hidden: [] }).fit(points, { graph });
  assert.ok(linear.model.kind === 'network' && linear.model.network.layers.length === 1);
  // Each unit is active on a half-space, and this many units nearly span the linear functions.
  const bent = await new SpectralEmbedding({ components: 3, hidden: [100] }).fit(points, { graph });
  for (const k of [0, 1, 2]) assert.ok(linear.eigenvalues[k] <= bent.eigenvalues[k] + 1e-6);
});

test('bad arguments of ritzHead are refused', async () => {
  const points = normals(30, 2, 1);
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 8 });
  const body = hiddenLayers(new Mlp([2, 10, 1]));
  await rejects(
    () => ritzHead(graph, body, points, null as never),
    /^ritzHead: expected an object of options, got null/,
  );
  await rejects(
    () => ritzHead(graph, null as never, points, { components: 1 }),
    /^ritzHead: expected a body that makes features, got null\. Landmarks are one/,
  );
  for (const ridge of [-1, NaN, Infinity]) {
    const message = new RegExp(`^ritzHead: expected ridge to be at least 0, and finite, got ${ridge}\\.$`);
    await rejects(() => ritzHead(graph, body, points, { components: 1, ridge }), message);
  }
  await rejects(() => ritzHead(graph, body, points, { components: 1, memory: NaN }), /memory to be at least 0 bytes/);
});

test('the work is done in small steps, whose fractions rise', async () => {
  const points = normals(1200, 2, 1);
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 8 });
  const landmarks = chooseLandmarks(points, { count: 400 });
  const fractions = [...ritzHeadSteps('spec', graph, landmarks, points, { components: 2 })];
  assert.equal(
    fractions,
    fractions.toSorted((a, b) => a - b),
  );
  const within = (from: number, to: number): number => fractions.filter((x) => x >= from && x < to).length;
  assert.ok(within(0, 0.3) >= 3, 'features and three blocks of rows');
  assert.ok(within(0.3, 0.58) >= 400 / 8 - 1, 'Cholesky factor');
  assert.ok(within(0.58, 1) > 96, 'products of Lanczos, at least those of the first basis');
});

test.run();
