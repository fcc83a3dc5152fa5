/** Corrected moments: unbiased over all batches, with less variance than without the record, and trained with. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { Mlp } from '../../lib/doors/network.ts';
import {
  type Moments,
  type MomentSource,
  train,
  type TrainingState,
  type TrainOptions,
} from '../../lib/doors/solver.ts';
import { buildGraph, disableSimd, enableSimd, Random, setThreads, SpectralEmbedding } from '../../lib/index.ts';
import { inclusionIn } from '../../lib/spectral/descent/inclusion.ts';
import { everyIndex } from '../../lib/sparse/indices.ts';
import { rayleighRitz } from '../../lib/doors/solver.ts';
import { Tensor, zeros } from '../../lib/doors/tensor.ts';
import { correctedMoments, measureAll, trackedMoments, zeroMoments } from '../../lib/spectral/descent/moments.ts';
import { networkViewers } from '../../lib/spectral/descent/view.ts';
import { type Pencil, pencilKinds, pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { subsets } from '../../lib/theory/instances/landscape.ts';
import { rejects } from '../rejects.ts';
import { graphOfEdges } from './graphs.ts';

const test = suite('corrected moments');

const [n, width] = [9, 2];

/** Nodes of different degrees: a path, a star at node 0 and a node without neighbors but itself. */
function smallPencil(kind: (typeof pencilKinds)[number], deflate: boolean): Pencil {
  const path = Array.from({ length: n - 2 }, (_, i) => [i, i + 1] as const);
  const graph = graphOfEdges(n, [...path, [0, 3], [0, 5], [8, 8]]);
  return pencilOf('spec', graph, kind, deflate, 'double');
}

/** All sets of `count` of the rows. */
const batchesOf = (count: number): number[][] => subsets(n, count).filter((rows) => rows.length === count);

function randomRows(seed: string): Tensor<Float64Array> {
  const rows = zeros([n, width], 'double');
  new Random(seed).fillNormal(rows.data);
  return rows;
}

/** The estimates of the moments of `now` for each batch, by a source whose record is of `before`. */
function estimates(
  pencil: Pencil,
  before: Tensor<Float64Array>,
  now: Tensor<Float64Array>,
  batch: number,
  source: (record: Moments, table: Tensor, pencil: Pencil) => MomentSource,
): number[][] {
  const look = networkViewers.neighbor(pencil);
  return batchesOf(batch).map((rows) => {
    const table = before.copy();
    const record = zeroMoments(width);
    measureAll(pencil, table.data, record);
    const view = look(Int32Array.from(rows));
    const data = zeros([view.support!.length, width], 'double').data;
    for (const [i, row] of view.support!.entries()) {
      data.set(now.data.subarray(row * width, (row + 1) * width), i * width);
    }
    const { gram, mean } = source(record, table, pencil).update(view, {
      count: view.support!.length,
      data,
      factor: null,
    });
    return flat({ gram, mean });
  });
}

const average = (rows: number[][]): number[] =>
  rows[0].map((_, k) => rows.reduce((sum, row) => sum + row[k], 0) / rows.length);

const flat = ({ gram, mean }: Moments): number[] => Array.from(gram).concat(Array.from(mean));

function truth(pencil: Pencil, now: Tensor<Float64Array>): number[] {
  const moments = zeroMoments(width);
  measureAll(pencil, now.data, moments);
  return flat(moments);
}

const distance = (a: number[], b: number[]): number => Math.max(...a.map((x, k) => Math.abs(x - b[k])));

test('the probability of a row is the fraction of batches that see it', () => {
  const pencil = smallPencil('random-walk', true);
  const look = networkViewers.neighbor(pencil);
  for (const batch of [1, 2, 4, n]) {
    const all = batchesOf(batch);
    const seen = new Float64Array(n);
    for (const rows of all) for (const row of look(Int32Array.from(rows)).support!) seen[row]++;
    const probabilities = inclusionIn(pencil.weights).at(batch, everyIndex(n));
    for (let j = 0; j < n; j++) assert.ok(Math.abs(probabilities[j] - seen[j] / all.length) < 1e-14, `${batch}, ${j}`);
  }
});

