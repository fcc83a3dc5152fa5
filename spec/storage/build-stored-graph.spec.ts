/** A graph that is built block by block on disk has the bits of one that is built in memory, also after kills. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { buildGraph } from '../../lib/doors/graph.ts';
import { buildStoredGraph, openStoredGraph, openStoredPoints, type StoredRecipe } from '../../lib/doors/storage.ts';
import { Random, type Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { neighborsOfBlockSteps } from '../../lib/storage/neighbors/block-neighbors.ts';
import { nearestNeighbors } from '../../lib/doors/graph.ts';
import { runSync } from '../../lib/core/task.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put } from '../cli/run.ts';
import { rejects } from '../rejects.ts';

const test = suite('build a stored graph');

function normalPoints(rows: number, cols: number): Tensor<Float32Array> {
  const points = zeros([rows, cols]);
  new Random(`${rows}×${cols}`).fillNormal(points.data);
  return points;
}

/** Whole numbers, so that many distances are equal and many points coincide. */
function latticePoints(rows: number, cols: number, side: number): Tensor<Float32Array> {
  const random = new Random('lattice');
  const points = zeros([rows, cols]);
  for (let at = 0; at < points.size; at++) points.data[at] = random.integer(side);
  return points;
}

async function sameAsInMemory(points: Tensor, recipe: StoredRecipe, name: string): Promise<void> {
  await inFolder(async (folder) => {
    const file = put(folder, 'points.npy', writeNpyTensor(points));
    const out = join(folder, 'graph');
    await buildStoredGraph(file, out, { memory: 2 ** 24, ...recipe });
    assert.not.ok(
      readdirSync(out).some((each) => each.endsWith('.part') || each.startsWith('build')),
      'work files',
    );
    const expected = await buildGraph(points, recipe);
    const stored = openStoredGraph(out);
    const { weights, degrees, volume, scale } = stored.toGraph();
    stored.close();
    for (const array of ['starts', 'columns', 'values'] as const) {
      assert.equal(weights[array].slice(), expected.weights[array].slice(), `${array} of ${name}`);
    }
    assert.equal(degrees.slice(), expected.degrees.slice());
    assert.equal([volume, scale], [expected.volume, expected.scale]);
  });
}

const recipes: StoredRecipe[] = [
  { kind: 'knn', neighbors: 9 },
  { kind: 'knn', neighbors: 5, includeSelf: false, symmetric: 'mutual' },
  { kind: 'knn-gaussian', neighbors: 7, metric: 'manhattan' },
  { kind: 'knn-gaussian', neighbors: 7, sigma: 0.05, leastWeight: 0.01, metric: 'cosine' },
  { kind: 'self-tuned', neighbors: 10, includeSelf: false },
];

for (const recipe of recipes) {
  const name = JSON.stringify(recipe);
  test(`${name} has the same bits as in memory`, async () => {
    // 16 MiB hold about a thousand points at a time.
    await sameAsInMemory(normalPoints(2500, 40), recipe, name);
    await sameAsInMemory(normalPoints(1300, 3), recipe, name);
  });
}

test('ties and points that coincide are resolved as in memory', async () => {
  await sameAsInMemory(latticePoints(4000, 2, 30), { kind: 'knn', neighbors: 6 }, 'a plane');
  await sameAsInMemory(
    latticePoints(4000, 2, 30),
    { kind: 'knn', neighbors: 6, includeSelf: false },
    'a plane, others',
  );
  await sameAsInMemory(latticePoints(3000, 20, 2), { kind: 'knn', neighbors: 6 }, 'a cube');
});

test('blocks of any size find the same neighbors', () =>
  inFolder(async (folder) => {
    const points = latticePoints(150, 3, 4);
    const stored = openStoredPoints(put(folder, 'points.npy', writeNpyTensor(points)));
    for (const includeSelf of [true, false]) {
      // oxlint-disable-next-line no-await-in-loop -- two searches
      const expected = await nearestNeighbors(points, { neighbors: 12, includeSelf });
      for (const blockRows of [1, 2, 7, 64, 149, 150, 1000]) {
        for (const [from, to] of [
          [0, 150],
          [31, 32],
          [70, 150],
        ]) {
          // oxfmt-ignore
          const search = { caller: 'spec', neighbors: 12, includeSelf, metric: {}, blockRows };
          const found = runSync(neighborsOfBlockSteps(stored, from, to, search));
          const label = `${blockRows} rows, ${from} to ${to}`;
          assert.equal(found.indices, expected.indices.slice(12 * from, 12 * to), label);
          assert.equal(found.squaredDistances, expected.squaredDistances.slice(12 * from, 12 * to), label);
        }
      }
    }
    stored.close();
  }));

