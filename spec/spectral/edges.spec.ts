/** The scheme 'edges': its gradient is that of f2 on average over all edges, and trainings can be repeated and continued. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { loadTraining, saveTraining } from '../../lib/doors/embedding.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { solve, spectrum, train, type TrainingState, type TrainOptions } from '../../lib/doors/solver.ts';
import {
  buildGraph,
  disableSimd,
  enableSimd,
  type Graph,
  graphFrom,
  Random,
  setThreads,
  SpectralEmbedding,
  type Tensor,
} from '../../lib/index.ts';
import { EdgeSampler, edgeGradient } from '../../lib/spectral/descent/edges.ts';
import { f2Of } from '../../lib/spectral/ritz/quality.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { rejects } from '../rejects.ts';
import { graphOfEdges } from './graphs.ts';

const test = suite('edges');

const [n, width] = [6, 2];

/** Nodes of different degrees, with a loop; all weights equal, or random. */
const equal = graphOfEdges(n, [[0, 1], [1, 2], [2, 3], [0, 3], [0, 4], [0, 5]]); // oxfmt-ignore
const weighted = ((): Graph => {
  const random = new Random('weights');
  const pairs = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [1, 4]]; // oxfmt-ignore
  const values = pairs.map(() => random.uniform(0.1, 2));
  const rows = [...pairs.map(([i]) => i), ...pairs.map(([, j]) => j), 2];
  const columns = [...pairs.map(([, j]) => j), ...pairs.map(([i]) => i), 2];
  return graphFrom(fromTriplets({ rows, columns, values: [...values, ...values, 0.7] }, [n, n], 'double'));
})();

function randomRows(seed: string): Tensor<Float64Array> {
  const rows = zeros([n, width], 'double');
  new Random(seed).fillNormal(rows.data);
  return rows;
}

/** The entries of W, with their probabilities. */
function entriesOf({ weights, volume }: Graph): { ends: [number, number]; probability: number }[] {
  const { starts, columns, values } = weights;
  return Array.from(columns, (column, e) => ({
    ends: [starts.findLastIndex((start, i) => i < n && start <= e), column],
    probability: values[e] / volume,
  }));
}

/** The expected gradient with respect to the rows y, over all pairs of edges. */
function expectedGradient(graph: Graph, y: Tensor<Float64Array>, deflate: boolean, of = edgeGradient): number[] {
  const unit = Math.sqrt(graph.volume) / n;
  const result = new Array<number>(n * width).fill(0);
  const [rows, out] = [new Float64Array(4 * width), new Float64Array(4 * width)];
  const entries = entriesOf(graph);
  for (const first of entries) {
    for (const second of entries) {
      const ends = [...first.ends, ...second.ends];
      for (let p = 0; p < rows.length; p++) rows[p] = unit * y.data[ends[Math.floor(p / width)] * width + (p % width)];
      of(4, width, deflate, rows, out);
      for (let p = 0; p < out.length; p++) {
        const at = ends[Math.floor(p / width)] * width + (p % width);
        result[at] += first.probability * second.probability * unit * out[p];
      }
    }
  }
  return result;
}

/** The derivatives of f2. They are exact, because f2 is a quartic in each entry. */
function exactGradient(graph: Graph, y: Tensor<Float64Array>, deflate: boolean): number[] {
  const pencil = pencilOf('spec', graph, 'random-walk', deflate, 'double');
  return Array.from(y.data, (entry, p) => {
    const at = (t: number): number => {
      const moved = y.copy();
      moved.data[p] = entry + t;
      return f2Of(pencil, moved);
    };
    return (8 * (at(0.5) - at(-0.5)) - (at(1) - at(-1))) / 6;
  });
}

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (x, k) => Math.abs(x - b[k])));

test('the average of the gradient over all pairs of edges is the gradient of f2', () => {
  for (const graph of [equal, weighted]) {
    for (const deflate of [true, false]) {
      const y = randomRows('rows');
      const exact = exactGradient(graph, y, deflate);
      assert.ok(distance(exact, exact.map(() => 0)) > 0.1); // oxfmt-ignore
      assert.ok(distance(expectedGradient(graph, y, deflate), exact) < 1e-13);
    }
  }
});

test('without the correction for partners, the average is another one', () => {
  const wrong: typeof edgeGradient = (count, k, deflate, rows, out) => {
    edgeGradient(count, k, deflate, rows, out);
    // Adds the pair of a row with itself.
    for (let p = 0; p < count; p++) {
      let square = 0;
      for (let j = 0; j < k; j++) square += rows[p * k + j] ** 2;
      for (let j = 0; j < k; j++) out[p * k + j] += (4 / (count * (count - 2))) * square * rows[p * k + j];
    }
  };
  const y = randomRows('rows');
  assert.ok(distance(expectedGradient(weighted, y, true, wrong), exactGradient(weighted, y, true)) > 0.01);
});

test('a larger batch averages over its pairs: the gradients of all pairs of its edges', () => {
  const random = new Random('batch');
  const [b, k] = [5, 3];
  const rows = Float64Array.from({ length: 2 * b * k }, () => random.normal());
  const found = new Float64Array(rows.length);
  edgeGradient(2 * b, k, true, rows, found);
  const average = new Float64Array(rows.length);
  const part = new Float64Array(4 * k);
  for (let e = 0; e < b; e++) {
    for (let f = 0; f < e; f++) {
      const places = [e, f].flatMap((edge) => Array.from({ length: 2 * k }, (_, p) => edge * 2 * k + p));
      edgeGradient(4, k, true, Float64Array.from(places, (p) => rows[p]), part); // oxfmt-ignore
      for (const [p, place] of places.entries()) average[place] += part[p] / ((b * (b - 1)) / 2);
    }
  }
  assert.ok(distance(found, average) < 1e-13);
});

