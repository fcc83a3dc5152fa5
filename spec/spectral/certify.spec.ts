/** The direct solver of `spectrum`, and what a result says about completeness. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { buildGraph, type Graph, Random, type Spectrum, spectrum, tensor } from '../../lib/index.ts';
import { principalAngles } from '../../lib/doors/linalg.ts';
import { swissRoll } from '../../datasets/index.ts';
import { runAsync, type WaitingTask } from '../../lib/core/task.ts';
import { certifySteps, eigenvalueErrors } from '../../lib/spectral/spectrum/certify.ts';
import { FactoredGraph } from '../../lib/spectral/spectrum/factored-graph.ts';
import type { SmoothPairs } from '../../lib/spectral/spectrum/solver-report.ts';
import { solverSteps } from '../../lib/spectral/spectrum/solvers.ts';
import { graphOfEdges, path, ring } from './graphs.ts';

const test = suite('certify');

test('auto chooses the direct solver for a thin graph of many nodes, and proves that nothing is missing', async () => {
  const size = 20_000;
  const found = await spectrum(graphOfEdges(size, path(size)), { count: 4 });
  assert.equal([found.solver, found.complete, found.converged], ['direct', 'proved', true]);
  assert.is(found.reason, 'The graph factors cheaply.');
  assert.ok(found.products < 100 && found.fill === 1, `${found.products} ${found.fill}`);
  assert.equal([found.certificate!.counted, found.certificate!.found], [4, 4]);
  for (let k = 0; k < 4; k++) {
    const exact = 2 * Math.sin((Math.PI * k) / (2 * (size - 1))) ** 2;
    assert.ok(Math.abs(1 - found.values[k] - exact) < 1e-15, `${k}`);
    assert.ok(found.errors[k] <= 1e-4, `${found.errors[k]}`);
  }
});

test('all three Laplacians have the direct solver and the proof, in the units of the given weights', async () => {
  for (const kind of ['random-walk', 'symmetric', 'unnormalized'] as const) {
    for (const weight of [1, 2 ** 20]) {
      const graph = graphOfEdges(700, path(700), weight);
      const options = { count: 4, laplacian: kind, tolerance: 1e-9 } as const;
      const found = await spectrum(graph, { ...options, solver: 'direct' });
      const expected = await spectrum(graph, { ...options, solver: 'lanczos' });
      assert.equal([found.solver, found.complete], ['direct', 'proved'], kind);
      const unit = kind === 'unnormalized' ? weight : 1;
      for (let k = 0; k < 4; k++) assert.ok(Math.abs(found.values[k] - expected.values[k]) < 1e-11 * unit, kind);
      assert.ok(Math.max(...principalAngles(found.vectors, expected.vectors)) < 1e-3, kind);
      // The count is beyond the last value, on the other side of the smooth end.
      const beyond = (found.certificate!.value - found.values[3]) * (kind === 'random-walk' ? -1 : 1);
      assert.ok(beyond > 0 && beyond < 0.01 * unit, `${kind} ${beyond}`);
    }
  }
});

test('certify: true proves what Lanczos and the multilevel solver found, false never does', async () => {
  const graph = await buildGraph(swissRoll({ n: 1500 }).points, { kind: 'knn', neighbors: 10 });
  for (const solver of ['lanczos', 'multilevel', 'direct'] as const) {
    const options = { count: 5, tolerance: 1e-8, solver } as const;
    const proved = await spectrum(graph, { ...options, certify: true });
    assert.equal([proved.solver, proved.complete, proved.certificate?.counted], [solver, 'proved', 5]);
    const probed = await spectrum(graph, { ...options, certify: false });
    assert.equal([probed.complete, probed.certificate], ['probed', null], solver);
    assert.equal(probed.values.length, 5);
    if (solver !== 'direct') assert.equal(probed.vectors.data, proved.vectors.data, solver);
  }
});

const run = <T>(task: WaitingTask<T>): Promise<T> => runAsync(task, {});

/** A problem as `spectrum` states it, and the pairs that Lanczos finds. */
function problemOf(graph: Graph, count: number) {
  const kind = 'random-walk' as const;
  const factored = new FactoredGraph(graph, kind);
  return { graph, factored, kind, settings: { count, tolerance: 1e-10 }, verify: false, isLarge: false };
}

/** The pairs without one of them. */
function without(pairs: SmoothPairs, missing: number): SmoothPairs {
  const kept = Array.from(pairs.values, (_, k) => k).filter((k) => k !== missing);
  const { rows, cols, data } = pairs.vectors;
  const vectors = tensor(
    Array.from({ length: rows }, (_, i) => kept.map((k) => data[i * cols + k])),
    'double',
  );
  const pick = (numbers: Float64Array): Float64Array => Float64Array.from(kept, (k) => numbers[k]);
  return { ...pairs, vectors, values: pick(pairs.values), residuals: pick(pairs.residuals) };
}

