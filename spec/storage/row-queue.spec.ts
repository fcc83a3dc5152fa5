/** Rows of several batches, read together: the same rows, from fewer pages. */

import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStoredGraph, storeGraph } from '../../lib/doors/storage.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { buildGraph, Random } from '../../lib/index.ts';
import { RowQueue } from '../../lib/storage/fit/row-queue.ts';
import { inFolder } from '../cli/run.ts';

const test = suite('rows of several batches');

const [nodes, batch] = [3000, 10];

async function stored(folder: string): Promise<string> {
  const points = zeros([nodes, 3]);
  new Random('points').fillNormal(points.data);
  await storeGraph(await buildGraph(points, { kind: 'knn', neighbors: 8 }), join(folder, 'graph'));
  return join(folder, 'graph');
}

/** Batches that share their memory: each is valid until the next one. */
function* batches(): Generator<Int32Array> {
  const order = new Random('batches').permutation(nodes);
  const shared = new Int32Array(batch);
  for (let from = 0; from < 400; from += batch) {
    shared.set(order.subarray(from, from + batch));
    yield shared;
  }
}

const arraysOf = ({
  starts,
  columns,
  values,
}: {
  starts: Int32Array;
  columns: Int32Array;
  values: ArrayLike<number>;
}) => [starts, columns, values].map((array) => Array.from(array));

test('a queue returns the rows of each batch, whatever its memory, and reads fewer pages with more', () =>
  inFolder(async (folder) => {
    const path = await stored(folder);
    const expected = openStoredGraph(path);
    const wanted = Array.from(batches(), (rows) => [...rows]);
    const misses = [0, 2500, 1e5].map((memory) => {
      const graph = openStoredGraph(path, { memory: 2 ** 16 });
      const queue = new RowQueue(graph, memory);
      let count = 0;
      for (const rows of queue.before(batches())) {
        assert.equal([...rows], wanted[count / batch]);
        assert.equal(arraysOf(queue.take(rows)), arraysOf(expected.rows(rows)));
        count += rows.length;
      }
      assert.is(count, 400);
      graph.close();
      return graph.statistics.misses;
    });
    expected.close();
    assert.ok(misses[0] > 3 * misses[2], String(misses));
  }));

test('rows may be overwritten, taken again, and taken after the batch that follows was asked for', () =>
  inFolder(async (folder) => {
    const graph = openStoredGraph(await stored(folder), { memory: 2 ** 16 });
    const queue = new RowQueue(graph, 2500);
    let last: Int32Array | null = null;
    for (const rows of queue.before(batches())) {
      if (last) {
        const expected = arraysOf(graph.rows(last));
        const first = queue.take(last);
        assert.equal(arraysOf(first), expected);
        first.values.fill(7);
        assert.equal(arraysOf(queue.take(last)), expected);
      }
      last = rows;
    }
    assert.equal(arraysOf(queue.take(Int32Array.of(5, 2))), arraysOf(graph.rows(Int32Array.of(5, 2))));
    graph.close();
  }));

test.run();
