import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  buildGraph,
  DiffusionMap,
  loadModel,
  Random,
  saveModel,
  SpectralClustering,
  SpectralEmbedding,
  spectrum,
  Tensor,
  transform,
} from '../../lib/index.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { centerOf } from '../../lib/embedding/model/point-table.ts';

const test = suite('points as they are given');

/** Normal numbers rounded to multiples of 2⁻²⁰, so that 1e7 is added and subtracted without rounding. */
function normals(n: number, offset = 0, seed = 1): Tensor<Float64Array> {
  const points = zeros([n, 2], 'double');
  new Random(seed).fillNormal(points.data);
  for (let i = 0; i < points.size; i++) points.data[i] = offset + Math.round(points.data[i] * 2 ** 20) / 2 ** 20;
  return points;
}

async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
}

for (const hidden of [undefined, [64]]) {
  test(`an offset of 1e7 changes nothing ${hidden ? 'for a network' : 'for landmarks'}`, async () => {
    const [far, unseen] = [normals(300, 1e7), normals(40, 1e7, 2)];
    const options = { components: 2, ...(hidden && { method: 'ritz' as const, hidden }) };
    const fitted = await new SpectralEmbedding(options).fit(far);
    assert.is(fitted.graph.components.count, 1);
    const graph = await buildGraph(far, { kind: 'knn', neighbors: 16 });
    const truth = (await spectrum(graph, { count: 3 })).values;
    for (const k of [0, 1]) {
      const below = truth[k + 1] - fitted.eigenvalues[k];
      assert.ok(below > -1e-7 && below < (hidden ? 0.02 : 0.003), `${truth[k + 1]} ${fitted.eigenvalues[k]}`);
    }
    assert.equal(fitted.transform(far).data, fitted.embedding.data);
    const loaded = loadModel(saveModel(fitted.model));
    assert.equal(loaded.center, fitted.model.center);
    const coordinates = transform(loaded, unseen).data;
    assert.equal(coordinates, fitted.transform(unseen.toArray()).data);
    assert.equal(coordinates, fitted.transform(fromDense(unseen)).data, 'sparse points are written out');
    // Points 1e-3 apart, a thousandth of what single precision resolves at 1e7, have different coordinates.
    const moved = unseen.copy();
    for (let i = 0; i < moved.size; i++) moved.data[i] += 2 ** -10;
    const others = transform(loaded, moved).data;
    assert.ok(coordinates.every((value, i) => Math.abs(value - others[i]) < 0.1));
    assert.ok(coordinates.some((value, i) => value !== others[i]));
  });
}

test('columns around 0 keep their zeros: the center is for those further from 0 than they are wide', () => {
  assert.is(centerOf(normals(50)), null);
  assert.is(centerOf(new Tensor(Float64Array.of(0, 1, 0.5), [3, 1])), null);
  assert.equal(centerOf(new Tensor(Float64Array.of(5, 0, -7, 6, 1, -9), [2, 3])), Float64Array.of(5.5, 0, -8));
  assert.is(centerOf(fromDense(normals(50, 1e7))), null);
});

test('sparse points that single precision does not tell apart are refused', async () => {
  const far = fromDense(normals(100, 1e9));
  assert.match(
    await messageOf(() => new SpectralEmbedding().fit(far)),
    /^SpectralEmbedding\.fit: expected sparse points that differ in single precision, got equal rows \d+ and \d+\. Pass a dense/,
  );
  const near = normals(100);
  near.data.copyWithin(0, 2, 4); // a repeated point is accepted
  await new SpectralEmbedding().fit(fromDense(near));
});

test('a table that no single center brings near 0 is refused, but not because of one close pair among many', async () => {
  for (const hidden of [undefined, [8]]) {
    const points = normals(300);
    for (let i = 0; i < 300; i++) points.data[2 * i] += 1.7e9;
    points.data[0] = 0; // a missing timestamp
    // oxlint-disable-next-line no-await-in-loop -- refused at once
    const message = await messageOf(() => new SpectralEmbedding({ ...(hidden && { hidden }) }).fit(points));
    assert.match(
      message,
      /^SpectralEmbedding\.fit: expected points whose distances survive rounding to single precision, got \d+ of \d+ distances between neighbors that change by more than 10 %\. /,
    );
  }
  const near = normals(300);
  near.data.copyWithin(0, 2, 4);
  near.data[0] += 1e-12;
  await new SpectralEmbedding().fit(near);
});

test('numbers beyond single precision are refused as they were given', async () => {
  const points = normals(40);
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 5 });
  points.data[3] = -1e39;
  const message = await messageOf(() => new SpectralEmbedding().fit(points, { graph }));
  assert.is(
    message,
    'SpectralEmbedding.fit: expected points of at most 3.4e38, which single precision can hold, got -1e+39 at row 1, column 1.',
  );
  const fitted = await new SpectralEmbedding().fit(normals(40));
  assert.match(
    await messageOf(() => fitted.transform([[1e39, 0]])),
    /^SpectralEmbedding\.transform: .*, got 1e\+39 at row 0/,
  );
});

