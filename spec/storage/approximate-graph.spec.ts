/** A graph whose neighbors are searched in cells: its recall, its bits, kills, damage, and the command line. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Metric, nearestNeighbors } from '../../lib/doors/graph.ts';
import { runSync } from '../../lib/core/task.ts';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { buildStoredGraph, openStoredGraph, openStoredPoints, type StoredRecipe } from '../../lib/doors/storage.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { joinHeader } from '../../lib/formats/numpy/npy-header.ts';
import { resolveMetric } from '../../lib/graph/neighbors/metric.ts';
import { Random, type Tensor } from '../../lib/index.ts';
import { openCells, writeCellsSteps } from '../../lib/storage/neighbors/cell-files.ts';
import { neighborsInCellsSteps } from '../../lib/storage/neighbors/cell-neighbors.ts';
import { assignCellsSteps, findCentersSteps } from '../../lib/storage/neighbors/centers.ts';
import { inFolder, put, run } from '../cli/run.ts';
import { forEachInOrder } from '../for-each.ts';
import { rejects } from '../rejects.ts';

const test = suite('approximate stored graph');

/** A curved surface of three dimensions among ten columns. */
function surfacePoints(rows: number): Tensor<Float32Array> {
  const random = new Random('surface');
  const points = zeros([rows, 10]);
  for (let i = 0; i < rows; i++) {
    const place = [random.normal(), random.normal(), random.normal()];
    for (let j = 0; j < 10; j++) points.data[i * 10 + j] = Math.sin(place[j % 3] + j) + place[(j + 1) % 3] / 4;
  }
  return points;
}

/** Small whole numbers, none of them 0, so that many distances are equal. */
function latticePoints(rows: number, cols: number): Tensor<Float32Array> {
  const random = new Random('lattice');
  const points = zeros([rows, cols]);
  for (let at = 0; at < points.size; at++) points.data[at] = 1 + random.integer(4);
  return points;
}

const recipe = { kind: 'knn', neighbors: 10, search: 'approximate', memory: 2 ** 24 } as const;
const arrays = ['indptr', 'indices', 'data', 'degrees', 'checksums'].map((name) => `${name}.npy`);

function bitsOf(folder: string): string[] {
  return [...arrays, 'specnet-graph.json'].map((name) => readFileSync(join(folder, name)).toString('base64'));
}

const metrics: readonly Metric[] = ['euclidean', 'cosine', 'manhattan'];

for (const metric of metrics) {
  test(`a search in all cells finds the exact neighbors, with ties (${metric})`, () =>
    inFolder(async (folder) => {
      const points = latticePoints(500, 5);
      const stored = openStoredPoints(put(folder, 'points.npy', writeNpyTensor(points)));
      const space = { caller: 'spec', metric: resolveMetric('spec', { metric }), blockRows: 128 };
      const search = { caller: 'spec', neighbors: 9, includeSelf: true, metric: { metric }, blockRows: 128 };
      const centers = runSync(findCentersSteps(stored, 12, 3, space));
      const cellOf = runSync(assignCellsSteps(stored, centers, space));
      const room = { partRows: 100, bufferRows: 40, blockRows: 128 };
      runSync(writeCellsSteps(stored, folder, centers, cellOf, 12, room));
      const cells = openCells('spec', folder, 2 ** 20);
      assert.is(cells.starts.at(-1), 500);
      const expected = await nearestNeighbors(points, { neighbors: 9, metric, method: 'brute' });
      for (const [from, to] of [
        [0, 200],
        [200, 500],
      ]) {
        const found = runSync(neighborsInCellsSteps(stored, cells, from, to, search, space));
        cells.indices(from, to).forEach((point, i) => {
          const [here, there] = [9 * i, 9 * point];
          assert.equal(found.indices.slice(here, here + 9), expected.indices.slice(there, there + 9), `${point}`);
          assert.equal(
            found.squaredDistances.slice(here, here + 9),
            expected.squaredDistances.slice(there, there + 9),
            `${point}`,
          );
        });
      }
      cells.close();
      stored.close();
    }));
}

