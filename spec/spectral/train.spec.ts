import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { buildGraph, type Graph, graphFrom, Random, spectrum, type Tensor } from '../../lib/index.ts';
import { Mlp, Optimizer } from '../../lib/doors/network.ts';
import {
  type Method,
  rayleighRitz,
  type Scheme,
  train,
  type TrainingState,
  type TrainOptions,
} from '../../lib/doors/solver.ts';
import { fromDense, toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { scaledGraph } from '../../lib/graph/graph.ts';
import { chainOf } from '../../lib/network/layers/chain.ts';
import { Descent } from '../../lib/spectral/descent/descent.ts';
import { measuredMoments, trackedMoments, zeroMoments } from '../../lib/spectral/descent/moments.ts';
import { NetworkRows } from '../../lib/spectral/descent/rows/network-rows.ts';
import { methods, objectives } from '../../lib/spectral/descent/objective.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { stepperOf } from '../../lib/spectral/descent/step-rule.ts';
import { networkViewers, schemes } from '../../lib/spectral/descent/view.ts';
import { trainMethods } from '../../lib/spectral/train/options.ts';
import { trainSteps } from '../../lib/spectral/train/train.ts';
import { centralDifference } from '../network/difference.ts';
import { refusalOf } from '../rejects.ts';

const test = suite('train');

const n = 12;

/** A small dense graph with self-loops, and points with three columns. */
function small(): { graph: Graph; points: Tensor<Float64Array> } {
  const random = new Random('small graph');
  const weights = zeros([n, n], 'double');
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const value = i === j || random.uniform() < 0.4 ? random.uniform(0.2, 1) : 0;
      weights.data[i * n + j] = weights.data[j * n + i] = value;
    }
  }
  const points = zeros([n, 3], 'double');
  random.fillNormal(points.data);
  return { graph: graphFrom(fromDense(weights)), points };
}

type Rows = number[][];
const rowsOf = (y: Tensor): Rows => y.toArray() as Rows;
const product = (a: Rows, b: Rows): Rows =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, p) => sum + x * b[p][j], 0)));
const transposed = (a: Rows): Rows => a[0].map((_, j) => a.map((row) => row[j]));

/** L⁻ᵀ of the Cholesky factor, by the textbook formula. */
function inverseFactor(g: Rows): Rows {
  const k = g.length;
  const l: Rows = g.map((row) => row.map(() => 0));
  for (let i = 0; i < k; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = g[i][j];
      for (let p = 0; p < j; p++) sum -= l[i][p] * l[j][p];
      l[i][j] = i === j ? Math.sqrt(sum) : sum / l[j][j];
    }
  }
  const inverse: Rows = g.map((row, i) => row.map((_, j) => Number(i === j)));
  for (let c = 0; c < k; c++) {
    for (let i = 0; i < k; i++) {
      for (let p = 0; p < i; p++) inverse[i][c] -= l[i][p] * inverse[p][c];
      inverse[i][c] /= l[i][i];
    }
  }
  return transposed(inverse);
}

interface Seen {
  w: Rows;
  d: number[];
  eta: number[];
  /** The rows of the batch among the rows in view. */
  place: number[];
  population: number;
}

/** The part of the graph that a batch uses, as in the paper: W[B,B] with its own degrees, or all of W. */
function seenBy(scheme: Scheme, graph: Graph, batch: number[]): { rows: number[]; seen: Seen } {
  const all = rowsOf(toDense(graph.weights));
  const rows = scheme === 'local' ? batch : all.map((_, i) => i);
  const w = rows.map((i) => rows.map((j) => all[i][j]));
  const d = w.map((row) => row.reduce((a, b) => a + b, 0));
  const volume = d.reduce((a, b) => a + b, 0);
  const eta = d.map((degree) => degree / Math.sqrt(volume));
  return { rows, seen: { w, d, eta, place: batch.map((i) => rows.indexOf(i)), population: rows.length } };
}

/** Ỹ = n·Y·L⁻ᵀ with L·Lᵀ = YᵀDY. */
function orthogonalized(y: Rows, { d, population }: Seen): { tilde: Rows; r: Rows } {
  const gram = product(transposed(y.map((row, i) => row.map((x) => d[i] * x))), y);
  const r = inverseFactor(gram).map((row) => row.map((x) => population * x));
  return { tilde: product(y, r), r };
}

