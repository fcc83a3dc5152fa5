/** The solver finds the eigenvectors without tuning, and the paper's own steps reach the stated errors. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Graph, Random, setThreads, type Spectrum, spectrum, type Tensor } from '../../lib/index.ts';
import { principalAngles } from '../../lib/doors/linalg.ts';
import { type EpochRecord, type Solution, solve, type SolveOptions } from '../../lib/doors/solver.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';
import { onEveryBackend } from '../backends.ts';
import { blockModel, circlesGraph, graphOfEdges, moonGraph, ringGraph, twoMoonsGraph } from './graphs.ts';
import { randomGraph } from './paper.ts';

const test = suite('solve');

// Two spec files run at a time, and a second thread of each would only wait for a core.
setThreads(1);

const worst = ({ errors }: EpochRecord): number => Math.max(...errors!);

/** Products with W until all errors are below 1e-6. Each epoch takes two: one for its sweep, one for its measurement. */
function sweepsTo(limit: number, { trace }: Solution): number {
  const hit = trace.find((record) => worst(record) < limit);
  return hit ? 2 * hit.epoch : Infinity;
}

/** Standard normal entries, the start of the paper's experiments. */
function normalStart(n: number, width: number, seed: number): Tensor {
  const start = zeros([n, width], 'double');
  new Random(seed).fillNormal(start.data);
  return start;
}

test('the default needs no more than 130 sweeps to 1e-6 on four draws of one moon, at batches of 4 and 50', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const graph = await moonGraph(seed);
    const reference = await spectrum(graph, { count: 3, seed });
    for (const batch of [4, 50]) {
      const sweeps = sweepsTo(1e-6, await solve(graph, { components: 2, batch, reference, seed }));
      assert.ok(sweeps <= 130, `draw ${seed}, batch ${batch}: ${sweeps}`);
    }
  }
});

test('the default converges on two moons, circles, a ring with double eigenvalues and a block model', async () => {
  const graphs: [name: string, graph: Graph, components: number][] = [
    ['two moons', await twoMoonsGraph(), 1],
    ['circles', await circlesGraph(), 2],
    ['ring', ringGraph(400), 4],
    ['blocks', blockModel(900, 0.06, 0.01), 2],
  ];
  for (const [name, graph, components] of graphs) {
    const reference = await spectrum(graph, { count: components + 2, tolerance: 1e-12 });
    const { converged, trace, eigenvectors } = await solve(graph, { components, reference });
    assert.ok(converged, `${name} after ${trace.length}`);
    assert.ok(worst(trace.at(-1)!) < 1e-6, `${name}: ${trace.at(-1)!.errors}`);
    const truth = columns(reference.vectors, 1, components + 1);
    const angle = principalAngles(eigenvectors, truth, graph.degrees)[components - 1];
    assert.ok(angle < 1e-6, `${name}: ${angle}`);
  }
});

test('single precision reaches 1e-6 too', async () => {
  for (const seed of [1, 2]) {
    const graph = await moonGraph(seed);
    const reference = await spectrum(graph, { count: 3 });
    const { trace, state } = await solve(graph, {
      components: 2,
      precision: 'single',
      reference,
      tolerance: 0,
      epochs: 30,
    });
    assert.is(state.rows.precision, 'single');
    assert.ok(worst(trace.at(-1)!) < 1e-6, `${trace.at(-1)!.errors}`);
  }
});

test("the paper's figures on one moon at batch 50: SpecNet2 with step 5, and local with 0.2", async () => {
  // In this draw no degree is above n/(2·5) = 200, where steps of 5 become unstable, or below 9, where they are slow.
  const graph = await moonGraph(6);
  assert.ok(Math.max(...graph.degrees) < 200);
  const reference = await spectrum(graph, { count: 3 });
  const start = normalStart(2000, 2, 6);
  const of = (options: Partial<SolveOptions>): Promise<Solution> =>
    solve(graph, { components: 2, batch: 50, epochs: 200, reference, start, ...options });
  const [full, neighbor, local] = await Promise.all([
    of({ scheme: 'full', step: 5 }),
    of({ scheme: 'neighbor', step: 5 }),
    of({ scheme: 'local', step: 0.2, epochs: 100 }),
  ]);
  for (const { trace } of [full, neighbor]) {
    assert.ok(worst(trace[199]) < 1e-5, `${trace[199].errors}`);
    assert.ok(worst(trace[9]) > 0.1 && worst(trace[49]) < 0.2, `${trace[9].errors} ${trace[49].errors}`);
  }
  for (const record of local.trace) assert.ok(worst(record) > 0.3, `local, epoch ${record.epoch}: ${record.errors}`);
});

