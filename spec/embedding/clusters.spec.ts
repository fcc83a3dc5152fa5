/** Clusters by k-means, cluster-QR and discretization: labels, numbers of clusters, stability and quality. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs, circles, ring, twoMoons } from '../../datasets/index.ts';
import { conductances, spectralClustering } from '../../lib/doors/embedding.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import {
  accuracy,
  adjustedRandIndex,
  buildGraph,
  type Graph,
  graphFrom,
  Random,
  SpectralClustering,
  Tensor,
} from '../../lib/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { describeChoice } from '../../lib/embedding/clustering/cluster-count.ts';
import { labelRows } from '../../lib/embedding/clustering/labeling.ts';
import { clusterQrSteps, discretizeSteps, largestEntries } from '../../lib/embedding/clustering/rotation.ts';
import { silhouetteSteps } from '../../lib/embedding/clustering/quality.ts';
import { rejects } from '../rejects.ts';

const test = suite('clusters');
const assignments = ['k-means', 'cluster-qr', 'discretize'] as const;

/** Cliques of these sizes, each joined to the next by one edge of this weight; none for 0. */
function cliques(sizes: readonly number[], link: number): { graph: Graph; labels: Int32Array } {
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  const join = (a: number, b: number, weight: number): void => {
    rows.push(a, b);
    columns.push(b, a);
    values.push(weight, weight);
  };
  let first = 0;
  const labels: number[] = [];
  for (const [c, size] of sizes.entries()) {
    for (let a = 0; a < size; a++) for (let b = 0; b < a; b++) join(first + a, first + b, 1);
    if (c > 0 && link > 0) join(first - 1, first, link);
    labels.push(...new Array<number>(size).fill(c));
    first += size;
  }
  return { graph: graphFrom(fromTriplets({ rows, columns, values }, [first, first])), labels: Int32Array.from(labels) };
}

test('cliques of different sizes are their own clusters under every assignment', async () => {
  const { graph, labels } = cliques([12, 5, 30, 8], 0.5);
  for (const assign of assignments) {
    const found = await spectralClustering(graph, { clusters: 4, assign });
    assert.is(accuracy(found.labels, labels), 1, assign);
    assert.is(found.assign, assign);
    assert.ok(found.converged);
    assert.equal(
      [...found.sizes].toSorted((a, b) => a - b),
      [5, 8, 12, 30],
    );
    assert.is(found.stability!.agreement, 1);
    assert.equal(found.warnings, []);
  }
});

test('rotated indicators are rotated back, whatever the rotation', () => {
  const random = new Random(5);
  const sizes = [7, 3, 11];
  const labels = sizes.flatMap((size, c) => new Array<number>(size).fill(c));
  // Orthonormal columns: indicators over √size, times a rotation in all three planes.
  const rotate = (row: number[]): number[] => {
    const result = row.slice();
    for (const [p, q, angle] of [
      [0, 1, 0.7],
      [1, 2, 2.1],
      [0, 2, 4],
    ]) {
      // oxfmt-ignore
      const [x, y] = [result[p], result[q]];
      result[p] = Math.cos(angle) * x - Math.sin(angle) * y;
      result[q] = Math.sin(angle) * x + Math.cos(angle) * y;
    }
    return result;
  };
  const data = labels.flatMap((label) =>
    rotate([0, 1, 2].map((c) => (c === label ? 1 / Math.sqrt(sizes[c]) : 0) + 0.02 * random.normal())),
  );
  const rows = new Tensor(Float64Array.from(data), [labels.length, 3]);
  for (const search of [clusterQrSteps(rows), discretizeSteps(rows, 3)]) {
    const { rotation, converged } = runSync(search);
    assert.ok(converged);
    for (let p = 0; p < 3; p++) {
      for (let q = 0; q < 3; q++) {
        const product = [0, 1, 2].reduce((sum, i) => sum + rotation.at(i, p) * rotation.at(i, q), 0);
        assert.ok(Math.abs(product - (p === q ? 1 : 0)) < 1e-12);
      }
    }
    const found = labels.map((_, i) => {
      const entries = [0, 1, 2].map((c) =>
        Math.abs([0, 1, 2].reduce((sum, j) => sum + rows.at(i, j) * rotation.at(j, c), 0)),
      );
      return entries.indexOf(Math.max(...entries));
    });
    assert.is(accuracy(found, labels), 1);
  }
});

