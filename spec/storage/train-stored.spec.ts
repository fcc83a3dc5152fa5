/** Networks that are trained on a stored graph and stored points have the bits of networks trained in memory, also after a kill. */

import { readdirSync, rmSync, truncateSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { saveModel } from '../../lib/doors/embedding.ts';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { buildGraph, graphFrom } from '../../lib/doors/graph.ts';
import { fitStored, openStoredGraph, openStoredPoints, storeGraph } from '../../lib/doors/storage.ts';
import { type Graph, Random, SpectralEmbedding, type SpectralEmbeddingOptions } from '../../lib/index.ts';
import { runSync, type Task } from '../../lib/core/task.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { trainStoredSteps } from '../../lib/spectral/stored/train-stored.ts';
import { type Tensor, zeros } from '../../lib/doors/tensor.ts';
import { inFolder, put } from '../cli/run.ts';
import { rejects } from '../rejects.ts';

const test = suite('trainings on stored graphs');

/** Normal points around `center`, of which a fraction of the numbers is not 0. */
function normalPoints(rows: number, cols: number, center = 0, dense = 1): Tensor {
  const points = zeros([rows, cols]);
  const random = new Random('points');
  for (let i = 0; i < points.size; i++) points.data[i] = random.uniform() < dense ? center + random.normal() : 0;
  return points;
}

/** Stores the graph and the points, and returns their paths. */
async function stored(folder: string, graph: Graph, points: Tensor): Promise<[graph: string, points: string]> {
  await storeGraph(graph, join(folder, 'graph'));
  return [join(folder, 'graph'), put(folder, 'points.npy', writeNpyTensor(points))];
}

type Training = Omit<NonNullable<SpectralEmbeddingOptions['training']>, 'from'>;

const cases: readonly [name: string, rows: number, cols: number, center: number, dense: number, training: Training][] =
  [
    ['corrected moments', 700, 3, 0, 1, { epochs: 2 }],
    [
      'corrected moments of points far from 0, in a given order',
      500,
      3,
      1000,
      1,
      { epochs: 1, order: 'random', batch: 8 },
    ],
    ['tracked moments in order', 500, 2, 0, 1, { epochs: 2, moments: 'tracked', order: 'cyclic', batch: 16 }],
    ['the symmetric pencil', 400, 4, 0, 1, { epochs: 1, pencil: 'symmetric', deflate: false, weighted: true }],
    ['points with few nonzeros', 400, 40, 0, 0.1, { epochs: 1, batch: 8 }],
    [
      'more rows than are summed at a time',
      16_500,
      2,
      0,
      1,
      { epochs: 1, moments: 'tracked', order: 'cyclic', batch: 1024 },
    ],
  ];

for (const [name, rows, cols, center, dense, training] of cases) {
  test(`SpecNet2 with ${name} has the same bits as in memory`, () =>
    inFolder(async (folder) => {
      const points = normalPoints(rows, cols, center, dense);
      const graph = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 6 });
      const options = { method: 'specnet2', components: 2, hidden: [9], seed: 3, training } as const;
      const expected = await new SpectralEmbedding(options).fit(points, { graph });
      const files = await stored(folder, graph, points);
      const fitted = await fitStored(...files, { ...options, memory: 2 ** 24 });
      assert.ok(Buffer.from(saveModel(fitted.model)).equals(saveModel(expected.model)));
      assert.ok(fitted.statistics.rows.hits > 1000, JSON.stringify(fitted.statistics));
      assert.is(readdirSync(files[0]).length, 6, 'no file of rows is left');
    }));
}

test('SpecNet1, and SpecNet2 on edges, have the same bits as in memory', () =>
  inFolder(async (folder) => {
    const points = normalPoints(400, 3);
    const { weights } = await buildGraph(points, { kind: 'knn', neighbors: 6 });
    const graph = graphFrom(weights.copy('single'));
    weights.values.fill(1);
    const files = await stored(folder, graphFrom(weights), points);
    for (const [method, training] of [
      ['specnet1', { scheme: 'neighbor', epochs: 1, batch: 8 }],
      ['specnet2', { scheme: 'edges', epochs: 2, batch: 16 }],
    ] as const) {
      const options = { method, components: 2, hidden: [7], training } as const;
      const expected = await new SpectralEmbedding(options).fit(points, { graph: graphFrom(weights) });
      const fitted = await fitStored(...files, { ...options, memory: 2 ** 24 });
      assert.ok(Buffer.from(saveModel(fitted.model)).equals(saveModel(expected.model)), method);
    }
    const [unequal, file] = [join(folder, 'unequal'), files[1]];
    await storeGraph(graph, unequal);
    const training = { scheme: 'edges', epochs: 2, batch: 16 } as const;
    const options = { method: 'specnet2', components: 2, hidden: [7], training } as const;
    const expected = await new SpectralEmbedding(options).fit(points, { graph });
    const fitted = await fitStored(unequal, file, { ...options, memory: 2 ** 24 });
    assert.ok(Buffer.from(saveModel(fitted.model)).equals(saveModel(expected.model)), 'unequal weights');
    assert.ok(fitted.statistics.rows.hits > 100, JSON.stringify(fitted.statistics));
    assert.is(readdirSync(unequal).length, 6, 'no table is left');
  }));