/** The gradient that the trace holds constant, transcribed: of f2 at Y, or of f1 at Ỹ. */
function constantGradient(method: Method, y: Rows, { w, d, eta, place, population: m }: Seen): Rows {
  const mean = product([eta], y)[0];
  const wy = product(w, y).map((row, i) => row.map((x, j) => x - eta[i] * mean[j]));
  const gram = product(transposed(y.map((row, i) => row.map((x) => d[i] * x))), y);
  const pulled = product(y, gram);
  return place.map((i) =>
    y[i].map((x, j) =>
      method === 'specnet1' ? 2 * (x - wy[i][j] / d[i]) : (-4 / m) * wy[i][j] + (4 / m ** 3) * d[i] * pulled[i][j],
    ),
  );
}

for (const method of methods) {
  for (const scheme of schemes) {
    test(`${method}, ${scheme}: the step follows central differences of the trace it claims to make small`, async () => {
      const { graph, points } = small();
      const batch = [7, 2, 9, 4];
      const network = new Mlp([3, 5, 2], { activation: 'tanh', precision: 'double', seed: 3 });
      const before = network.parameters.map((parameter) => parameter.copy());

      const { rows, seen } = seenBy(scheme, graph, batch);
      const outputs = (): Rows => {
        const y = rowsOf(network.evaluate(points));
        return rows.map((i) => y[i]);
      };
      const y = outputs();
      const { tilde, r } = orthogonalized(y, seen);
      const constant = constantGradient(method, method === 'specnet1' ? tilde : y, seen);
      const surrogate = (): number => {
        const now = outputs();
        const free =
          method === 'specnet2' ? now : scheme === 'neighbor' ? product(now, r) : orthogonalized(now, seen).tilde;
        return seen.place.reduce((sum, i, b) => sum + free[i].reduce((s, x, j) => s + x * constant[b][j], 0), 0);
      };

      // One step of plain gradient descent with rate 1: the parameters move by minus the gradient.
      const pencil = pencilOf('spec', graph, 'random-walk', true, 'double');
      const optimizer = new Optimizer(network.parameters, { kind: 'sgd' });
      const through = method === 'specnet1' && scheme !== 'neighbor';
      const table = scheme === 'neighbor' ? network.evaluate(points) : null;
      const chain = chainOf('spec', network.layers, points);
      const record = zeroMoments(2);
      if (table) {
        const all = rowsOf(table);
        const gram = product(transposed(all.map((row, i) => row.map((x) => graph.degrees[i] * x))), all);
        record.gram.set(gram.flat());
        record.mean.set(product([Array.from(pencil.eta!)], all)[0]);
      }
      new Descent({
        caller: 'spec',
        look: networkViewers[scheme](pencil),
        rows: new NetworkRows({ width: 2, precision: 'double', chain, optimizer, rate: 1, through, table }),
        moments: table ? trackedMoments(record, table, pencil) : measuredMoments(2),
        objective: objectives[method],
        stepper: stepperOf('train', { precondition: 'none', length: 1 }, 2, 'double'),
        rotation: { orthogonalize: 'gram', rotate: 'before' },
      }).step(Int32Array.from(batch));

      const gradients = network.parameters.map(({ data }, p) => data.map((x, i) => before[p].data[i] - x));
      for (const [p, { data }] of network.parameters.entries()) data.set(before[p].data);
      const largest = Math.max(...gradients.flatMap((gradient) => Array.from(gradient, Math.abs)));
      for (const [p, { data }] of network.parameters.entries()) {
        for (let i = 0; i < data.length; i++) {
          const slope = centralDifference(data, i, surrogate);
          const difference = Math.abs(slope - gradients[p][i]);
          assert.ok(difference < 1e-7 * largest, `parameter ${p}, entry ${i}: ${difference / largest}`);
        }
      }
    });
  }
}

async function moon(): Promise<{ graph: Graph; points: Tensor }> {
  const { points } = oneMoon({ n: 400, seed: 1 });
  return { graph: await buildGraph(points, { kind: 'gaussian', sigma: 0.3, threshold: 0.3 }), points };
}

