import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { buildGraph, type Graph, graphFrom, SpectralEmbedding, spectrum, type Tensor } from '../../lib/index.ts';
import { loadTraining, saveTraining } from '../../lib/doors/embedding.ts';
import { principalAngles } from '../../lib/doors/linalg.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { rayleighRitz, train, type TrainingState, type TrainOptions } from '../../lib/doors/solver.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runSync } from '../../lib/core/task.ts';
import { smoothedTargetsSteps } from '../../lib/spectral/train/smoothed-targets.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';

const test = suite('alternation');

async function moon(n = 400): Promise<{ graph: Graph; points: Tensor }> {
  const { points } = oneMoon({ n, seed: 1 });
  return { graph: await buildGraph(points, { kind: 'knn', neighbors: 12 }), points };
}

/** f2 of rows at their best scale. */
const f2Of = (graph: Graph, rows: Tensor): number =>
  -rayleighRitz(graph, rows).eigenvalues.reduce((sum, value) => sum + Math.max(0, value) ** 2, 0);

const distance = async (graph: Graph, rows: Tensor): Promise<number> => {
  const truth = columns((await spectrum(graph, { count: rows.cols + 1 })).vectors, 1, rows.cols + 1);
  return Math.hypot(...principalAngles(rows, truth, graph.degrees).map(Math.sin));
};

test('a new head never raises f2, and leaves the hidden layers alone', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 16, 16, 3], { seed: 2 });
  let last = Infinity;
  const onEpoch = (): void => {
    const before = f2Of(graph, network.evaluate(points));
    const copy = network.copy();
    runSync(smoothedTargetsSteps('spec', graph, copy, points));
    const after = f2Of(graph, copy.evaluate(points));
    assert.ok(
      after <= before + 2e-5, // the ridge is 1e-5
      `${before} to ${after}`,
    );
    for (const p of [0, 1, 2, 3]) assert.equal(copy.parameters[p].data, network.parameters[p].data);
    assert.not.equal(copy.parameters[4].data, network.parameters[4].data);
    last = after;
  };
  const begin = network.copy();
  runSync(smoothedTargetsSteps('spec', graph, begin, points));
  await train(graph, network, points, { method: 'ritz', epochs: 30, refresh: 3, rate: 1e-3, onEpoch });
  assert.ok(last < f2Of(graph, begin.evaluate(points)) - 1e-3, `${last}: hidden layers have learned`);
});

test('networks of double precision learn under it as those of single precision do', async () => {
  const { graph, points } = await moon();
  const off: number[] = [];
  for (const precision of ['single', 'double'] as const) {
    const network = new Mlp([2, 16, 3], { seed: 2, precision });
    const own = points.copy(precision);
    const before = await distance(graph, network.evaluate(own));
    await train(graph, network, own, { method: 'ritz', epochs: 12, refresh: 3, rate: 1e-3 });
    off.push(await distance(graph, network.evaluate(own)));
    assert.ok(off[off.length - 1] < before / 2, `${before} to ${off}`);
  }
  assert.ok(Math.abs(off[0] - off[1]) < 0.02 * off[0], `${off}`);
});

test('smoothed targets are orthonormal, nearer to the eigenvectors than the outputs, and aligned with the outputs', async () => {
  // A circle: eigenvalues come in pairs, and within a pair every rotation is a solution.
  const points = zeros([400, 2]);
  for (let i = 0; i < 800; i++) points.data[i] = Math.cos((Math.PI * (i >> 1)) / 200 - (i % 2) * (Math.PI / 2));
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 13 });
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const network = new Mlp([2, 16, 4], { seed });
    const targets = runSync(smoothedTargetsSteps('spec', graph, network, points));
    const rows = network.evaluate(points);
    assert.ok(
      (await distance(graph, targets)) < 0.5 * (await distance(graph, rows)),
      `${await distance(graph, targets)}`,
    );
    for (let j = 0; j < 4; j++) {
      const inner = (other: Tensor, k: number): number => {
        let sum = 0;
        for (let i = 0; i < 400; i++) sum += graph.degrees[i] * targets.at(i, j) * other.at(i, k);
        return sum / graph.volume;
      };
      for (let k = 0; k < 4; k++) assert.ok(Math.abs(inner(targets, k) - Number(j === k)) < 1e-5, `${j}, ${k}`);
      assert.ok(inner(rows, j) > 0.5, `seed ${seed}, column ${j}: ${inner(rows, j)}`);
    }
  }
});

test('steps move the hidden layers alone, from one head to the next', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 16, 2], { seed: 1 });
  const heads: string[] = [];
  const hidden: string[] = [];
  const onEpoch = (): void => {
    heads.push(network.parameters[2].data.join());
    hidden.push(network.parameters[0].data.join());
  };
  await train(graph, network, points, { method: 'ritz', epochs: 6, refresh: 3, onEpoch });
  assert.equal([heads[0] === heads[1], heads[1] === heads[2], heads[2] === heads[3]], [true, true, false]);
  assert.is(new Set(hidden).size, 6);
});