test('the recall that is reported is that of the graph, and near the one that was asked for', () =>
  inFolder(async (folder) => {
    const points = surfacePoints(2000);
    const file = put(folder, 'points.npy', writeNpyTensor(points));
    const exact = await nearestNeighbors(points, { neighbors: 10 });
    const found: number[] = [];
    await forEachInOrder([0.6, 0.98], async (wanted) => {
      const out = join(folder, `graph-${wanted}`);
      const { recall = NaN } = await buildStoredGraph(file, out, { ...recipe, recall: wanted });
      const graph = openStoredGraph(out);
      assert.is(graph.recall, recall);
      const { weights } = graph.toGraph();
      graph.close();
      let hits = 0;
      for (let i = 0; i < 2000; i++) {
        const row = new Set(weights.columns.subarray(weights.starts[i], weights.starts[i + 1]));
        for (let k = 1; k < 10; k++) if (row.has(exact.indices[10 * i + k])) hits++;
      }
      // Edges that only the other end found count here as well.
      const joined = hits / 18_000;
      assert.ok(recall <= joined + 0.02 && joined <= recall + 0.15, `${recall} measured, ${joined} of all edges`);
      assert.ok(Math.abs(recall - wanted) < 0.08, `${recall} for ${wanted}`);
      found.push(joined);
    });
    assert.ok(found[0] < found[1]);
  }));

test('the bits depend on the seed, not on the memory', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'points.npy', writeNpyTensor(surfacePoints(1500)));
    const build = async (name: string, options: Partial<StoredRecipe>): Promise<string[]> => {
      await buildStoredGraph(file, join(folder, name), { ...recipe, ...options } as StoredRecipe);
      assert.equal(readdirSync(join(folder, name)).filter((each) => each.startsWith('cell')), []); // oxfmt-ignore
      return bitsOf(join(folder, name));
    };
    const expected = await build('small', {});
    assert.equal(await build('large', { memory: 2 ** 27 }), expected);
    assert.not.equal(await build('seed', { seed: 1 }), expected);
    const tuned = { kind: 'self-tuned', includeSelf: false, metric: 'correlation' } as const;
    assert.equal(await build('tuned', tuned), await build('tuned-large', { ...tuned, memory: 2 ** 27 }));
  }));

test('points with fewer others in their cells than neighbors are compared with all', () =>
  inFolder(async (folder) => {
    // Pairs far from each other: the cells of a point have few points.
    const points = zeros([60, 2]);
    for (let i = 0; i < 60; i++) points.data.set([1000 * Math.floor(i / 2), i % 2], 2 * i);
    const file = put(folder, 'points.npy', writeNpyTensor(points));
    const header = await buildStoredGraph(file, join(folder, 'graph'), { ...recipe, recall: 0.01 });
    assert.is(header.isolated, 0);
    const graph = openStoredGraph(join(folder, 'graph'));
    const { weights } = graph.toGraph();
    graph.close();
    for (let i = 0; i < 60; i++) assert.ok(weights.starts[i + 1] - weights.starts[i] >= 10, `row ${i}`);
  }));

test('after kills the build continues, and ends in the same bytes', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'points.npy', writeNpyTensor(surfacePoints(2600)));
    await buildStoredGraph(file, join(folder, 'expected'), recipe);
    const out = join(folder, 'graph');
    const code = `import { buildStoredGraph } from './dist/lib/doors/storage.js';
      await buildStoredGraph(${JSON.stringify(file)}, ${JSON.stringify(out)}, ${JSON.stringify(recipe)});`;
    const stops = [
      ['before-rename', 'cell-search.json'],
      ['after-rename', 'neighbors-00001.part'],
      ['after-rename', 'specnet-graph.json'],
    ];
    for (const [moment, name] of stops) {
      const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
        encoding: 'utf8',
        env: { ...process.env, NODE_V8_COVERAGE: '', SPECNET_TEST_STOP_AT: moment, SPECNET_TEST_STOP_FILE: name },
      });
      assert.is(signal, 'SIGKILL', `${moment} of ${name}: ${stderr}`);
    }
    // The graph is complete, and its plan is still there.
    await rejects(() => buildStoredGraph(file, out, { ...recipe, neighbors: 3 }), /the folder of the same build/);
    await buildStoredGraph(file, out, recipe);
    assert.equal(bitsOf(out), bitsOf(join(folder, 'expected')));
    assert.equal(
      readdirSync(out).filter((name) => !name.endsWith('.lock')).toSorted(),
      readdirSync(join(folder, 'expected')).toSorted(),
    ); // oxfmt-ignore
  }));

