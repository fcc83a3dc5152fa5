/** Any number of columns: the solver and trainings agree with the plain kernels, and have the same bits on any number of threads. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { disableSimd, enableSimd, type Graph, graphFrom, Random, setThreads } from '../../lib/index.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { rayleighRitz, solve, type SolveOptions, train } from '../../lib/doors/solver.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';

const test = suite('columns');

setThreads(1);

/** With 64 columns, a product with all rows of W is large enough to be shared by threads. */
const size = 600;
const widths = [9, 10, 12, 16, 32, 64];
const graph = randomGraph(size, 8);

function randomGraph(n: number, perRow: number): Graph {
  const random = new Random('columns');
  const pairs = Array.from({ length: (n * perRow) / 2 }, () => [random.integer(n), random.integer(n)]);
  const ring = Array.from({ length: n }, (_, i) => [i, (i + 1) % n]);
  const unique = [
    ...new Map([...pairs, ...ring].map(([i, j]) => [Math.min(i, j) * n + Math.max(i, j), [i, j]])).values(),
  ];
  const both = unique.flatMap(([i, j]) => (i === j ? [[i, j]] : [[i, j], [j, i]])); // oxfmt-ignore
  const values = both.map(([i, j]) => 0.5 + ((i * j) % 7) / 7);
  return graphFrom(fromTriplets({ rows: both.map(([i]) => i), columns: both.map(([, j]) => j), values }, [n, n]));
}

type Result = Promise<Float32Array | Float64Array>;

/** The results with SIMD, with SIMD on two threads, and without. */
async function onAll(run: () => Result): Promise<Awaited<Result>[]> {
  const one = await run();
  setThreads(2);
  const two = await run();
  setThreads(1);
  disableSimd();
  const plain = await run();
  enableSimd();
  return [one, two, plain];
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [difference, norm] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    norm += b[i] ** 2;
  }
  return Math.sqrt(difference / norm);
}

async function compare(label: string, tolerance: number, run: () => Result): Promise<void> {
  const [one, two, plain] = await onAll(run);
  assert.equal(two, one, `${label}, threads`);
  const found = distance(one, plain);
  assert.ok(found < tolerance, `${label}: ${found}`);
  assert.ok(one.some((value) => value !== one[0]), label); // oxfmt-ignore
}

/** Single precision rounds rows once a step, by half a unit in the last place of 6e-8. */
const tolerances = { single: 3e-6, double: 1e-12 } as const;

for (const precision of ['single', 'double'] as const) {
  test(`an epoch of each scheme agrees at any number of columns, in ${precision} precision`, async () => {
    const step = { precondition: 'degree', length: 0.05 } as const;
    const rules: [string, Partial<SolveOptions>][] = [
      ['neighbor', { step }],
      ['neighbor, gram', { step: { precondition: 'gram', length: 0.5 } }],
      ['neighbor, search', { step: { precondition: 'degree', length: 'search' } }],
      ['local', { scheme: 'local', step }],
      ['full', { scheme: 'full', step }],
      ['specnet1', { method: 'specnet1', step: 0.3 }],
    ];
    for (const components of widths) {
      // The first rule at any number of columns, all of them at the least and the largest.
      const isEnd = components === widths[0] || components === widths.at(-1);
      for (const [name, options] of isEnd ? rules : rules.slice(0, 1)) {
        await compare(`${name}, K = ${components}`, tolerances[precision], async () => {
          const { state } = await solve(graph, { components, precision, batch: size, epochs: 1, seed: 1, ...options });
          return state.rows.data;
        });
      }
    }
  });
}

test('trainings with any number of outputs agree', async () => {
  const points = zeros([size, 3]);
  new Random('points').fillNormal(points.data);
  for (const outputs of widths) {
    for (const moments of ['tracked', 'corrected'] as const) {
      await compare(`${moments}, K = ${outputs}`, 1e-3, async () => {
        const network = new Mlp([3, 20, outputs], { seed: 1 });
        await train(graph, network, points, { batch: 200, epochs: 1, moments, seed: 1 });
        return network.parameters.at(-2)!.data;
      });
    }
  }
});

test('Rayleigh-Ritz on any number of columns agrees', async () => {
  for (const width of widths) {
    const rows = zeros([size, width], 'double');
    new Random('rows').fillNormal(rows.data);
    await compare(`K = ${width}`, 1e-10, async () => rayleighRitz(graph, rows).eigenvalues);
  }
});

test.run();
