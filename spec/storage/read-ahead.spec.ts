/** Threads that read for the next batch: they read its pages, and change neither batches nor the bits of a training. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runSync } from '../../lib/core/task.ts';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { openStoredGraph, openStoredPoints, storeGraph } from '../../lib/doors/storage.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { buildGraph, Random } from '../../lib/index.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { trainStoredSteps } from '../../lib/spectral/stored/train-stored.ts';
import type { RowLayout } from '../../lib/storage/arrays/paged-file.ts';
import { exceedsMemory, ReadAhead } from '../../lib/storage/fit/read-ahead.ts';
import { inFolder } from '../cli/run.ts';

const test = suite('reading ahead');

const cols = 200;

/** A stored graph and its points, some of which lie in two pages. */
async function opened(folder: string) {
  const points = zeros([400, cols]);
  new Random('points').fillNormal(points.data);
  await storeGraph(await buildGraph(points, { kind: 'knn', neighbors: 6 }), join(folder, 'graph'));
  writeFileSync(join(folder, 'points.npy'), writeNpyTensor(points));
  const graph = openStoredGraph(join(folder, 'graph'));
  return { graph, points: openStoredPoints(join(folder, 'points.npy')) };
}

test('while a batch is in use, the rows of the next one and the points of their neighbors are read', () =>
  inFolder(async (folder) => {
    const { graph, points } = await opened(folder);
    const batches = [Int32Array.of(3, 1), Int32Array.of(7, 399, 0, 20, 21), Int32Array.of(9)];
    const ahead = new ReadAhead(graph, [points.table], 5);
    const wanted = Array.from(graph.rows(batches[1]).starts.keys()).slice(1);
    const expected = wanted.reduce((sum, i) => sum + 3 + pagesOf(graph.rows(batches[1]), i - 1, points.table), 0);
    const seen: Int32Array[] = [];
    for (const batch of ahead.before(batches)) {
      seen.push(batch);
      // oxlint-disable-next-line no-await-in-loop -- it waits for the threads
      while (seen.length === 1 && ahead.pages < expected) await new Promise((resolve) => setTimeout(resolve, 5));
      if (seen.length === 1) assert.is(ahead.pages, expected);
    }
    assert.equal(seen, batches);
    await ahead.close();
    graph.close();
    points.close();
  }));

/** The pages of the table with the neighbors of row i, which are in ascending order. */
function pagesOf(weights: ReturnType<ReturnType<typeof openStoredGraph>['rows']>, i: number, table: RowLayout): number {
  const pages = new Set<number>();
  for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
    const from = table.begin + table.rowBytes * weights.columns[e];
    for (const byte of [from, from + table.rowBytes - 1]) pages.add(Math.floor(byte / 4096));
  }
  return pages.size;
}

test('a training that reads ahead has the same bits', () =>
  inFolder(async (folder) => {
    const { graph, points } = await opened(folder);
    const trained = [null, points.table].map((table, k) => {
      const network = new Mlp([cols, 8, 3], { seed: 1 });
      const statistics = runSync(
        trainStoredSteps({
          caller: 'spec',
          graph,
          network,
          reader: () => points.rowTaker(),
          options: { method: 'specnet2', moments: 'corrected', order: 'random', batch: 16, epochs: 3, seed: 2 },
          rowsPath: join(folder, `rows-${k}`),
          rowsMemory: 2 ** 16,
          queueMemory: 0,
          checkpoints: null,
          ahead: table,
        }),
      );
      assert.is(statistics?.pagesAhead === undefined, table === null);
      return network.parameters.map(({ data }) => Array.from(data));
    });
    assert.equal(trained[1], trained[0]);
    graph.close();
    points.close();
  }));

test('only files that the memory of the system cannot hold are read ahead', () => {
  assert.not.ok(exceedsMemory(1000));
  assert.ok(exceedsMemory(1e18));
});

test.run();