test('edges are drawn with the probabilities of their weights', () => {
  for (const graph of [equal, weighted]) {
    const draws = 6000;
    const ends = new Int32Array(2 * draws);
    new EdgeSampler(graph.weights).draw(new Random('edges'), ends);
    const counts = new Map<string, number>();
    for (let e = 0; e < draws; e++) {
      const key = `${ends[2 * e]},${ends[2 * e + 1]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const entries = entriesOf(graph);
    assert.ok(counts.size <= entries.length);
    for (const { ends: pair, probability } of entries) {
      const expected = draws * probability;
      assert.ok(Math.abs((counts.get(`${pair}`) ?? 0) - expected) < 5 * Math.sqrt(expected), `${pair}`);
    }
  }
});

const { points } = oneMoon({ n: 200, seed: 1 });
const graph = await buildGraph(points, { kind: 'knn', neighbors: 8 });
const options: TrainOptions = { scheme: 'edges', batch: 16, epochs: 4, seed: 3 };

const trained = (more: TrainOptions = {}): Promise<TrainingState> =>
  train(graph, new Mlp([2, 16, 2], { seed: 1 }), points, { ...options, ...more });

const bitsOf = ({ parameters }: TrainingState): number[] => parameters.flatMap(({ data }) => [...data]);

test('training has the same bits again, on two threads and after a pause in a file; with plain kernels nearly the same', async () => {
  const all = bitsOf(await trained());
  assert.equal(bitsOf(await trained()), all);
  const rate = { from: 2e-3, to: 1e-5, steps: 52 };
  const half = loadTraining(saveTraining(await trained({ epochs: 2, rate })));
  assert.is(half.scheme, 'edges');
  assert.is(half.rows, null);
  assert.equal(bitsOf(await trained({ from: half })), all, 'the default rate falls over 4 epochs of 13 steps');
  setThreads(2);
  assert.equal(bitsOf(await trained()), all);
  setThreads(1);
  disableSimd();
  assert.ok(distance(bitsOf(await trained()), all) < 1e-3);
  enableSimd();
  assert.ok(distance(bitsOf(await trained({ seed: 4 })), all) > 1e-3);
});

test('the scale of the outputs is that of the neighbor scheme: plain rows are n/√volume times calibrated ones', async () => {
  const small = await spectrum(graph, { count: 2 });
  const best = -(small.values[1] ** 2);
  const gaps = await Promise.all(
    (['plain', 'calibrated'] as const).map(async (scale) => {
      const network = new Mlp([2, 32, 1], { seed: 1 });
      await train(graph, network, points, { ...options, scale, batch: 64, epochs: 200, rate: 3e-3 });
      const y = network.evaluate(points);
      if (scale === 'calibrated') for (let p = 0; p < y.size; p++) y.data[p] *= graph.size / Math.sqrt(graph.volume);
      return f2Of(pencilOf('spec', graph, 'random-walk', true, 'single'), y) - best;
    }),
  );
  for (const gap of gaps) assert.ok(gap >= 0 && gap < 0.1, `${gaps}`);
});

test('an estimator learns by edges', async () => {
  const embedding = new SpectralEmbedding({
    components: 1,
    method: 'specnet2',
    hidden: [32],
    training: { scheme: 'edges', epochs: 60 },
    graph: { kind: 'knn', neighbors: 8 },
    seed: 1,
  });
  const fitted = await embedding.fit(points);
  const exact = await spectrum(graph, { count: 2 });
  assert.ok(fitted.eigenvalues[0] > exact.values[1] - 0.02, `${fitted.eigenvalues[0]} of ${exact.values[1]}`);
});

test('options that have no meaning for edges are refused', async () => {
  await rejects(() => trained({ method: 'specnet1' }), /scheme 'edges' with method 'specnet2', got 'specnet1'/);
  await rejects(() => trained({ moments: 'corrected' }), /no moments for scheme 'edges', got corrected/);
  await rejects(() => trained({ order: 'random' }), /no order for scheme 'edges', got random/);
  await rejects(() => trained({ weighted: false }), /no weighted for scheme 'edges', got false/);
  await rejects(() => trained({ through: true }), /no through for scheme 'edges', got true/);
  await rejects(() => trained({ refresh: 2 }), /no refresh for scheme 'edges', got 2/);
  await rejects(() => trained({ pencil: 'symmetric' }), /scheme 'edges' with pencil 'random-walk', got 'symmetric'/);
  await rejects(() => trained({ batch: 1 }), /batch to be a whole number, at least 2, got 1/);
  await rejects(() => trained({ batch: 1e6 }), /a batch of at most \d+ edges, as many as W has entries, got 1000000/);
  await rejects(() => trained({ rate: 1e9 }), /a rate small enough/);
  const other = await trained({ scheme: 'neighbor' });
  await rejects(() => trained({ from: other }), /a training by specnet2 edges, got one by specnet2 neighbor/);
  await rejects(() => solve(graph, { components: 1, scheme: 'edges' as never }), /scheme to be 'local' or 'full'/);
});

test.run();