test('the record of the neighbor scheme is that of the rows as they were last computed', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 16, 2], { seed: 1 });
  const pencil = pencilOf('spec', graph, 'random-walk', true, 'single');
  // Counts in steps, because the moments are measured again at the end of an epoch. They start from rows of zeros.
  const record = zeroMoments(2);
  const table = zeros([400, 2], 'single');
  const chain = chainOf('spec', network.layers, points);
  const optimizer = new Optimizer(network.parameters);
  const descent = new Descent({
    caller: 'spec',
    look: networkViewers.neighbor(pencil),
    rows: new NetworkRows({ width: 2, precision: 'single', chain, optimizer, rate: 1e-3, through: false, table }),
    moments: trackedMoments(record, table, pencil),
    objective: objectives.specnet2,
    stepper: stepperOf('train', { precondition: 'none', length: 1 }, 2, 'single'),
    rotation: { orthogonalize: 'gram', rotate: 'before' },
  });
  for (let step = 0; step < 300; step++) descent.step(Int32Array.of(step, step + 50, step + 100));
  const expected = new Float64Array(4);
  for (let i = 0; i < 400; i++) {
    for (let p = 0; p < 4; p++) expected[p] += graph.degrees[i] * table.at(i, p >> 1) * table.at(i, p & 1);
  }
  for (let p = 0; p < 4; p++) {
    assert.ok(Math.abs(record.gram[p] - expected[p]) < 1e-10 * Math.max(...expected), `${p}`);
  }
});

for (const options of [
  { method: 'specnet2', scheme: 'neighbor' },
  { method: 'specnet1', scheme: 'full', optimizer: { kind: 'adamw' }, rate: { from: 1e-3, to: 1e-4, steps: 300 } },
  { method: 'specnet1', scheme: 'neighbor', scale: 'calibrated', order: 'random' },
  { method: 'specnet2', scheme: 'local', weighted: true },
] as const satisfies TrainOptions[]) {
  test(`${options.method}, ${options.scheme}: a pause changes no bit`, async () => {
    const { graph, points } = await moon();
    const whole = new Mlp([2, 16, 2], { seed: 1 });
    await train(graph, whole, points, { ...options, epochs: 4, seed: 5 });
    const parts = new Mlp([2, 16, 2], { seed: 1 });
    const half = await train(graph, parts, points, { ...options, epochs: 2, seed: 5 });
    const other = new Mlp([2, 16, 2], { seed: 77 });
    await train(graph, other, points, { ...options, epochs: 4, seed: 5, from: half });
    for (const [p, { data }] of whole.parameters.entries()) assert.equal(other.parameters[p].data, data);
  });
}

test('the state of an epoch is from that epoch, and an abort stops the training', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 16, 2], { seed: 1 });
  const states: TrainingState[] = [];
  const controller = new AbortController();
  const reason = new Error('enough');
  const options: TrainOptions = {
    epochs: 1e6,
    signal: controller.signal,
    onEpoch({ epoch, steps, state }) {
      assert.is(steps, 100 * epoch);
      states.push(state());
      if (epoch === 3) controller.abort(reason);
    },
  };
  const stopped = await train(graph, network, points, options).catch((error: unknown) => error);
  assert.is(stopped, reason);
  assert.equal(
    states.slice(0, 3).map(({ epoch }) => epoch),
    [1, 2, 3],
  );
  const again = new Mlp([2, 16, 2], { seed: 1 });
  const second = await train(graph, again, points, { epochs: 2 });
  assert.equal(second.parameters[0].data, states[1].parameters[0].data);
});

test('SpecNet2 comes near the eigenvectors of one moon within ten epochs, plain or calibrated', async () => {
  const { points } = oneMoon({ seed: 1 });
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  const reference = await spectrum(graph, { count: 3 });
  for (const scale of ['plain', 'calibrated'] as const) {
    const network = new Mlp([2, 128, 2], { seed: 1 });
    // oxlint-disable-next-line no-await-in-loop -- two trainings of a second each
    await train(graph, network, points, { epochs: 10, scale });
    const { errors, f2 } = rayleighRitz(graph, network.evaluate(points), { reference });
    assert.ok(errors![0] < 0.1 && errors![1] < 0.2, `${scale}: ${errors}`);
    if (scale === 'plain') assert.ok(f2 < -1.9, `${f2}`);
  }
});