test('after kills the build continues, and ends in the same bytes', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'points.npy', writeNpyTensor(normalPoints(4500, 8)));
    const recipe = { kind: 'self-tuned', neighbors: 8, memory: 2 ** 24 } as const;
    await buildStoredGraph(file, join(folder, 'expected'), recipe);
    const out = join(folder, 'graph');
    const stops = [
      ['half-written', 'neighbors-00000.part'],
      ['after-rename', 'neighbors-00000.part'],
      ['half-written', 'indices.npy'],
      ['before-rename', 'specnet-graph.json'],
      ['after-rename', 'specnet-graph.json'],
    ];
    const code = `import { buildStoredGraph } from './dist/lib/doors/storage.js';
      await buildStoredGraph(${JSON.stringify(file)}, ${JSON.stringify(out)}, ${JSON.stringify(recipe)});`;
    for (const [moment, name] of stops) {
      const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
        encoding: 'utf8',
        env: { ...process.env, NODE_V8_COVERAGE: '', SPECNET_TEST_STOP_AT: moment, SPECNET_TEST_STOP_FILE: name },
      });
      assert.is(signal, 'SIGKILL', `${moment} of ${name}: ${stderr}`);
      assert.is(existsSync(join(out, 'neighbors-00000.part')), moment !== 'half-written' || name !== stops[0][1]);
    }
    await buildStoredGraph(file, out, recipe);
    const names = readdirSync(join(folder, 'expected')).toSorted();
    assert.equal(readdirSync(out).filter((name) => !name.endsWith('.lock')).toSorted(), names); // oxfmt-ignore
    for (const name of names) {
      assert.ok(readFileSync(join(out, name)).equals(readFileSync(join(folder, 'expected', name))), name);
    }
  }));

test('a damaged file of neighbors is computed again; other points and options are refused', () =>
  inFolder(async (folder) => {
    const points = normalPoints(4200, 8);
    const file = put(folder, 'points.npy', writeNpyTensor(points));
    const out = join(folder, 'graph');
    const plain = { kind: 'knn', neighbors: 8 } as const;
    const recipe = { ...plain, memory: 2 ** 24 };
    const stop = { SPECNET_TEST_STOP_AT: 'before-sync', SPECNET_TEST_STOP_FILE: 'degrees.npy', SPECNET_TEST_STOP_BY: 'ENOSPC' }; // oxfmt-ignore
    Object.assign(process.env, stop);
    await rejects(
      () => buildStoredGraph(file, out, recipe),
      /degrees\.npy to be a file that can be written, got ENOSPC/,
    );
    for (const name of Object.keys(stop)) delete process.env[name];
    assert.equal(readdirSync(out).filter((name) => name.endsWith('.npy')), []); // oxfmt-ignore
    const part = join(out, 'neighbors-00001.part');
    const bytes = readFileSync(part);
    bytes[77] ^= 1;
    writeFileSync(part, bytes);
    const another = /the folder of the same build, of the same points and options, got .*graph/;
    await rejects(() => buildStoredGraph(file, out, { ...recipe, neighbors: 9 }), another);
    await rejects(
      () => buildStoredGraph(put(folder, 'q.npy', writeNpyTensor(normalPoints(4200, 9))), out, recipe),
      another,
    );
    await buildStoredGraph(file, out, recipe);
    const stored = openStoredGraph(out);
    assert.equal(stored.toGraph().weights.values.slice(), (await buildGraph(points, plain)).weights.values.slice());
    stored.close();
  }));

test('what needs all points at once is refused', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'points.npy', writeNpyTensor(normalPoints(40, 2)));
    const out = join(folder, 'graph');
    const cases: [object, RegExp][] = [
      [{ kind: 'gaussian', sigma: 1 }, /kind to be 'knn' or 'knn-gaussian' or 'self-tuned', got gaussian/],
      [{ kind: 'knn', connect: 'join' }, /connect 'none', got 'join'\. buildGraph and storeGraph do so in memory/],
      [{ kind: 'knn', alpha: 1 }, /alpha 0, got 1/],
      [{ kind: 'knn', method: 'descent' }, /method 'auto', and search 'exact' or 'approximate', got 'descent'/],
      [{ kind: 'knn-gaussian', sigma: 'auto' }, /sigma as a number, or none, got 'auto'/],
      [{ kind: 'knn-gaussian', bandwidth: 'variable' }, /bandwidth 'fixed', got 'variable'/],
      [{ kind: 'knn', neighbors: 41 }, /neighbors to be at most 40 for 40 points, got 41/],
      [{ kind: 'self-tuned', neighbors: 5, scaleNeighbor: 5 }, /scaleNeighbor to be at most the 4 other/],
    ];
    await forEachInOrder(cases, async ([recipe, message]) => {
      await rejects(() => buildStoredGraph(file, out, recipe as never), message);
      assert.not.ok(existsSync(out));
    });
  }));

test.run();
