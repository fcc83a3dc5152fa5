/** Eigenmaps, diffusion maps and spectral clusters agree with their definitions. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { accuracy, type Graph, graphFrom, Random, spectrum } from '../../lib/index.ts';
import { diffusionMap, laplacianEigenmap, spectralClustering } from '../../lib/doors/embedding.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { exactSpectrum } from '../../lib/spectral/spectrum/spectrum.ts';
import { type Edge, graphOfEdges, ring } from '../spectral/graphs.ts';

const test = suite('spectral embeddings');

const cycle = (size: number): Graph => graphOfEdges(size, ring(size));

/** Cliques of this many nodes. With `chained`, an edge connects each clique to the next. */
function cliques(count: number, each: number, chained: boolean): Graph {
  const edges: Edge[] = [];
  for (let c = 0; c < count; c++) {
    for (let a = 0; a < each; a++) for (let b = 0; b < a; b++) edges.push([c * each + a, c * each + b]);
    if (chained && c > 0) edges.push([c * each - 1, c * each]);
  }
  return graphOfEdges(count * each, edges);
}

test('the eigenvalues of a cycle are cosines, twice each', async () => {
  const { values, vectors, converged, residuals } = await spectrum(cycle(300), { count: 5 });
  assert.ok(converged);
  for (const [i, frequency] of [0, 1, 1, 2, 2].entries()) {
    assert.ok(Math.abs(values[i] - Math.cos((2 * Math.PI * frequency) / 300)) < 1e-10, `${i}: ${values[i]}`);
    assert.ok(residuals[i] < 1e-8);
  }
  // Σ dψ² = Σ d with all degrees 2.
  for (let j = 0; j < 5; j++) {
    let squares = 0;
    for (let i = 0; i < 300; i++) squares += vectors.at(i, j) ** 2;
    assert.ok(Math.abs(squares / 300 - 1) < 1e-10);
  }
});

test('the Laplacians of a regular graph have the same spectrum, each in its scale', async () => {
  const graph = cycle(40);
  const walk = (await spectrum(graph, { count: 3 })).values;
  const symmetric = (await spectrum(graph, { count: 3, laplacian: 'symmetric' })).values;
  const unnormalized = (await spectrum(graph, { count: 3, laplacian: 'unnormalized' })).values;
  for (let i = 0; i < 3; i++) {
    assert.ok(Math.abs(symmetric[i] - (1 - walk[i])) < 1e-10);
    assert.ok(Math.abs(unnormalized[i] - 2 * (1 - walk[i])) < 1e-10);
  }
});

test('an eigenmap satisfies W·ψ = λ·D·ψ, is D-orthogonal to the constant, and of unit variance', async () => {
  const graph = cliques(4, 8, true);
  const { embedding, eigenvalues, converged } = await laplacianEigenmap(graph, { components: 3 });
  assert.ok(converged);
  const { starts, columns, values } = graph.weights;
  for (let k = 0; k < 3; k++) {
    let [mean, variance] = [0, 0];
    for (let i = 0; i < graph.size; i++) {
      let product = 0;
      for (let e = starts[i]; e < starts[i + 1]; e++) product += values[e] * embedding.at(columns[e], k);
      assert.ok(Math.abs(product - eigenvalues[k] * graph.degrees[i] * embedding.at(i, k)) < 1e-8);
      mean += graph.degrees[i] * embedding.at(i, k);
      variance += graph.degrees[i] * embedding.at(i, k) ** 2;
    }
    assert.ok(Math.abs(mean / graph.volume) < 1e-9);
    assert.ok(Math.abs(variance / graph.volume - 1) < 1e-9);
  }
});

test('of a disconnected graph the first coordinates tell the components apart', async () => {
  const graph = cliques(3, 5, false);
  const { embedding, eigenvalues } = await laplacianEigenmap(graph, { components: 2 });
  for (const value of eigenvalues) assert.ok(Math.abs(value - 1) < 1e-10);
  for (let k = 0; k < 2; k++) {
    let sum = 0;
    for (let i = 0; i < 15; i++) {
      sum += embedding.at(i, k);
      assert.ok(Math.abs(embedding.at(i, k) - embedding.at(i - (i % 5), k)) < 1e-9, 'constant within a component');
    }
    assert.ok(Math.abs(sum) < 1e-9, 'and orthogonal to the constant');
  }
  const places = [0, 5, 10].map((i) => [embedding.at(i, 0), embedding.at(i, 1)]);
  for (const [a, b] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ]) {
    assert.ok(Math.hypot(places[a][0] - places[b][0], places[a][1] - places[b][1]) > 1);
  }
});