test('the sample that tells whether outputs have become constant is not overwritten by the points of a step', () =>
  inFolder(async (folder) => {
    const points = normalPoints(300, 3);
    const graph = await buildGraph(points, { kind: 'knn', neighbors: 6 });
    const [graphPath, pointsPath] = await stored(folder, graph, points);
    const [files, rows] = [openStoredGraph(graphPath), openStoredPoints(pointsPath)];
    /** A reader may write to what it returned before: here it fills it with zeros, of which all outputs are equal. */
    const reader = () => {
      let last: Tensor | null = null;
      return (list: Int32Array): Tensor => {
        last?.data.fill(0);
        last = rows.rows(list);
        return last;
      };
    };
    const network = new Mlp([3, 8, 2], { seed: 1 });
    const { parameters } = network;
    const before = parameters[0].copy();
    const training = { caller: 'spec', graph: files, network, reader, checkpoints: null, ahead: null };
    const memory = { rowsPath: join(folder, 'rows'), rowsMemory: 2 ** 16, queueMemory: 2 ** 16 };
    for (const scheme of ['neighbor', 'edges'] as const) {
      const options = { method: 'specnet2', scheme, epochs: 2, batch: 30, seed: 1 } as const;
      runSync(trainStoredSteps({ ...training, ...memory, options }) as Task<unknown>);
    }
    assert.not.equal(parameters[0].data, before.data);
    files.close();
    rows.close();
  }));

test('a training that was stopped continues from its checkpoint, with the same bits', () =>
  inFolder(async (folder) => {
    const points = normalPoints(600, 3);
    const files = await stored(folder, await buildGraph(points, { kind: 'knn', neighbors: 6 }), points);
    const training = { epochs: 3, batch: 2 };
    const options = { method: 'specnet2', hidden: [5], seed: 1, training, memory: 2 ** 24 } as const;
    const expected = await fitStored(...files, options);
    const checkpoint = join(folder, 'checkpoint');
    // An epoch has 300 steps, and a checkpoint is written after 256.
    for (const last of [1, 2]) {
      const onEpoch = ({ epoch }: { epoch: number }): void => {
        if (epoch === last) throw new Error('stopped');
      };
      const stopped = { ...options, checkpoint, training: { ...training, onEpoch } };
      await rejects(() => fitStored(...files, stopped), /stopped/);
      assert.equal(
        readdirSync(checkpoint).map((name) => name.replace(/\d+/, '#')),
        ['rows-#.part', 'training.specnet'],
      );
    }
    let epochs = 0;
    const onEpoch = (): void => void epochs++;
    const continued = await fitStored(...files, { ...options, checkpoint, training: { ...training, onEpoch } });
    assert.ok(Buffer.from(saveModel(continued.model)).equals(saveModel(expected.model)));
    assert.ok(epochs < 3, 'only the rest was trained');

    const again = await fitStored(...files, { ...options, checkpoint });
    assert.ok(Buffer.from(saveModel(again.model)).equals(saveModel(expected.model)), 'a finished training is kept');
    const other = { ...options, checkpoint, seed: 2 };
    await rejects(() => fitStored(...files, other), /the checkpoint of the same training, of the same graph, points/);
    const [rows] = readdirSync(checkpoint);
    const bytes = readFileSync(join(checkpoint, rows));
    bytes[100] ^= 1;
    writeFileSync(join(checkpoint, rows), bytes);
    await rejects(() => fitStored(...files, { ...options, checkpoint }), /as it was recorded, got a wrong checksum/);
    rmSync(join(checkpoint, rows));
    await rejects(
      () => fitStored(...files, { ...options, checkpoint }),
      /expected the file .*rows-\d+\.part, got none/,
    );
    truncateSync(join(checkpoint, 'training.specnet'), 50);
    await rejects(
      () => fitStored(...files, { ...options, checkpoint }),
      /a checkpoint in .*training\.specnet, got a damaged file, .*\. Delete the folder of the checkpoint, and train again\./,
    );
    put(checkpoint, 'notes.txt', 'mine');
    await rejects(() => fitStored(...files, { ...options, checkpoint }), /a folder without other files, got .*notes/);
  }));

test('what cannot be trained on files is refused', () =>
  inFolder(async (folder) => {
    const points = normalPoints(50, 2);
    const files = await stored(folder, await buildGraph(points, { kind: 'knn', neighbors: 5 }), points);
    const method = 'specnet2';
    await rejects(() => fitStored(...files, { hidden: [4] }), /no hidden for method 'ritz', got \[4\]/);
    await rejects(() => fitStored(...files, { method, landmarks: 9 }), /no landmarks for method 'specnet2', got 9/);
    await rejects(() => fitStored(...files, { method, components: 50 }), /at most 49 components, one less than points/);
    const full = { method, training: { scheme: 'full' } } as const;
    await rejects(() => fitStored(...files, full), /scheme 'neighbor' or 'edges' for a stored graph, got 'full'/);
    await rejects(() => fitStored(...files, { method, training: { from: {} } as never }), /from/);
  }));

test.run();
