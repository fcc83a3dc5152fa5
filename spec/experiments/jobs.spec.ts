/** Jobs that were stopped resume and give the same numbers, and the numbers are what they claim to be. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { buildGraph, graphFrom, Random, tensor } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { type DirectMethod, directMethods, embedDirectly } from '../../lib/experiments/recipes/direct.ts';
import { embedMnist } from '../../lib/experiments/recipes/mnist/jobs.ts';
import type { Outcome, JobContext } from '../../lib/experiments/shared/experiment.ts';
import { embedOneMoon, solveOneMoon } from '../../lib/experiments/recipes/one-moon/jobs.ts';
import { measureScaling } from '../../lib/experiments/recipes/scaling.ts';
import { trainAndMeasure, type TrainingTask } from '../../lib/experiments/shared/training.ts';
import { refusalOf } from '../rejects.ts';

const test = suite('jobs');

class Stopped extends Error {}

/** Bytes that jobs share, and a clock that advances by a second per reading. */
function testContext(options: { from?: unknown; stopAfter?: number } = {}) {
  const kept: unknown[] = [];
  let time = 0;
  const all: JobContext = {
    savedState: structuredClone(options.from),
    saveState(value) {
      kept.push(structuredClone(value));
      if (kept.length === options.stopAfter) throw new Stopped();
    },
    progress() {},
    now: () => ++time,
    async shared(name, compute) {
      if (!files.has(name)) files.set(name, await compute());
      return files.get(name)!;
    },
  };
  return { all, kept };
}
const files = new Map<string, Uint8Array>();

/** The results with the work stopped after two epochs and resumed, and without interruption. */
async function bothWays<T>(work: (around: JobContext) => Promise<T>): Promise<[whole: T, resumed: T]> {
  const first = testContext({ stopAfter: 2 });
  let stopped = false;
  await work(first.all).catch((error) => {
    if (!(error instanceof Stopped)) throw error;
    stopped = true;
  });
  assert.ok(stopped);
  return [await work(testContext().all), await work(testContext({ from: first.kept[1] }).all)];
}

const small = oneMoon({ n: 80, seed: 1 }).points;
const graph = await buildGraph(small, { kind: 'gaussian', sigma: 0.3, threshold: 0.1 });

for (const method of ['specnet1', 'specnet2'] as const) {
  for (const scheme of ['local', 'full', 'neighbor'] as const) {
    test(`a stopped training by ${method} ${scheme} continues to the same numbers`, async () => {
      const task: TrainingTask = {
        method,
        scheme,
        batch: 8,
        rate: 1e-3,
        hidden: [8],
        epochs: 5,
        start: 3,
        pencil: 'random-walk',
        shown: false,
      };
      const [whole, resumed] = await bothWays((around) =>
        trainAndMeasure(graph, small, 2, task, around, (network) => network.evaluate(small).data.subarray(0, 6)),
      );
      assert.is(whole.rows.length, 5);
      assert.equal(resumed.rows, whole.rows);
      assert.equal(
        resumed.network.parameters.map(({ data }) => Array.from(data)),
        whole.network.parameters.map(({ data }) => Array.from(data)),
      );
      assert.ok(resumed.seconds.every((value, i) => i === 0 || value > resumed.seconds[i - 1]));
    });
  }
}

test('a stopped solve continues to the same numbers, and approaches the eigenvectors', async () => {
  const task = { data: 1, method: 'specnet2', scheme: 'neighbor', step: 4, batch: 50, epochs: 6, start: 2 } as const;
  const [whole, resumed] = await bothWays<Outcome<{ rows: readonly (readonly number[])[] }>>((around) =>
    solveOneMoon(task, around),
  );
  assert.is(whole.numbers.rows.length, 6);
  assert.equal(resumed.numbers, whole.numbers);
  const own = await solveOneMoon({ ...task, step: 'auto', epochs: 100 }, testContext().all);
  const last = own.numbers.rows.at(-1)!;
  assert.ok(own.numbers.rows.length < 60 && last[0] < 1e-6 && last[1] < 1e-6, `${last}`);
  assert.ok(last[2] > 1e-3, 'eigenfunctions are not eigenvectors');
});

test('the exact eigenvectors of one moon are exact, and their extension is as far from the eigenfunctions as they are', async () => {
  const { numbers } = await embedOneMoon({ data: 1, method: 'eigen', start: 0, shown: true }, testContext().all);
  const [train1, train2, test1, test2, exact1, exact2] = numbers.rows[0];
  assert.ok(exact1 < 1e-6 && exact2 < 1e-6);
  assert.ok(Math.abs(test1 / train1 - 1) < 0.2 && Math.abs(test2 / train2 - 1) < 0.2, `${numbers.rows[0]}`);
  assert.is(numbers.embedding!.test.first.length, 500);
});

test('f2 at the eigenfunctions of one moon is near its limit, and the gradient falls as the root of n', async () => {
  const [few, many] = await Promise.all(
    [200, 3200].map((n) => measureScaling({ n, sigma: 0.2, threshold: 1e-6, draw: 0 })),
  );
  assert.ok(Math.abs(many.numbers.f2 / many.numbers.limit - 1) < 0.05, `${many.numbers.f2} ${many.numbers.limit}`);
  const fall = few.numbers.gradient / many.numbers.gradient; // 4 on average over draws
  assert.ok(fall > 2 && fall < 8, `${fall}`);
});

test('MNIST is embedded by every method, and alike by jobs that compute the graph and that read it', async () => {
  const { all } = testContext();
  const embed = (method: DirectMethod) =>
    embedMnist({ data: 0, train: 300, test: 60, neighbors: 16, method, start: 0, shown: true }, all);
  const first = (await embed('eigen')).numbers;
  assert.equal((await embed('eigen')).numbers, first);
  for (const method of directMethods) {
    const { pictures, vote } = method === 'eigen' ? first : (await embed(method)).numbers;
    assert.is(pictures!.test.labels.length, 60);
    assert.ok(vote! > 0.3, `${method}: ${vote}, by chance 0.1`);
  }
});

test('no figure is drawn from eigenvectors that have not converged', async () => {
  // A long path: its eigenvalues lie within 1e-6 of each other. Lanczos cannot separate them with its limit on products. The last
  // node is a hub that weak edges join to all others, so that no coarser level is sparse. Weak edges between random nodes fill
  // every factorization.
  const hub = 10_000;
  const nodes = Array.from({ length: hub }, (_, i) => i);
  const random = new Random('far');
  const ends = [...nodes.slice(1), ...nodes, ...nodes.flatMap((i) => [i, i, i])];
  const others = [
    ...nodes.slice(0, -1),
    ...nodes.map(() => hub),
    ...nodes.flatMap((i) => [1, 2, 3].map((part) => (i + part * 2500 + random.integer(2000)) % hub)),
  ];
  const values = ends.map((_, e) => (e < hub - 1 ? 1 : 1e-11));
  const edges = { rows: [...ends, ...others], columns: [...others, ...ends], values: [...values, ...values] };
  const path = tensor([...nodes, hub].map((i) => [i]));
  const recipe = { kind: 'knn', neighbors: 3 } as const;
  const hubbed = graphFrom(fromTriplets(edges, [hub + 1, hub + 1]));
  const problem = { graph: hubbed, recipe, train: path, test: path };
  const task = { data: 0, method: 'eigen', start: 0, shown: false } as const;
  const refusal = await refusalOf(embedDirectly(problem, 1, [], task, testContext().all));
  assert.is(refusal, 'reproduce: expected the solver to converge for exact eigenvectors, Nyström, got no convergence.');
});

test.run();