test('the average over all batches is the moments, for both pencils, with and without deflation', () => {
  const [before, now] = [randomRows('before'), randomRows('now')];
  for (const kind of pencilKinds) {
    for (const deflate of [true, false]) {
      const pencil = smallPencil(kind, deflate);
      for (const batch of [1, 2, 3]) {
        const exact = truth(pencil, now);
        const corrected = average(estimates(pencil, before, now, batch, correctedMoments));
        assert.ok(distance(corrected, exact) < 1e-12, `${kind}, ${deflate}, ${batch}`);
        const tracked = average(estimates(pencil, before, now, batch, trackedMoments));
        assert.ok(distance(tracked, exact) > 0.01, 'the record alone is biased');
      }
    }
  }
});

test('a record that is nearly up to date lowers the variance', () => {
  const pencil = smallPencil('random-walk', true);
  const now = randomRows('now');
  const near = now.copy();
  for (const [p, change] of randomRows('change').data.entries()) near.data[p] += 0.1 * change;
  const nothing = zeros([n, width], 'double');
  const variance = (before: Tensor<Float64Array>): number => {
    const exact = truth(pencil, now);
    const all = estimates(pencil, before, now, 2, correctedMoments);
    return average(all.map((row) => row.map((x, k) => (x - exact[k]) ** 2))).reduce((sum, x) => sum + x);
  };
  assert.ok(variance(near) < 0.1 * variance(nothing));
});

test('the record is updated as without the correction', () => {
  const pencil = smallPencil('symmetric', true);
  const records = [trackedMoments, correctedMoments].map((source) => {
    const table = randomRows('before');
    const record = zeroMoments(width);
    measureAll(pencil, table.data, record);
    const view = networkViewers.neighbor(pencil)(Int32Array.of(4, 1));
    const { data } = zeros([view.support!.length, width], 'double');
    source(record, table, pencil).update(view, { count: view.support!.length, data, factor: null });
    return flat(record).concat(Array.from(table.data));
  });
  assert.equal(records[0], records[1]);
});

const options = {
  moments: 'corrected',
  batch: 8,
  rate: 1e-3,
  epochs: 4,
  scale: 'calibrated',
  weighted: false,
  optimizer: { kind: 'adam' },
  seed: 3,
} as const satisfies TrainOptions;

async function trained(more: TrainOptions = {}, unit = 1): Promise<TrainingState> {
  const { points } = oneMoon({ n: 200, seed: 1 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 8 });
  const input = new Tensor(points.data.map((value) => unit * value), points.shape); // oxfmt-ignore
  return train(graph, new Mlp([2, 16, 2], { seed: 1 }), input, { ...options, ...more });
}

const bitsOf = ({ parameters }: TrainingState): number[] => parameters.flatMap(({ data }) => [...data]);

test('training has the same bits again, on two threads and after a pause; with plain kernels nearly the same', async () => {
  for (const order of ['random', 'shuffled'] as const) {
    const all = bitsOf(await trained({ order }));
    assert.equal(bitsOf(await trained({ order })), all);
    assert.equal(bitsOf(await trained({ order, from: await trained({ order, epochs: 2 }) })), all);
    setThreads(2);
    assert.equal(bitsOf(await trained({ order })), all);
    setThreads(1);
    disableSimd();
    assert.ok(distance(bitsOf(await trained({ order })), all) < 1e-3);
    enableSimd();
    assert.ok(distance(bitsOf(await trained({ order, moments: 'tracked' })), all) > 1e-3);
  }
});

test('a batch of all rows needs no correction', async () => {
  const [corrected, tracked] = await Promise.all(
    (['corrected', 'tracked'] as const).map((moments) => trained({ moments, batch: 200 })),
  );
  assert.ok(distance(bitsOf(corrected), bitsOf(tracked)) < 1e-6);
});

test('settings without known probabilities are refused', async () => {
  await rejects(() => trained({ order: 'cyclic' }), /corrected moments with order 'random' or 'shuffled'.*'cyclic'/);
  await rejects(() => trained({ method: 'specnet1' }), /corrected moments with method 'specnet2'.*'specnet1'/);
  for (const scheme of ['local', 'full'] as const) {
    await rejects(() => trained({ scheme }), /corrected moments with scheme 'neighbor'/);
  }
  await rejects(() => trained({ method: 'regression' }), /no moments for regression/);
  await rejects(() => trained({ moments: 'exact' as never }), /'tracked' or 'corrected'/);
});