test('a scaled graph has the same eigenpairs', async () => {
  const { graph } = await moon();
  const scaled = scaledGraph(graph, 7);
  assert.ok(Math.abs(scaled.volume / graph.volume - 7) < 1e-12);
  const [a, b] = [await spectrum(graph, { count: 3 }), await spectrum(scaled, { count: 3 })].map(
    ({ values }) => values,
  );
  for (const j of [0, 1, 2]) assert.ok(Math.abs(a[j] - b[j]) < 1e-7);
});

test('invalid input is refused', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 8, 2]);
  const refused = async (
    options: object,
    message: RegExp,
    data: Tensor = points,
    ownNetwork: Mlp = network,
  ): Promise<void> => {
    const error = await train(graph, ownNetwork, data, options).then(
      () => new Error('nothing was refused'),
      (problem: Error) => problem,
    );
    assert.match(error.message, message);
  };
  await refused(
    { method: 'specnet3' },
    /^train: expected method to be 'specnet1' or 'specnet2' or 'ritz' or 'regression', got specnet3\.$/,
  );
  await refused({ batch: 0 }, /^train: expected batch to be a whole number, at least 1, got 0\.$/);
  await refused({ batch: 401 }, /^train: expected a batch of at most 400 rows, got 401\.$/);
  await refused({ rate: -1 }, /^train: expected rate to be a positive number, got -1\.$/);
  await refused(
    { method: 'specnet1', scheme: 'local', batch: 1 },
    /batches of at least 2 rows, one for each output, got 1/,
  );
  await refused({ method: 'specnet1', weighted: true }, /no weighted for SpecNet1, whose gradients are divided by deg/);
  await refused({ method: 'specnet1', through: true }, /^train: expected through with the local or the full scheme/);
  await refused({}, /^train: expected 400 points, one for each node, got 5\.$/, points.rowRange(0, 5));
  await refused({}, /^train: expected points of 3 columns, got 2\.$/, points, new Mlp([3, 8, 2]));
  await refused({}, /^train: expected an Mlp, got Object\.$/, points, {} as Mlp);
  const state = await train(graph, new Mlp([2, 5, 2]), points, { epochs: 0 });
  await refused({ from: state }, /^train: expected the state of a network of these sizes, got other sizes\.$/);
  await refused({ from: {} }, /^train: expected the state of a training to continue from, got Object\.$/);
  await refused({ optimizer: null }, /^train: expected optimizer to be options with a kind, got null\.$/);
});

test('a state that does not fit is refused before anything is written', async () => {
  const { graph, points } = await moon();
  const state = await train(graph, new Mlp([2, 8, 2], { seed: 1 }), points, { epochs: 1, batch: 50 });
  const cases: [RegExp, Mlp, TrainOptions][] = [
    ...(['sgd', 'adamw'] as const).map((kind): (typeof cases)[number] => [
      new RegExp(`^train: expected the state of a training by '${kind}', got one by 'adam'\\.$`),
      new Mlp([2, 8, 2], { seed: 2 }),
      { optimizer: { kind } },
    ]),
    [
      /^train: expected the state of a network in double precision, got single/,
      new Mlp([2, 8, 2], { precision: 'double' }),
      {},
    ],
  ];
  for (const [message, network, options] of cases) {
    const before = network.parameters.map(({ data }) => data.slice());
    const error = await train(graph, network, points.copy(network.precision), { ...options, from: state }).catch(
      (problem: Error) => problem,
    );
    assert.match((error as Error).message, message);
    for (const [p, { data }] of network.parameters.entries()) assert.equal(data, before[p]);
  }
});

test('a state of another graph is refused in every scheme', async () => {
  const { graph, points } = await moon();
  const other = await buildGraph(points, { kind: 'gaussian', sigma: 0.31, threshold: 0.3 });
  for (const scheme of schemes) {
    const options = { scheme, epochs: 1, batch: 50 } as const;
    const from = await train(graph, new Mlp([2, 8, 2]), points, options);
    const error = await train(other, new Mlp([2, 8, 2]), points, { ...options, from }).catch(
      (problem: Error) => problem,
    );
    assert.is(
      (error as Error).message,
      'train: expected the state of a training on this graph, got one on another graph.',
    );
  }
});