test('the largest entry decides, by magnitude for cluster-QR, and the first of equal ones', () => {
  const rows = new Tensor(Float64Array.of(0.1, 0.5, 0.3, -0.9, 0.2, 0.4, 0.3, 0.3, -0.3, 0, 0, 0), [4, 3]);
  assert.equal([...largestEntries(rows, false)], [1, 2, 0, 0]);
  assert.equal([...largestEntries(rows, true)], [1, 0, 0, 0]);
  const identity = new Tensor(Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), [3, 3]);
  const centers = new Tensor(new Float32Array(9), [3, 3]);
  for (const [assign, labels] of [
    ['cluster-qr', [1, 0, 0, 0]],
    ['discretize', [1, 2, 0, 0]],
  ] as const) {
    assert.equal([...labelRows({ assign, centers, rotation: identity }, rows, true)], labels);
  }
});

test('cluster-QR rotates the longest rows to the axes, not those between clusters', () => {
  // Short rows halfway between two clusters come first and last, the members of clusters in between.
  const between = [[0.3, 0.3, 0], [0, 0.3, 0.3], [0.3, 0, 0.3]]; // oxfmt-ignore
  const members = [[1, 0, 0], [0, 0.9, 0], [0, 0, 0.8], [0.7, 0, 0], [0, 0.6, 0], [0, 0, 0.5]]; // oxfmt-ignore
  const rotate = ([x, y, z]: number[]): number[] => [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y, -z];
  const all = [...between, ...members, ...between].map(rotate);
  const { rotation } = runSync(clusterQrSteps(new Tensor(Float64Array.from(all.flat()), [12, 3])));
  for (const [i, row] of all.slice(3, 9).entries()) {
    const entries = [0, 1, 2].map((c) => row.reduce((sum, value, j) => sum + value * rotation.at(j, c), 0));
    // The pivots are rows 3, 4 and 5, the longest of each cluster: each is the axis of its own number.
    const length = Math.hypot(...members[i]);
    for (let c = 0; c < 3; c++) assert.ok(Math.abs(entries[c] - (c === i % 3 ? length : 0)) < 1e-12, `${i} ${c}`);
  }
});

test('predict gives the points of fit their labels, and new points theirs, under every assignment', async () => {
  const { points, labels } = circles({ n: 400, factor: 0.5, noise: 0.04, seed: 2 });
  const fresh = circles({ n: 200, factor: 0.5, noise: 0.04, seed: 7 });
  const graph = { kind: 'gaussian', sigma: 0.15, threshold: 0.08 } as const;
  for (const assign of assignments) {
    const fitted = await new SpectralClustering({ clusters: 2, assign, graph }).fit(points);
    assert.is(accuracy(fitted.labels, labels!), 1, assign);
    assert.equal(fitted.predict(points), fitted.labels);
    assert.is(adjustedRandIndex(fitted.predict(fresh.points), fresh.labels!), 1, assign);
    assert.ok(fitted.stability!.isStable);
    assert.equal(fitted.centers.shape, [2, 1]);
  }
});

test("clusters: 'auto' finds the number, and says why", async () => {
  const { graph, labels } = cliques([12, 9, 15, 8, 10], 0.5);
  const found = await spectralClustering(graph, { clusters: 'auto' });
  assert.is(accuracy(found.labels, labels), 1);
  const { chosen, runnerUp, eigenvalues, isClear } = found.choice!;
  assert.ok(isClear);
  assert.is(chosen.clusters, 5);
  assert.is(chosen.gap, eigenvalues[4] - eigenvalues[5]);
  assert.ok(Math.abs(chosen.score - (chosen.gap / Math.sqrt(1 - eigenvalues[5])) * chosen.silhouette ** 2) < 1e-12);
  assert.ok(runnerUp!.score < chosen.score && runnerUp!.clusters !== 5);
  assert.is(eigenvalues.length, 11);
  assert.equal([found.embedding.cols, found.eigenvalues.length, found.sizes.length], [5, 5, 5]);
  const few = await spectralClustering(graph, { clusters: 'auto', mostClusters: 3 });
  assert.is(few.choice!.eigenvalues.length, 4);
  assert.ok(few.sizes.length <= 3);
  const counted = (await spectralClustering(graph, { clusters: 5 })).choice;
  assert.is(counted, null);
});