test('damaged cells, other options and a wrong recall are refused', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'points.npy', writeNpyTensor(surfacePoints(1500)));
    const out = join(folder, 'graph');
    const refused: [object, RegExp][] = [
      [{ recall: 0 }, /expected recall above 0 and at most 1, got 0/],
      [{ recall: 1.5 }, /expected recall above 0 and at most 1, got 1.5/],
      [{ recall: 0.5, search: 'exact' }, /expected recall with search 'auto' or 'approximate', got 'exact'/],
      [{ search: 'fast' }, /expected search to be .*got fast/],
    ];
    await forEachInOrder(refused, async ([options, message]) => {
      await rejects(() => buildStoredGraph(file, out, { ...recipe, ...options } as StoredRecipe), message);
    });
    const stop = { SPECNET_TEST_STOP_AT: 'before-sync', SPECNET_TEST_STOP_FILE: 'neighbors-00000.part', SPECNET_TEST_STOP_BY: 'ENOSPC' }; // oxfmt-ignore
    Object.assign(process.env, stop);
    await rejects(() => buildStoredGraph(file, out, recipe), /neighbors-00000\.part to be a file that can be written/);
    for (const name of Object.keys(stop)) delete process.env[name];
    const another = /the folder of the same build, of the same points and options/;
    await rejects(() => buildStoredGraph(file, out, { ...recipe, seed: 7 }), another);
    await rejects(() => buildStoredGraph(file, out, { ...recipe, search: 'exact' }), another);
    await rejects(() => buildStoredGraph(file, out, { ...recipe, memory: 2 ** 27 }), another);
    const cells = join(out, 'cell-points.npy');
    const bytes = readFileSync(cells);
    bytes[9999] ^= 4;
    writeFileSync(cells, bytes);
    await rejects(() => buildStoredGraph(file, out, recipe), /undamaged .*cell-points\.npy, got a wrong checksum/);
  }));

test('store and tasks write the same graph, state the recall, and warn of a low one', () =>
  inFolder(async (folder) => {
    const noise = zeros([900, 20]);
    new Random('noise').fillNormal(noise.data);
    put(folder, 'points.npy', writeNpyTensor(noise));
    const shell = (line: string) => run(line.replaceAll('@', `${folder}/`).split(' '));
    const flags = '--neighbors 6 --search approximate --recall 0.4 --seed 3';
    const { out, err } = await shell(`store @points.npy ${flags} --out @whole --json`);
    const { recall } = JSON.parse(out);
    assert.ok(recall > 0.3 && recall < 0.5, `${recall}`);
    assert.match(err, /specnet: only \d+\.\d % of the nearest neighbors were found, measured on a sample\. A higher/);
    const planned = await shell(`plan neighbors @points.npy ${flags} --blocks 3 --out @run`);
    assert.match(planned.out, /cells +1\nsearch +2 to 4\nmerge +5\n/);
    const merged = await shell('run @run --jobs 1');
    assert.is(merged.code, 0, merged.err);
    assert.equal(bitsOf(join(folder, 'run', 'graph')), bitsOf(join(folder, 'whole')));
    const edges = await shell(`store @points.npy --edges --search exact --out @edges`);
    assert.match(edges.err, /expected --search with points, got/);
  }));

test('auto is exact below a million points of 50 columns, and approximate from there on', () =>
  inFolder(async (folder) => {
    const stagesOf = async (rows: number, cols: number): Promise<string[]> => {
      const header = joinHeader('|u1', [rows, cols], new Uint8Array(0));
      const file = put(folder, `${rows}-${cols}.npy`, header);
      truncateSync(file, header.length + rows * cols); // a hole, which takes no space
      const { out, err } = await run([
        'plan',
        'neighbors',
        file,
        '--out',
        join(folder, `run-${rows}-${cols}`),
        '--json',
      ]);
      assert.is(err, '');
      return JSON.parse(out).stages.map(({ name }: { name: string }) => name);
    };
    assert.equal(await stagesOf(990_000, 50), ['search', 'merge']);
    assert.equal(await stagesOf(1_000_000, 50), ['cells', 'search', 'merge']);
    assert.equal(await stagesOf(4_300_000, 3), ['search', 'merge']);
    assert.equal(await stagesOf(4_400_000, 3), ['cells', 'search', 'merge']);
  }));

test.run();