test('a training continues only with the settings that it had, and a refusal names both values', async () => {
  const { graph, points } = await moon();
  const settings: [scheme: NonNullable<TrainOptions['scheme']>, own: TrainOptions, other: TrainOptions][] = [
    ['neighbor', {}, { scale: 'calibrated' }],
    ['neighbor', { scale: 'calibrated' }, {}],
    ['neighbor', { pencil: 'symmetric' }, { pencil: 'random-walk' }],
    ['neighbor', { moments: 'corrected', scale: 'plain' }, { moments: 'tracked' }],
    ['neighbor', { scale: 'calibrated' }, { moments: 'corrected' }],
    ['local', { deflate: false }, {}],
    ['full', {}, { pencil: 'symmetric' }],
    ['edges', {}, { scale: 'plain' }],
    ['edges', {}, { deflate: false }],
    ['full', {}, { scheme: 'local' }],
    ['neighbor', {}, { scheme: 'edges' }],
  ];
  const refusals: string[] = [];
  for (const [scheme, own, other] of settings) {
    const shared: TrainOptions = { scheme, batch: 50, epochs: 1 };
    const from = await train(graph, new Mlp([2, 8, 2], { seed: 1 }), points, { ...shared, ...own });
    const network = new Mlp([2, 8, 2], { seed: 2 });
    const before = network.parameters.map(({ data }) => data.slice());
    const next = { ...shared, epochs: 2, from };
    refusals.push(await refusalOf(train(graph, network, points, { ...next, ...other })));
    for (const [p, { data }] of network.parameters.entries()) assert.equal(data, before[p]);
    await train(graph, network, points, { ...next, ...own });
  }
  assert.equal(refusals, [
    "train: expected scale 'plain', as the state has, got 'calibrated'.",
    "train: expected scale 'calibrated', as the state has, got 'plain'.",
    "train: expected pencil 'symmetric', as the state has, got 'random-walk'.",
    "train: expected moments 'corrected', as the state has, got 'tracked'.",
    "train: expected moments 'tracked', as the state has, got 'corrected'.",
    'train: expected deflate false, as the state has, got true.',
    "train: expected pencil 'random-walk', as the state has, got 'symmetric'.",
    "train: expected scale 'calibrated', as the state has, got 'plain'.",
    'train: expected deflate true, as the state has, got false.',
    'train: expected the state of a training by specnet2 local, got one by specnet2 full.',
    'train: expected the state of a training by specnet2 edges, got one by specnet2 neighbor.',
  ]);
});

test('a rate that makes the rows burst is named, with the way out; a rest of rows too few is none', async () => {
  const { graph, points } = await moon();
  const options = { optimizer: { kind: 'sgd' }, rate: 1e4, epochs: 50, batch: 50 } as const;
  const error = await train(graph, new Mlp([2, 8, 2]), points, options).catch((problem: Error) => problem);
  assert.match(
    (error as Error).message,
    /^train: expected a rate small enough, got 10000: .* in epoch \d+\. Lower the rate, or scale the points to order one\.$/,
  );
  await train(graph, new Mlp([2, 8, 2]), points, { method: 'specnet1', scheme: 'local', batch: 57, epochs: 1 });
});

test('a rate that falls is named as it was in the step that made the rows burst', async () => {
  const { graph, points } = await moon();
  const rate = { from: 1e9, to: 1e-6, steps: 1 }; // the first step bursts, and the second one notices
  const options = { optimizer: { kind: 'sgd' }, rate, epochs: 1, batch: 50 } as const;
  const error = await train(graph, new Mlp([2, 8, 2]), points, options).catch((problem: Error) => problem);
  assert.match((error as Error).message, /^train: expected a rate small enough, got 1000000000: .* in epoch 1\./);
});

