/** Regression on landmarks of a stored graph has the bits of that in memory, and its eigenvectors those of Lanczos. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runAsync, runSync } from '../../lib/core/task.ts';
import { saveModel } from '../../lib/doors/embedding.ts';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { buildGraph, graphFrom } from '../../lib/doors/graph.ts';
import { fitStored, openStoredGraph, storeGraph } from '../../lib/doors/storage.ts';
import { type Graph, Random, spectrum, SpectralEmbedding } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { chooseLandmarks } from '../../lib/doors/network.ts';
import { leastSquaresSteps } from '../../lib/spectral/regression/least-squares.ts';
import { type FeatureBlocks, wholeFeatures } from '../../lib/spectral/regression/normal-equations.ts';
import { targetsOf } from '../../lib/spectral/regression/targets.ts';
import { countPartsSteps, storedTargetsSteps, streamedTargetsSteps } from '../../lib/spectral/stored/stored-targets.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { pointRange } from '../../lib/sparse/points.ts';
import type { CsrMatrix } from '../../lib/sparse/csr.ts';
import { inFolder, put } from '../cli/run.ts';
import { rejects } from '../rejects.ts';

const test = suite('regression on stored graphs');

function normalPoints(rows: number, cols: number, center = 0) {
  const points = zeros([rows, cols]);
  new Random('points').fillNormal(points.data, center);
  return points;
}

async function storedGraph(folder: string, graph: Graph) {
  await storeGraph(graph, join(folder, 'graph'));
  return openStoredGraph(join(folder, 'graph'));
}

for (const [cols, center, landmarks] of [
  [3, 0, 150],
  [10, 50, 600],
] as const) {
  test(`on ${landmarks} landmarks of ${cols} columns around ${center} it has the same bits as in memory`, () =>
    inFolder(async (folder) => {
      const points = normalPoints(2500, cols, center);
      const graph = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 12 });
      const options = { components: 3, landmarks, seed: 7, method: 'regression' } as const;
      const expected = await new SpectralEmbedding(options).fit(points, { graph });
      (await storedGraph(folder, graph)).close();
      const files = [join(folder, 'graph'), put(folder, 'points.npy', writeNpyTensor(points))] as const;
      const fitted = await fitStored(...files, { ...options, memory: 2 ** 24 });
      assert.is(fitted.converged, expected.converged);
      assert.ok(Buffer.from(saveModel(fitted.model)).equals(saveModel(expected.model)));
      assert.is(readdirSync(files[0]).length, 6, 'no hidden file is left');
    }));
}

test('eigenvectors that are found block by block have the bits of Lanczos in memory', () =>
  inFolder(async (folder) => {
    const graph = graphFrom(twoHalves(17_000));
    const stored = await storedGraph(folder, graph);
    const found = await spectrum(graph, { count: 2, tolerance: 1e-6, solver: 'lanczos', certify: false });
    const expected = targetsOf(graph, found);
    // All three blocks of rows are kept, only the first one, or none.
    for (const memory of [2 ** 24, 1_000_000, 0]) {
      const targets = runSync(streamedTargetsSteps(stored, 1, memory));
      assert.equal(targets.rows.data, expected.rows.data, `${memory}`);
      assert.equal([...targets.values], [...expected.values]);
    }
    assert.ok(stored.statistics.bytesRead > 30 * 8 * graph.weights.nonzeros, 'most products read the files');
    stored.close();
  }));

test('graphs of several parts have as many parts in files, and the same targets', () =>
  inFolder(async (folder) => {
    const points = normalPoints(600, 2);
    for (let i = 0; i < 600; i++) points.data[2 * i] += 100 * (i % 3);
    const graph = await buildGraph(points, { kind: 'knn', neighbors: 5 });
    assert.is(graph.components.count, 3);
    const stored = await storedGraph(folder, graph);
    assert.is(runSync(countPartsSteps(stored)), 3);
    const { rows } = runSync(streamedTargetsSteps(stored, 4, 2 ** 20));
    const found = await spectrum(graph, { count: 5, tolerance: 1e-6, solver: 'lanczos', certify: false });
    assert.equal(rows.data, targetsOf(graph, found).rows.data);
    stored.close();
  }));

test('least squares have the same bits, however the features are divided', async () => {
  const points = normalPoints(700, 3);
  const { degrees } = await buildGraph(points, { kind: 'knn', neighbors: 5 });
  const targets = zeros([700, 2], 'double');
  new Random(1).fillNormal(targets.data);
  // With 30 landmarks the matrix of the normal equations is summed, with 300 it is applied.
  for (const count of [30, 300]) {
    const features = chooseLandmarks(points, { count, neighbors: 6 }).features(points);
    const divided: FeatureBlocks = {
      ...wholeFeatures(features),
      blocks: () =>
        [
          [0, 1],
          [1, 400],
          [400, 700],
        ].map(([from, to]) => ({ from, rows: pointRange(features, from, to) as CsrMatrix })),
    };
    const [whole, parts] = [wholeFeatures(features), divided].map((blocks) =>
      runSync(leastSquaresSteps(blocks, degrees, targets)),
    );
    assert.equal(parts.weights.data, whole.weights.data, `${count}`);
    assert.equal(parts.explained, whole.explained, `${count}`);
  }
});

test('eigenvectors that do not fit in memory are refused, with a way out', () =>
  inFolder(async (folder) => {
    const stored = await storedGraph(folder, graphFrom(ring(50_000)));
    const solving = () => runAsync(storedTargetsSteps('fit', stored, 2, 2 ** 23, 0.5), {});
    await rejects(
      solving,
      /fit: expected at least 39 MiB of memory for 51 vectors of 50000 numbers, got 16 MiB\. Raise/,
    );
    stored.close();
    const points = put(folder, 'points.npy', writeNpyTensor(normalPoints(50_000, 2)));
    const fitting = () => fitStored(join(folder, 'graph'), points, { method: 'regression', memory: 2 ** 24 });
    await rejects(fitting, /39 MiB of memory for 51 vectors.*got 16 MiB.*or use method 'ritz'/);
    assert.is(readdirSync(join(folder, 'graph')).length, 6, 'no hidden file is left');
    await rejects(
      () => fitStored(join(folder, 'graph'), points, { method: 'regression', hidden: [3] }),
      /no hidden for method 'regression'/,
    );
  }));

/** The weights of two halves whose nodes have random neighbors, few of them in the other half: Lanczos needs few products. */
function twoHalves(size: number) {
  const random = new Random('halves');
  const [rows, columns, values]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < 5; k++) {
      const half = random.uniform() < 0.02 ? 1 - (i % 2) : i % 2;
      const [j, weight] = [2 * random.integer(size >> 1) + half, random.uniform(0.5, 1)];
      rows.push(i, j);
      columns.push(j, i);
      values.push(weight, weight);
    }
  }
  return fromTriplets({ rows, columns, values }, [size, size]);
}

/** The weights of a ring. */
function ring(size: number) {
  const rows = Array.from({ length: size }, (_, i) => i);
  const columns = rows.map((i) => (i + 1) % size);
  return fromTriplets(
    { rows: [...rows, ...columns], columns: [...columns, ...rows], values: new Array(2 * size).fill(1) },
    [size, size],
  );
}

test.run();
