import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { buildGraph, loadModel, type Model, Random, saveModel, transform } from '../../lib/index.ts';
import { loadTraining, saveTraining } from '../../lib/doors/embedding.ts';
import { chooseLandmarks, Mlp } from '../../lib/doors/network.ts';
import { train, type TrainingState, type TrainOptions } from '../../lib/doors/solver.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { applyModel } from '../../lib/embedding/model/model.ts';
import { crc32 } from '../../lib/core/crc32.ts';
import { forEachInOrder } from '../for-each.ts';
import { normals } from './normals.ts';

const test = suite('model file');

const points = normals([50, 3], 'points');
const eigenvalues = Float64Array.of(1 / 3, 0.1);
const models: Record<Model['kind'], Model> = {
  landmarks: {
    kind: 'landmarks',
    landmarks: chooseLandmarks(points, { count: 20, neighbors: 5 }),
    head: { weights: normals([20, 2], 'weights'), bias: normals([2], 'bias') },
    center: Float64Array.of(1 / 3, 0, -1e-9),
    eigenvalues,
  },
  network: {
    kind: 'network',
    network: new Mlp([3, 7, 5, 2], { activation: 'tanh', seed: 2 }),
    center: null,
    eigenvalues,
  },
};

/** The bytes with another header and the matching checksum. */
function withHeader(bytes: Uint8Array, change: (header: Record<string, unknown>) => void): Uint8Array {
  const view = new DataView(bytes.buffer);
  const length = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(12, 12 + length)));
  change(header);
  const changed = bytes.slice();
  changed.fill(32, 12, 12 + length);
  changed.set(new TextEncoder().encode(JSON.stringify(header)), 12);
  new DataView(changed.buffer).setUint32(changed.length - 4, crc32(changed.subarray(0, -4)), true);
  return changed;
}

for (const [kind, model] of Object.entries(models)) {
  test(`a ${kind} model that was saved and loaded gives the same bits`, () => {
    const loaded = loadModel(saveModel(model));
    assert.is(loaded.kind, kind);
    assert.equal(loaded.eigenvalues, eigenvalues);
    const unseen = normals([30, 3], 'unseen');
    assert.equal(transform(loaded, unseen).data, applyModel('spec', model, unseen).data);
    assert.equal(transform(loaded, unseen.copy('double')).data, transform(model, unseen).data);
    assert.equal(saveModel(loaded), saveModel(model));
  });

  test(`a ${kind} model with any byte changed or any end missing is refused`, () => {
    const bytes = saveModel(model);
    const random = new Random(kind);
    for (let k = 0; k < 400; k++) {
      const at = k < 60 ? k : random.integer(bytes.length);
      const changed = bytes.slice();
      changed[at] ^= 1 + random.integer(255);
      assert.throws(() => loadModel(changed), /^loadModel: expected (an intact file|a file that begins)/, `byte ${at}`);
      const length = random.integer(bytes.length);
      assert.throws(
        () => loadModel(bytes.slice(0, length)),
        /^loadModel: expected (an intact file|a file that begins)/,
      );
    }
  });
}

test('other versions and kinds are refused by name', () => {
  const bytes = saveModel(models.network);
  const later = withHeader(bytes, (header) => (header.version = 2));
  assert.throws(
    () => loadModel(later),
    /expected version 1 of the file, got 2\. Use the release of specnet that wrote it\.$/,
  );
  const other = withHeader(bytes, (header) => ((header.facts as { kind: string }).kind = 'tree'));
  assert.throws(
    () => loadModel(other),
    /^loadModel: expected the model\.kind to be 'landmarks' or 'network', got tree\.$/,
  );
  const short = withHeader(bytes, (header) => (header.tensors = (header.tensors as unknown[]).slice(1)));
  assert.throws(() => loadModel(short), /^loadModel: expected \d+ tensors, got \d+\.$/);
  assert.throws(() => loadModel('model.specnet' as never), /^loadModel: expected a Uint8Array, got model\.specnet\.$/);
});

test('a saved training continues with the same bits, and is not loaded as a model', async () => {
  const { points: moon } = oneMoon({ n: 60, seed: 1 });
  const graph = await buildGraph(moon, { kind: 'knn', neighbors: 8 });
  const ways: TrainOptions[] = [
    {},
    { scheme: 'full', pencil: 'symmetric' },
    { scheme: 'local', method: 'specnet1', optimizer: { kind: 'sgd', momentum: 0.5 } },
    { moments: 'corrected', optimizer: { kind: 'adamw' } },
    { scheme: 'edges', deflate: false },
    { method: 'ritz' },
    { method: 'regression' },
  ];
  await forEachInOrder(ways, async (way) => {
    const learn = (epochs: number, more: TrainOptions = {}): Promise<TrainingState> =>
      train(graph, new Mlp([2, 6, 2], { seed: epochs }), moon, { batch: 10, rate: 1e-3, ...way, epochs, ...more });
    let half: Uint8Array = new Uint8Array();
    const onEpoch: TrainOptions['onEpoch'] = ({ epoch, state }) => {
      if (epoch === 2) half = saveTraining(state());
    };
    const whole = saveTraining(await learn(4, { onEpoch }));
    assert.equal(saveTraining(await learn(4, { from: loadTraining(half) })), whole, JSON.stringify(way));
    assert.not.equal(half, whole);
    const state = await learn(1);
    const bytes = saveTraining(state);
    assert.equal(loadTraining(bytes), state);
    assert.throws(() => loadModel(bytes), /^loadModel: expected a file that holds a model, got training\.$/);
    assert.throws(
      () => loadTraining(bytes.slice(0, -9)),
      /^loadTraining: expected an intact file, got a wrong checksum/,
    );
  });
});

test('points of another width are refused with the width of fit', () => {
  assert.throws(
    () => applyModel('SpectralEmbedding.transform', models.network, zeros([4, 2])),
    /^SpectralEmbedding\.transform: expected 3 columns as in fit, got 2\.$/,
  );
  assert.throws(() => transform(models.landmarks, zeros([4, 2])), /^transform: expected 3 columns as in fit, got 2\.$/);
  assert.throws(
    () => transform({} as never, zeros([4, 2])),
    /^transform: expected a model, got Object\. Pass `fitted\.model`/,
  );
});

test.run();