test('an epoch has at most 500 steps by default', async () => {
  const stepsOf = async (size: number, options: TrainOptions = {}): Promise<number> => {
    const { points } = oneMoon({ n: size, seed: 1 });
    const graph = await buildGraph(points, { kind: 'knn', neighbors: 4 });
    const state = await train(graph, new Mlp([2, 8, 1]), points, { epochs: 1, ...options });
    return state.optimizer.steps;
  };
  assert.equal([await stepsOf(400), await stepsOf(2000), await stepsOf(5000)], [100, 500, 500]);
  assert.is(await stepsOf(5000, { batch: 4 }), 1250);
});

test('a network whose outputs have become constant is noticed after the epoch, not handed out', async () => {
  const { graph, points } = await moon();
  for (const method of ['specnet2', 'specnet1', 'regression', 'ritz'] as const) {
    const network = new Mlp([2, 8, 2], { seed: 1 });
    const onEpoch = (): void => void network.layers[0].bias.data.fill(-100); // no unit is active on any point from now on
    const options: TrainOptions = { method, batch: 50, epochs: 3, onEpoch, ...(method === 'ritz' && { refresh: 5 }) };
    const error = await train(graph, network, points, options).then(String, (problem: Error) => problem.message);
    const message = /^train: expected a rate small enough, got .*: the outputs have become constant in epoch 2\. Lower/;
    // SpecNet1: columns that cannot be orthogonalized are detected in the step, as far as rounding allows.
    const refusal =
      method === 'specnet1' ? /^train: expected (a positive definite matrix|a rate small enough), got/ : message;
    assert.match(error, refusal, `${method}: ${error}`);
  }
});

test('outputs far larger than the targets of a regression are noticed in the step', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 8, 2], { seed: 1 });
  network.layers[1].bias.data.fill(2e4);
  const error = await train(graph, network, points, { method: 'regression', batch: 50, epochs: 1 }).then(
    () => 'nothing',
    (problem: Error) => problem.message,
  );
  assert.match(error, /^train: expected a rate small enough, got .*: the outputs grow without bound in epoch 1\./);
});

test('flops continue to be counted after a pause, and undefined options count as omitted', async () => {
  const { graph, points } = await moon();
  const flops: number[] = [];
  const options: TrainOptions = { batch: 50, onEpoch: (reported) => flops.push(reported.flops) };
  const half = await train(graph, new Mlp([2, 8, 2]), points, { ...options, epochs: 1 });
  await train(graph, new Mlp([2, 8, 2]), points, { ...options, epochs: 2, from: half });
  await train(graph, new Mlp([2, 8, 2]), points, {
    ...options,
    epochs: 2,
    ...({ seed: undefined, method: undefined } as object),
  });
  assert.equal(flops.slice(0, 2), flops.slice(2));
  assert.ok(flops[1] > 1.5 * flops[0]);
});

test('a state that is asked for late is that of the network then', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 8, 2], { seed: 1 });
  let late: (() => TrainingState) | null = null;
  const onEpoch: TrainOptions['onEpoch'] = ({ state }) => (late ??= state);
  await train(graph, network, points, { batch: 100, epochs: 3, onEpoch });
  assert.equal([late!().epoch, late!().optimizer.steps], [3, 12]);
});

test('batches drawn one by one tell no more progress than all of it', async () => {
  const { graph, points } = await moon();
  const fractions = [...trainSteps(graph, new Mlp([2, 8, 2]), points, { batch: 300, epochs: 2, order: 'random' })];
  assert.ok(
    fractions.length > 2 && fractions.every((fraction) => typeof fraction === 'number' && fraction <= 1),
    fractions.join(' '),
  );
});

test('points of another precision are refused before anything is written or searched for', async () => {
  const { graph, points } = await moon();
  const network = new Mlp([2, 8, 2], { seed: 1 });
  const from = await train(graph, network, points, { method: 'regression', epochs: 1, batch: 100 });
  const before = network.copy();
  from.parameters[0].data[0] += 1;
  for (const method of trainMethods) {
    const options = { method, epochs: 2, ...(method === 'regression' && { from }) };
    assert.throws(
      () => trainSteps(graph, network, points.copy('double'), options).next(),
      /^train: expected points of single precision, as the network's, got double\./,
      method,
    );
  }
  for (const [i, { data }] of network.parameters.entries()) assert.equal(data, before.parameters[i].data);
});

test.run();