test("'auto' is right for blobs, rings and moons of the default graph", async () => {
  const sets = [
    [2, blobs({ n: 300, centers: 2, seed: 1 })],
    [3, blobs({ n: 450, centers: 3, seed: 1 })],
    [5, blobs({ n: 500, centers: 5, seed: 5, dimension: 10, deviation: 3 })],
    [2, circles({ n: 600, factor: 0.5, noise: 0.05, seed: 2 })],
    [2, twoMoons({ n: 500, noise: 0.05, seed: 1 })],
    [2, twoMoons({ n: 500, noise: 0.05, seed: 2 })], // four halves have a larger score
    [3, blobs({ n: 360, centers: 3, seed: 303 })], // two groups have a larger relative gap
  ] as const;
  for (const [expected, { points, labels }] of sets) {
    const fitted = await new SpectralClustering({ clusters: 'auto', stabilityRuns: 0 }).fit(points);
    assert.is(fitted.choice!.chosen.clusters, expected);
    assert.is(fitted.stability, null);
    assert.ok(adjustedRandIndex(fitted.labels, labels!) > 0.95);
  }
});

test('separate clusters count double, and without any the relative gap decides', async () => {
  const auto = { clusters: 'auto', stabilityRuns: 0 } as const;
  const moons = await buildGraph(twoMoons({ n: 500, noise: 0.05, seed: 2 }).points, { kind: 'knn', neighbors: 16 });
  const choice = (await spectralClustering(moons, auto)).choice!;
  const { chosen, runnerUp } = choice;
  assert.equal([chosen.clusters, runnerUp!.clusters, choice.rule, choice.isClear], [2, 4, 'score', false]);
  assert.ok(chosen.silhouette >= 0.75 && runnerUp!.silhouette < 0.75);
  assert.ok(runnerUp!.score > chosen.score && runnerUp!.score < 2 * chosen.score);
  assert.match(
    describeChoice(choice),
    /^2 clusters chosen \(eigengap λ2 − λ3 = [\d.e-]+, silhouette 0\.\d\d, separate, score [\d.e-]+\): the largest score, where separate clusters count double; next: 4 \(.*, not separate, score [\d.e-]+\)\.$/,
  );
  // Five blobs that touch are not separate, three groups of them are. The score of five is more than twice as large.
  const { points } = blobs({ n: 250, centers: 5, dimension: 10, deviation: 4.5, seed: 1 });
  const touching = (await spectralClustering(await buildGraph(points, { kind: 'knn', neighbors: 16 }), auto)).choice!;
  assert.equal([touching.chosen.clusters, touching.runnerUp!.clusters, touching.isClear], [5, 3, false]);
  assert.ok(touching.chosen.silhouette < 0.75 && touching.runnerUp!.silhouette >= 0.75);

  const path = await buildGraph(ring({ n: 300, seed: 1 }).points, { kind: 'knn', neighbors: 16 });
  const found = (await spectralClustering(path, auto)).choice!;
  assert.equal([found.rule, found.isClear], ['relative gap', false]);
  assert.ok(found.chosen.silhouette < 0.75);
  const relative = Array.from({ length: 9 }, (_, k) => {
    const [inside, outside] = [found.eigenvalues[k + 1], found.eigenvalues[k + 2]];
    return (inside - outside) / (1 - outside);
  });
  assert.ok(relative[found.chosen.clusters - 2] > 0.9 * Math.max(...relative));
  assert.match(describeChoice(found), /: the largest relative gap, since no silhouette reaches 0\.75; next: /);
});

test('a ring has no clusters, and warnings say so', async () => {
  const { points } = ring({ n: 300, seed: 1 });
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: 0.3 });
  const found = await spectralClustering(graph, { clusters: 'auto' });
  assert.not(found.choice!.isClear);
  assert.match(found.warnings.join(' '), /number of clusters is not clear: \d+ clusters chosen \(eigengap λ/);
});

test('clusters that depend on the seed are reported: a symmetric cycle, and more components than clusters', async () => {
  const size = 400; // too many for the dense eigensolver, which has no random start
  const next = Array.from({ length: size }, (_, i) => (i + 1) % size);
  const here = Array.from({ length: size }, (_, i) => i);
  const both = { rows: [...here, ...next], columns: [...next, ...here], values: new Array<number>(2 * size).fill(1) };
  const cycle = graphFrom(fromTriplets(both, [size, size]));
  for (const assign of assignments) {
    const found = await spectralClustering(cycle, { clusters: 2, assign });
    assert.ok(found.stability!.agreement < 0.9, `${assign}: ${found.stability!.agreement}`);
    assert.not(found.stability!.isStable);
    assert.match(found.warnings.join(' '), /depend on the seed: those of other seeds agree with them to .* of 0\.\d\d/);
  }
  const parts = await spectralClustering(cliques([5, 6, 7, 8, 9], 0).graph, { clusters: 3 });
  assert.match(parts.warnings.join(' '), /5 components, more than the 3 clusters/);
});

