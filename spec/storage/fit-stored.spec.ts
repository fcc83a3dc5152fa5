/** A model that is fitted to files has the bits of one that is fitted in memory, and so have its coordinates. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { saveModel } from '../../lib/doors/embedding.ts';
import { readNpyTensor, writeNpyTensor } from '../../lib/doors/formats.ts';
import { buildGraph } from '../../lib/doors/graph.ts';
import { fitStored, storeGraph, transformStored } from '../../lib/doors/storage.ts';
import { Random, SpectralEmbedding, transform } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { inFolder, put } from '../cli/run.ts';
import { rejects } from '../rejects.ts';

const test = suite('fit of stored graphs');

/** Normal points around `center`. */
function normalPoints(rows: number, cols: number, center = 0) {
  const points = zeros([rows, cols]);
  new Random('points').fillNormal(points.data, center);
  return points;
}

for (const [cols, center] of [
  [3, 0],
  [20, 50],
] as const) {
  // oxfmt-ignore
  test(`the Ritz head on ${cols} columns around ${center} has the same bits as in memory`, () =>
    inFolder(async (folder) => {
      const points = normalPoints(3000, cols, center);
      const graph = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 12 });
      const options = { components: 3, landmarks: 150, seed: 7 };
      const expected = await new SpectralEmbedding({ ...options, method: 'ritz' }).fit(points, { graph });
      const stored = join(folder, 'graph');
      await storeGraph(graph, stored);
      const file = put(folder, 'points.npy', writeNpyTensor(points));
      const fitted = await fitStored(stored, file, { ...options, memory: 2 ** 24 });
      assert.is(fitted.converged, expected.converged);
      assert.equal([...fitted.model.eigenvalues], [...expected.eigenvalues]);
      assert.ok(Buffer.from(saveModel(fitted.model)).equals(saveModel(expected.model)));
      assert.ok(fitted.statistics.features.hits > 10_000, JSON.stringify(fitted.statistics));
      assert.is(readdirSync(stored).length, 6, 'no file of features is left');

      const out = join(folder, 'coordinates.npy');
      const written = await transformStored(fitted.model, file, out, { memory: 2 ** 24 });
      const coordinates = await readNpyTensor(readFileSync(out));
      assert.equal(coordinates.data.slice(), expected.embedding.data.slice());
      assert.equal(coordinates.shape, [3000, 3]);
      assert.is(written.rows, 3000);
      const first = coordinates.data.filter((_, at) => at % 3 === 0);
      assert.equal([written.columns[0].min, written.columns[0].max], [Math.min(...first), Math.max(...first)]);
    }));
}

test('a network transforms a file of many blocks with the bits of transform', () =>
  inFolder(async (folder) => {
    const points = normalPoints(300, 6);
    const training = { epochs: 1 };
    const { model } = await new SpectralEmbedding({ method: 'specnet2', hidden: [9], training, scale: 'standard' }).fit(points); // oxfmt-ignore
    const more = normalPoints(20_000, 6);
    const out = join(folder, 'coordinates.npy');
    await transformStored(model, put(folder, 'points.npy', writeNpyTensor(more)), out);
    assert.equal((await readNpyTensor(readFileSync(out))).data.slice(), transform(model, more).data.slice());
  }));

test('files that do not fit together are refused', () =>
  inFolder(async (folder) => {
    const points = normalPoints(60, 2);
    const stored = join(folder, 'graph');
    await storeGraph(await buildGraph(points, { kind: 'knn', neighbors: 5 }), stored);
    const file = put(folder, 'points.npy', writeNpyTensor(points));
    const other = put(folder, 'other.npy', writeNpyTensor(normalPoints(61, 2)));
    const constant = put(folder, 'constant.npy', writeNpyTensor(zeros([60, 2])));
    await rejects(() => fitStored(stored, other), /60 points, one for each node, got 61/);
    await rejects(() => fitStored(stored, constant), /points that differ from each other, got 60 copies/);
    await rejects(() => fitStored(stored, file, { landmarks: 4, components: 4 }), /components below 4, the number/);
    await rejects(() => fitStored(stored, file, { memory: 100 }), /memory of at least 16777216 bytes, got 100/);
    await rejects(
      () => fitStored(folder, file),
      /specnet-graph\.json of a complete graph, got no such file\. Make the folder anew/,
    );
    await storeGraph(put(folder, 'edges.csv', '0,1\n3,59\n'), join(folder, 'isolated'));
    await rejects(() => fitStored(join(folder, 'isolated'), file), /no isolated nodes, got 56 of degree 0/);
    const { model } = await fitStored(stored, file);
    const out = join(folder, 'out.npy');
    const wide = put(folder, 'wide.npy', writeNpyTensor(normalPoints(9, 3)));
    await rejects(() => transformStored(model, wide, out), /2 columns as in fit, got 3/);
    await rejects(() => transformStored(model, file, join(folder, 'none/out.npy')), /to be a file that can be written/);
    assert.not.ok(existsSync(out));
  }));

test.run();