test('few points have half of them as neighbors if weights are equal, and all of them otherwise', async () => {
  for (const [kind, includeSelf] of [
    [undefined, true],
    ['knn', false],
    ['self-tuned', true],
  ] as const) {
    const graph = kind && { kind, includeSelf };
    // oxlint-disable-next-line no-await-in-loop -- tiny
    const fitted = await new SpectralEmbedding({ components: 1, ...(graph && { graph }) }).fit(normals(9));
    const neighbors = kind === 'self-tuned' ? 9 : 5;
    // oxlint-disable-next-line no-await-in-loop -- tiny
    const expected = await buildGraph(normals(9), { kind: kind ?? 'knn', includeSelf, neighbors });
    assert.is(fitted.graph.weights.nonzeros, expected.weights.nonzeros);
    assert.is(expected.weights.nonzeros === 81, kind === 'self-tuned');
  }
  const graph = { kind: 'knn', neighbors: 10 } as const;
  assert.match(
    await messageOf(() => new SpectralEmbedding({ graph }).fit(normals(9))),
    /at most 9 for 9 points.* got 10/,
  );
  assert.match(await messageOf(() => new SpectralEmbedding({ graph: null as never }).fit(normals(9))), /got null\.$/);
});

test('every estimator refuses bad options by its own name, before it builds a graph', async () => {
  const estimators = { SpectralEmbedding, DiffusionMap, SpectralClustering };
  for (const [name, Estimator] of Object.entries(estimators)) {
    const common = name === 'SpectralClustering' ? { clusters: 2 } : {};
    const make = (options: object | null) => () => new Estimator((options && { ...common, ...options }) as never);
    assert.throws(make(null), new RegExp(`^${name}: expected an object of options, got null\\.$`));
    const bad = { hidden: 5 };
    assert.throws(make(bad), new RegExp(`^${name}: expected hidden to be an array, got 5\\.$`));
    assert.throws(make({ method: 'magic' }), new RegExp(`^${name}: expected method to be .* got magic\\.$`));
    assert.throws(make({ landmarks: 1 }), new RegExp(`^${name}: expected landmarks to be .* got 1\\.$`));
    const idle: [object, RegExp][] = [
      [{ landmarks: 20, hidden: [8] }, /: expected landmarks without hidden, got 20\. /],
      [
        { landmarks: 20, method: 'specnet2' },
        /: expected method 'regression' or 'ritz' with landmarks, got 'specnet2'\. Omit landmarks\.$/,
      ],
      [
        { training: { epochs: 3 } },
        /: expected training together with hidden, got no hidden\. Pass hidden, for example \[128\], or omit training\.$/,
      ],
      [
        { method: 'ritz', training: {} },
        /: expected training together with hidden, got no hidden\. .* omit training\.$/,
      ],
      [{ activation: 'tanh' }, /: expected activation together with hidden, got no hidden\. .* omit activation\.$/],
      [{ hidden: [8], training: 5 }, /: expected training to be an object of options, got 5\.$/],
      [{ hidden: [8], activation: 'cube' }, /: expected activation to be 'relu' or .*, got cube\.$/],
    ];
    for (const [options, pattern] of idle) {
      assert.throws(make(options), new RegExp(`^${name}${pattern.source}`));
    }
    // oxlint-disable-next-line no-await-in-loop -- refused at once
    const message = await messageOf(() => new Estimator(common as never).fit(normals(20), null as never));
    assert.is(message, `${name}.fit: expected an object of options, got null.`);
  }
  assert.throws(
    () => new SpectralClustering({ clusters: 2, restarts: 0 }),
    /^SpectralClustering: expected restarts to be/,
  );
});

test('a Ritz head with fewer features than components is refused, in terms of the caller’s options', async () => {
  const points = normals(60);
  const refusal = (options: object) =>
    messageOf(() => new SpectralEmbedding({ components: 4, method: 'ritz', ...options }).fit(points));
  const narrow =
    "SpectralEmbedding.fit: expected at most 3 components for method 'ritz', as many as the last hidden layer has units, " +
    'got 4. Give that layer more units.';
  assert.is(await refusal({ hidden: [16, 3] }), narrow);
  assert.is(await refusal({ hidden: [16, 3], training: { epochs: 1 } }), narrow);
  assert.is(
    await refusal({ hidden: [] }),
    `SpectralEmbedding.fit: expected at most ${points.cols} components for method 'ritz', as many as the points have ` +
      'columns without hidden layers, got 4. Pass hidden, for example [128].',
  );
  const exact = new SpectralEmbedding({ components: 3, method: 'ritz', hidden: [16, 3] });
  assert.is((await exact.fit(points)).embedding.cols, 3);
});

test('a fit on 2,048 landmarks is aborted in the middle of its eigenproblem', async () => {
  const points = zeros([8192, 3]);
  new Random(1).fillNormal(points.data);
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 4 });
  const controller = new AbortController();
  const reason = new Error('enough');
  const reported: number[] = [];
  const progress = (fraction: number): void => {
    reported.push(fraction);
    if (fraction > 0.6) controller.abort(reason);
  };
  const options = { graph, progress, signal: controller.signal };
  assert.is(await messageOf(() => new SpectralEmbedding({ method: 'ritz' }).fit(points, options)), 'enough');
  assert.ok(reported.length > 5 && reported[reported.length - 1] < 0.8, `${reported}`);
  assert.equal(
    reported,
    reported.toSorted((a, b) => a - b),
    'it rises',
  );
});

test.run();