test('labels do not depend on whether stability is measured', async () => {
  const { graph } = cliques([12, 5, 30, 8], 0.5);
  const options = { clusters: 3, restarts: 2, seed: 4 } as const;
  const measured = await spectralClustering(graph, options);
  const skipped = await spectralClustering(graph, { ...options, stabilityRuns: 0 });
  assert.equal(measured.labels, skipped.labels);
  assert.equal(measured.centers.data, skipped.centers.data);
  assert.is(skipped.stability, null);
});

test('conductance is the cut over the smaller volume', () => {
  const { graph, labels } = cliques([4, 6], 0.5);
  // Volumes: 4·3 + ½ and 6·5 + ½. The cut is the one edge of weight ½.
  const found = conductances(graph, labels, 2);
  assert.ok(Math.abs(found[0] - 0.5 / 12.5) < 1e-12 && Math.abs(found[1] - 0.5 / 12.5) < 1e-12);
  assert.equal([...conductances(graph, new Int32Array(10), 1)], [0]);
  assert.equal([...conductances(graph, new Int32Array(10), 2)], [0, 1]); // the second has no nodes
  assert.throws(() => conductances(graph, new Int32Array(9), 2), /expected 10 labels, one for each node, got 9/);
  assert.throws(() => conductances(graph, new Int32Array(10).fill(3), 2), /labels from 0 to 1, got 3 at index 0/);
});

test('the silhouette agrees with its definition, and a sample comes near it', () => {
  const { points, labels } = blobs({ n: 60, centers: 3, seed: 4 });
  const distance = (i: number, j: number): number =>
    Math.hypot(points.at(i, 0) - points.at(j, 0), points.at(i, 1) - points.at(j, 1));
  let sum = 0;
  for (let i = 0; i < 60; i++) {
    const mean = (c: number): number => {
      const members = [...labels!.keys()].filter((j) => labels![j] === c && j !== i);
      return members.reduce((total, j) => total + distance(i, j), 0) / members.length;
    };
    const inside = mean(labels![i]);
    const outside = Math.min(...[0, 1, 2].filter((c) => c !== labels![i]).map(mean));
    sum += (outside - inside) / Math.max(inside, outside);
  }
  const { silhouette, sample } = runSync(silhouetteSteps(points, labels!, 0));
  assert.is(sample, 60);
  assert.ok(Math.abs(silhouette! - sum / 60) < 1e-5);
  assert.is(runSync(silhouetteSteps(points, new Int32Array(60), 0)).silhouette, null);
  const many = blobs({ n: 6000, centers: 3, seed: 4 });
  const [first, second] = [0, 1].map((seed) => runSync(silhouetteSteps(many.points, many.labels!, seed)));
  assert.is(first.sample, 2000);
  assert.ok(first.silhouette !== second.silhouette && Math.abs(first.silhouette! - second.silhouette!) < 0.02);
});

test('options that do not fit are refused', async () => {
  const { graph } = cliques([4, 6], 0.5);
  const cluster = (options: object) => spectralClustering(graph, { clusters: 2, ...options } as never);
  await rejects(() => cluster({ clusters: 'many' }), /clusters to be a number or 'auto', got many/);
  await rejects(
    () => cluster({ assign: 'nearest' }),
    /assign to be 'k-means' or 'cluster-qr' or 'discretize', got nearest/,
  );
  await rejects(() => cluster({ assign: 'cluster-qr', restarts: 3 }), /restarts together with assign 'k-means'/);
  await rejects(() => cluster({ mostClusters: 4 }), /mostClusters together with clusters 'auto', got clusters 2/);
  await rejects(() => cluster({ clusters: 11 }), /at most 10 clusters, the number of nodes, got 11/);
  assert.throws(
    () => new SpectralClustering({ clusters: 2, assign: 'discretize', components: 3 }),
    /components together with assign 'k-means', got assign 'discretize'/,
  );
});

test.run();