test('an estimator corrects moments by default; other schemes and orders measure or track them', async () => {
  const { points } = oneMoon({ n: 200, seed: 1 });
  const fitted = async (training: TrainOptions): Promise<string> => {
    const common = { method: 'specnet2', hidden: [8], graph: { kind: 'knn', neighbors: 8 }, seed: 1 } as const;
    return (
      await new SpectralEmbedding({ ...common, training: { epochs: 2, ...training } }).fit(points)
    ).eigenvalues.join();
  };
  const usual = await fitted({});
  assert.is(await fitted({ moments: 'corrected' }), usual);
  assert.is(await fitted({ moments: 'corrected', scale: 'calibrated' }), usual);
  assert.is.not(await fitted({ moments: 'tracked' }), usual);
  await fitted({ scheme: 'full' });
  await fitted({ order: 'cyclic' });
});

test('the default batch is halved while it would see more than three quarters of all rows', async () => {
  const { points } = oneMoon({ n: 300, seed: 1 });
  const batchOf = async (sigma: number): Promise<[batch: number, seen: (batch: number) => number]> => {
    const graph = await buildGraph(points, { kind: 'gaussian', sigma, threshold: 0.6 });
    let steps = 0;
    const onEpoch = (state: { steps: number }): void => void (steps = state.steps);
    await train(graph, new Mlp([2, 4, 1]), points, { moments: 'corrected', epochs: 1, onEpoch });
    const inclusion = inclusionIn(graph.weights);
    const seen = (batch: number): number => inclusion.expectedSupport(batch) / graph.size;
    return [[32, 16, 8, 4].find((batch) => Math.ceil(300 / batch) === steps)!, seen];
  };
  const [wide, seenByWide] = await batchOf(0.3);
  assert.ok(wide < 32 && seenByWide(wide) <= 0.75 && seenByWide(2 * wide) > 0.75, `${wide}`);
  const [narrow, seenByNarrow] = await batchOf(0.01);
  assert.is(narrow, 32);
  assert.ok(seenByNarrow(32) <= 0.75);
});

test('by default rows are divided by their degrees, Adam forgets sooner, and the rate falls from 3e-3, or lower for large points', async () => {
  const { points } = oneMoon({ n: 200, seed: 1 });
  const usual = { weighted: undefined, optimizer: undefined, rate: undefined } as unknown as TrainOptions;
  const meanSum = Array.from(points.data, Math.abs).reduce((sum, value) => sum + value) / points.rows;
  for (const unit of [1, 64]) {
    const from = Math.min(3e-3, 0.15 / (unit * meanSum));
    const stated = {
      weighted: true,
      optimizer: { kind: 'adam', beta2: 0.99 },
      rate: { from, to: 1e-5, steps: 4 * (200 / 8) },
    } as const;
    const [found, expected] = [await trained(usual, unit), await trained(stated, unit)];
    assert.ok(distance(bitsOf(found), bitsOf(expected)) < 1e-6, `${unit}`);
    for (const name of ['weighted', 'optimizer', 'rate'] as const) {
      const other = await trained({ ...stated, [name]: options[name] }, unit);
      assert.ok(distance(bitsOf(found), bitsOf(other)) > 1e-4, `${unit} ${name}`);
    }
  }
});

test('an estimator trains guard columns with corrected moments, and keeps the wanted ones', async () => {
  const { points } = oneMoon({ n: 200, seed: 1 });
  const outputsOf = async (hidden: number[], training: TrainOptions = {}): Promise<number> => {
    let outputs = 0;
    const onEpoch: TrainOptions['onEpoch'] = ({ state }) => void (outputs = state().parameters.at(-1)!.size);
    const common = {
      method: 'specnet2',
      components: 3,
      activation: 'tanh',
      graph: { kind: 'knn', neighbors: 8 },
    } as const;
    const fitted = await new SpectralEmbedding({
      ...common,
      hidden,
      training: { epochs: 2, onEpoch, ...training },
    }).fit(points);
    assert.is(fitted.embedding.cols, 3);
    const quotients = rayleighRitz(fitted.graph, fitted.embedding).eigenvalues;
    assert.ok(distance([...quotients], [...fitted.eigenvalues]) < 1e-4, quotients.join());
    return outputs;
  };
  assert.is(await outputsOf([16]), 5);
  assert.is(await outputsOf([4]), 4);
  assert.is(await outputsOf([16], { moments: 'tracked' }), 3);
  assert.is(await outputsOf([16], { scheme: 'full' }), 3);
});

test.run();