test('SpecNet1 with step 0.2 leaves the eigenvectors for a floor, unless the batch is everything', async () => {
  const graph = await moonGraph(1);
  const reference = await spectrum(graph, { count: 3, tolerance: 1e-13 });
  const start = columns(reference.vectors, 1, 3);
  for (const scheme of ['full', 'neighbor'] as const) {
    const options = { components: 2, method: 'specnet1', scheme, step: 0.2, reference, start, tolerance: 0 } as const;
    const { trace } = await solve(graph, { ...options, batch: 50, epochs: 60 });
    const [first, second] = trace.at(-1)!.errors!;
    assert.ok(first > 2e-4 && first < 6e-4, `${first}`);
    assert.ok(second > 8e-4 && second < 2.5e-3, `${second}`);
    const whole = await solve(graph, { ...options, batch: 2000, epochs: 20 });
    assert.ok(worst(whole.trace.at(-1)!) < 1e-11, `${whole.trace.at(-1)!.errors}`);
  }
});

test('every step rule converges on one moon', async () => {
  const graph = await moonGraph(4, 500);
  const reference = await spectrum(graph, { count: 3 });
  const rules: [string, Partial<SolveOptions>][] = [
    ['conjugate gradients', { step: 'conjugate' }],
    ['degree', { step: { precondition: 'degree', length: 0.45 } }],
    ['gram', { step: { precondition: 'gram', length: 1.8 } }],
    ['searched degree', { step: { precondition: 'degree', length: 'search' } }],
    ['searched gram', { step: { precondition: 'gram', length: 'search' } }],
    ['columns apart', { step: { precondition: 'columns', length: 1.2 }, accelerate: true }],
    ['searched gradient, extrapolated', { step: { precondition: 'none', length: 'search' }, accelerate: true }],
    ['specnet1', { method: 'specnet1' }],
    ['symmetric', { pencil: 'symmetric' }],
    ['cyclic', { order: 'cyclic' }],
    ['random', { order: 'random' }],
  ];
  for (const [name, options] of rules) {
    const { converged, trace } = await solve(graph, { components: 2, epochs: 600, reference, ...options });
    assert.ok(converged, `${name}: ${trace.at(-1)!.residuals}`);
    assert.ok(worst(trace.at(-1)!) < 1e-6, `${name}: ${trace.at(-1)!.errors}`);
  }
});

test('exact line search lowers f2 at every step', async () => {
  const { graph } = randomGraph('search', 60);
  for (const precondition of ['none', 'degree', 'gram'] as const) {
    const options = {
      components: 3,
      batch: 7,
      step: { precondition, length: 'search' },
      epochs: 40,
      tolerance: 0,
    } as const;
    const { trace } = await solve(graph, options);
    trace
      .slice(1)
      .forEach(({ f2 }, k) => assert.ok(f2 <= trace[k].f2 + 1e-14, `${precondition}: ${trace[k].f2} ${f2}`));
    // With one batch of all rows the step length is optimal: slightly longer or shorter steps are worse.
    const whole = await solve(graph, { ...options, batch: 60, epochs: 1 });
    const { step, f2 } = whole.trace[0];
    for (const factor of [0.9, 1.1]) {
      const other = await solve(graph, {
        ...options,
        batch: 60,
        epochs: 1,
        step: { precondition, length: factor * step },
      });
      assert.ok(other.trace[0].f2 > f2, `${precondition} ${factor}`);
    }
  }
});