test('a diffusion map scales the eigenmap by λᵗ', async () => {
  const graph = cliques(3, 6, true);
  const still = await laplacianEigenmap(graph, { components: 2 });
  for (const time of [0, 1, 2.5]) {
    const { embedding } = await diffusionMap(graph, { components: 2, time });
    for (let i = 0; i < graph.size; i++) {
      for (let k = 0; k < 2; k++) {
        const expected = still.embedding.at(i, k) * still.eigenvalues[k] ** time;
        assert.ok(Math.abs(embedding.at(i, k) - expected) < 1e-12);
      }
    }
  }
});

test('cliques that single edges join are found, and so are components', async () => {
  for (const chained of [true, false]) {
    const graph = cliques(5, 12, chained);
    const { labels, sizes, converged } = await spectralClustering(graph, { clusters: 5, seed: 3 });
    assert.ok(converged);
    assert.is(
      accuracy(
        labels,
        Array.from({ length: 60 }, (_, i) => Math.floor(i / 12)),
      ),
      1,
    );
    assert.equal([...sizes], [12, 12, 12, 12, 12]);
  }
});

test('a large graph that is reordered internally has its eigenvectors in the original order', async () => {
  // Random edges among even nodes and among odd nodes, and few edges between the two.
  const [size, each] = [200_000, 5];
  const random = new Random('large graph');
  const count = 2 * size * each;
  const [rows, columns] = [new Int32Array(count), new Int32Array(count)];
  for (let i = 0, at = 0; i < size; i++) {
    for (let k = 0; k < each; k++, at += 2) {
      const other = (i + 2 * random.integer(size / 2) + (i % 100 === 0 && k === 0 ? 1 : 0)) % size;
      rows[at] = columns[at + 1] = i;
      columns[at] = rows[at + 1] = other;
    }
  }
  const graph = graphFrom(fromTriplets({ rows, columns, values: new Float32Array(count).fill(1) }, [size, size]));
  const { values, vectors, converged } = await spectrum(graph, { count: 2, tolerance: 1e-6 });
  assert.ok(converged);
  assert.ok(values[1] > 0.97, `${values[1]}`);
  const sign = Math.sign(vectors.at(0, 1));
  let agree = 0;
  for (let i = 0; i < size; i++) if (Math.sign(vectors.at(i, 1)) === (i % 2 === 0 ? sign : -sign)) agree++;
  assert.ok(agree > 0.995 * size, `${agree}`);
  let worst = 0;
  const { starts, columns: ends, values: weights } = graph.weights;
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) sum += weights[e] * vectors.at(ends[e], 1);
    worst = Math.max(worst, Math.abs(sum / graph.degrees[i] - values[1] * vectors.at(i, 1)));
  }
  assert.ok(worst < 1e-3, `${worst}`);
});

test('no bit depends on whether the graph has found room in the kernels’ memory', async () => {
  const before = await spectrum(cliques(30, 21, true), { count: 4 });
  // Allocates more small arrays than fit before garbage collection, so that later arrays are on the heap.
  const held = Array.from({ length: 20_100 }, () => zeros([1]));
  const graph = cliques(30, 21, true);
  assert.is(graph.weights.values.byteOffset, 0);
  const after = await spectrum(graph, { count: 4 });
  assert.equal(after.values, before.values);
  assert.equal(after.vectors.data, before.vectors.data);
  assert.is(held.length, 20_100);
});

test('eigenvectors to measure others by are those that have converged, or none', async () => {
  const graph = cycle(40);
  assert.equal(await exactSpectrum('somebody', graph, { count: 3 }), await spectrum(graph, { count: 3 }));
  const beyondRounding = { count: 3, tolerance: 1e-20 };
  assert.is((await spectrum(graph, beyondRounding)).converged, false);
  await rejects(
    () => exactSpectrum('somebody', graph, beyondRounding),
    /^somebody: expected the eigenvectors of this graph to converge, got residuals of \S+e-1\d after \d+ products\. Try another seed\.$/,
  );
});

test('bad input is refused', async () => {
  const graph = cycle(5);
  await rejects(
    () => laplacianEigenmap(graph, { components: 5 }),
    /expected at most 4 components, one less than nodes, got 5/,
  );
  await rejects(
    () => laplacianEigenmap(graph, { components: 0 }),
    /expected components to be a whole number, at least 1/,
  );
  await rejects(
    () => spectrum(graph, { count: 6 }),
    /spectrum: expected count to be at most 5, the number of nodes, got 6/,
  );
  await rejects(() => diffusionMap(graph, { components: 1, time: -1 }), /expected a time of at least 0, got -1/);
  await rejects(
    () => diffusionMap(graph, { components: 4, time: 0.5 }),
    /time to be a whole number where eigenvalues are negative/,
  );
  await rejects(
    () => spectralClustering(graph, { clusters: 0 }),
    /expected clusters to be a whole number, at least 1, got 0/,
  );
  const isolated = graphOfEdges(3, [[0, 1]]);
  await rejects(
    () => laplacianEigenmap(isolated, { components: 1 }),
    /expected no isolated nodes, got 1 of degree 0 \(2\)/,
  );
});

test.run();