for (const pause of [2, 3]) {
  test(`a pause after epoch ${pause}, with a head every second epoch, changes no bit, also through a file`, async () => {
    const { graph, points } = await moon();
    const options: TrainOptions = { method: 'ritz', epochs: 5, seed: 5 };
    const whole = new Mlp([2, 16, 2], { seed: 1 });
    let state = null as TrainingState | null;
    const onEpoch: TrainOptions['onEpoch'] = (reported) => {
      if (reported.epoch === pause) state = reported.state();
    };
    await train(graph, whole, points, { ...options, onEpoch });
    const other = new Mlp([2, 16, 2], { seed: 77 });
    await train(graph, other, points, { ...options, from: loadTraining(saveTraining(state!)) });
    for (const [p, { data }] of whole.parameters.entries()) assert.equal(other.parameters[p].data, data);
  });
}

test('an abort stops the solution of a head', async () => {
  const { graph, points } = await moon(2000);
  const stopped = new AbortController();
  const reported: number[] = [];
  const progress = (fraction: number): void => {
    reported.push(fraction);
    stopped.abort(new Error('enough'));
  };
  const network = new Mlp([2, 256, 2], { seed: 1 });
  const options: TrainOptions = { method: 'ritz', epochs: 5, progress, signal: stopped.signal };
  const error = await train(graph, network, points, options).catch((problem: Error) => problem);
  assert.is((error as Error).message, 'enough');
  assert.equal(reported, [0], 'in the first head, before any step');
});

test('states of another method or scheme are refused, and options of other methods', async () => {
  const { graph, points } = await moon(100);
  const refusal = (options: TrainOptions, network = new Mlp([2, 8, 2])): Promise<string> =>
    train(graph, network, points, options).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
  const state = await train(graph, new Mlp([2, 8, 2]), points, { method: 'ritz', epochs: 1 });
  const other = await train(graph, new Mlp([2, 8, 2]), points, { epochs: 1 });
  assert.is(
    await refusal({ method: 'regression', from: state }),
    'train: expected the state of a training by regression, got one by ritz.',
  );
  assert.is(
    await refusal({ method: 'ritz', from: other }),
    'train: expected the state of a training by ritz, got one by specnet2 neighbor.',
  );
  assert.is(
    await refusal({ scheme: 'full', from: other }),
    'train: expected the state of a training by specnet2 full, got one by specnet2 neighbor.',
  );
  assert.is(await refusal({ method: 'ritz', scheme: 'full' }), 'train: expected no scheme for ritz, got full.');
  assert.is(await refusal({ refresh: 2 }), 'train: expected no refresh for specnet2, got 2.');
  assert.is(
    await refusal({ method: 'ritz', refresh: 0 }),
    'train: expected refresh to be a whole number, at least 1, got 0.',
  );
  assert.is(
    await refusal({ method: 'ritz' }, new Mlp([2, 2])),
    'train: expected hidden layers to train, got none. ritzHead solves the only layer there is.',
  );
  assert.is(
    await refusal({ method: 'ritz' }, new Mlp([2, 16, 3, 4])),
    "train: expected at most 3 outputs for method 'ritz', as many as the last hidden layer has units, got 4. " +
      'Give that layer more units.',
  );
});

test('few units, and few points, have fewer columns beside those that are wanted', async () => {
  const { graph, points } = await moon(100);
  await train(graph, new Mlp([2, 3, 3]), points, { method: 'ritz', epochs: 2 });
  const few = points.rowRange(0, 4);
  const small = await buildGraph(few, { kind: 'knn', neighbors: 4 });
  await train(small, new Mlp([2, 8, 2]), few, { method: 'ritz', epochs: 2 });
});

test('a graph of many parts, whose eigenvectors Lanczos cannot find, is learned all the same', async () => {
  const [parts, each] = [60, 5];
  const points = zeros([parts * each, 2]);
  for (let i = 0; i < parts * each; i++) {
    points.data[2 * i] = Math.floor(i / each) / 10;
    points.data[2 * i + 1] = (i % each) / 50;
  }
  const from = Array.from({ length: parts * each * each }, (_, e) => Math.floor(e / each));
  const to = from.map((i, e) => Math.floor(i / each) * each + (e % each));
  const graph = graphFrom(
    fromTriplets({ rows: from, columns: to, values: from.map(() => 1) }, [points.rows, points.rows]),
  );
  assert.is(graph.components.count, parts);
  const options = { components: 2, method: 'ritz', hidden: [32], training: { epochs: 40 } } as const;
  const fitted = await new SpectralEmbedding(options).fit(points, { graph });
  assert.ok(fitted.converged);
  assert.ok(Math.min(...fitted.eigenvalues) > 0.99, `${fitted.eigenvalues}`);
});

test.run();