test('eigenvectors have UᵀDU = n²I, values and residuals belong to them', async () => {
  const { graph, w } = randomGraph('pairs', 40);
  for (const pencil of ['random-walk', 'symmetric'] as const) {
    for (const method of ['specnet1', 'specnet2'] as const) {
      const found = await solve(graph, { components: 3, batch: 10, pencil, method, epochs: 5, tolerance: 0 });
      const u = Array.from({ length: 3 }, (_, j) =>
        Float64Array.from({ length: 40 }, (_unused, i) => found.eigenvectors.at(i, j)),
      );
      const { degrees } = graph;
      for (let j = 0; j < 3; j++) {
        for (let l = 0; l < 3; l++) {
          const product = u[j].reduce((sum, x, i) => sum + degrees[i] * x * u[l][i], 0);
          assert.ok(Math.abs(product - (j === l ? 1600 : 0)) < 1e-8, `${product}`);
        }
        const mean = u[j].reduce((sum, x, i) => sum + degrees[i] * x, 0) / graph.volume;
        const square = u[j].reduce((sum, x, i) => {
          const affinity = w[i].reduce((total, weight, k) => total + weight * u[j][k], 0) - degrees[i] * mean;
          return sum + (affinity - found.eigenvalues[j] * degrees[i] * x) ** 2 / degrees[i];
        }, 0);
        assert.ok(Math.abs(Math.sqrt(square) / 40 - found.residuals[j]) < 1e-12, `${Math.sqrt(square) / 40}`);
      }
    }
  }
});

test('at the end f1 and f2 are at their optimum and the gradient is gone', async () => {
  const graph = await moonGraph(3, 400);
  const reference = await spectrum(graph, { count: 4, tolerance: 1e-12 });
  for (const step of ['auto', { precondition: 'degree', length: 0.4 }] as const) {
    const { trace } = await solve(graph, { components: 3, step, reference, epochs: 1000 });
    const { gap, gradientNorm } = trace.at(-1)!;
    assert.ok(Math.abs(gap!.f1) < 1e-12 && Math.abs(gap!.f2) < 1e-12, `${gap!.f1} ${gap!.f2}`);
    assert.ok(gradientNorm < 1e-5, `${gradientNorm}`);
    assert.ok(trace[0].gap!.f2 > 1e-3 && trace[0].gradientNorm > 100 * gradientNorm);
  }
});

test('the trivial pair comes first where it is not taken out', async () => {
  const { graph } = randomGraph('trivial', 80);
  const { eigenvalues, converged } = await solve(graph, { components: 3, deflate: false });
  const truth: Spectrum = await spectrum(graph, { count: 3 });
  assert.ok(converged);
  eigenvalues.forEach((value, j) => assert.ok(Math.abs(value - truth.values[j]) < 1e-12, `${value}`));
  const { eigenvalues: rest } = await solve(graph, { components: 2 });
  rest.forEach((value, j) => assert.ok(Math.abs(value - truth.values[j + 1]) < 1e-12, `${value}`));
});

test('eigenvalues that are not positive are found as well, though f2 has no use for them', async () => {
  // The complete graph without loops has the eigenvalue −1/5 five times.
  const edges = Array.from({ length: 6 }, (_, i) => Array.from({ length: i }, (_unused, j) => [i, j] as const)).flat();
  const { eigenvalues, converged } = await solve(graphOfEdges(6, edges), { components: 2, batch: 2 });
  assert.ok(converged);
  eigenvalues.forEach((value) => assert.ok(Math.abs(value + 0.2) < 1e-12, `${value}`));
});

onEveryBackend(
  (name, run) => test(name, () => run()),
  'one seed, one result to the bit; another seed, another way to it',
  () => {
    const { graph } = randomGraph('bits', 50);
    const once = (seed: number) => solve(graph, { components: 2, batch: 8, epochs: 4, tolerance: 0, seed });
    return Promise.all([once(1), once(1), once(2)]).then(([a, b, c]) => {
      assert.equal(a.eigenvectors.data, b.eigenvectors.data);
      assert.equal(a.state.rows.data, b.state.rows.data);
      assert.not.equal(a.state.rows.data, c.state.rows.data);
    });
  },
);

test.run();