test('a pair that a solver missed is noticed, searched for and found', async () => {
  const graph = graphOfEdges(300, ring(300));
  const whole = await run(solverSteps.lanczos(problemOf(graph, 6)));
  // Of the eigenvalue that is repeated, one copy is missing; then one below the last.
  for (const missing of [2, 3]) {
    const pairs = without(whole, missing);
    const found = await run(certifySteps(problemOf(graph, 5), pairs, true));
    assert.equal([found.solver, found.complete, found.converged], ['direct', 'proved', true], `${missing}`);
    assert.match(found.reason, /^Of \d+ eigenvalues up to the last one, \d+ were found at first\.$/);
    for (let k = 0; k < 5; k++) assert.ok(Math.abs(found.values[k] - whole.values[k]) < 1e-10, `${missing} ${k}`);
  }
  const complete = await run(certifySteps(problemOf(graph, 6), whole, true));
  assert.equal([complete.solver, complete.complete], ['lanczos', 'proved']);
});

test('a count that residuals leave open changes nothing', async () => {
  const graph = graphOfEdges(300, ring(300));
  const pairs = await run(solverSteps.direct(problemOf(graph, 5)));
  assert.equal([pairs.complete, pairs.converged], ['unknown', true]);
  const vague = { ...pairs, residuals: new Float64Array(5).fill(0.2) };
  assert.is(await run(certifySteps(problemOf(graph, 5), vague, true)), vague);
});

test('auto proves nothing where that would take longer than a fraction of the search', async () => {
  const random = new Random(1);
  const points = tensor(Array.from({ length: 1500 }, () => Array.from({ length: 8 }, () => random.uniform())));
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 12 });
  const { solver, complete } = await spectrum(graph, { count: 4, tolerance: 1e-8 });
  assert.equal([solver, complete], ['lanczos', 'probed']);
});

test('a factor that needs too much memory is refused in words, with the memory', async () => {
  const graph = graphOfEdges(40, ring(40));
  const factored = new FactoredGraph(graph, 'random-walk');
  const analysis = (await run(factored.analysisSteps(Infinity)))!;
  const [most, flops] = [{ bytes: analysis.bytes - 1 }, { flops: 1 }];
  const text = async (limits: { bytes?: number; flops?: number }): Promise<string> => {
    try {
      await run(new FactoredGraph(graph, 'random-walk', limits).requiredAnalysisSteps("solver: 'direct'"));
      return 'nothing';
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(
    await text(most),
    /^spectrum: expected a graph whose factor takes at most 0\.0 GiB, for solver: 'direct', got 0\.0 GiB for \d.* entries\. /,
  );
  assert.match(
    await text(flops),
    /^spectrum: expected a graph whose factor takes at most 2\.0 GiB, .* got more than 1e\+0 flops\. /,
  );
  assert.is(await text({}), 'nothing');
});

test('progress rises to 1, an abort stops the direct solver, and wrong choices are refused', async () => {
  const size = 30_000;
  const graph = graphOfEdges(size, ring(size));
  const seen: number[] = [];
  const options = { count: 3, solver: 'direct' } as const;
  await spectrum(graph, { ...options, progress: (fraction) => seen.push(fraction) });
  assert.ok(seen.at(-1) === 1 && seen.every((fraction, i) => i === 0 || fraction >= seen[i - 1]), `${seen}`);
  const controller = new AbortController();
  const onRestart = (): void => controller.abort(new Error('stop'));
  await rejects(() => spectrum(graph, { ...options, onRestart, signal: controller.signal }), /^stop$/);
  await rejects(
    () => spectrum(graph, { count: 3, certify: 'maybe' as never }),
    /^spectrum: expected certify to be true, false or 'auto', got maybe\.$/,
  );
});

test('relative errors: the smaller of r/μ and r²/(μ·gap), and none of the eigenvalue 0', () => {
  const errors = eigenvalueErrors(Float64Array.of(0, 1e-6, 3e-6), Float64Array.of(1e-15, 1e-10, 1e-6));
  assert.is(errors[0], 0);
  assert.ok(Math.abs(errors[1] / 1e-8 - 1) < 1e-12, `${errors[1]}`);
  assert.ok(errors[2] <= 1 / 3, `${errors[2]}`);
});

/** Keeps the type of the result public. */
test('the result has all fields of a report', async () => {
  const found: Spectrum = await spectrum(graphOfEdges(12, ring(12)), { count: 2 });
  assert.equal([found.complete, found.certificate, found.errors.length], ['proved', null, 2]);
});

test.run();
