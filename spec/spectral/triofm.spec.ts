/** Ordered columns (TriOFM): each column of Y becomes an eigenvector itself, in order, without Rayleigh-Ritz. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { solve, type SolveOptions, spectrum } from '../../lib/doors/solver.ts';
import { buildGraph, type Tensor } from '../../lib/index.ts';
import { rejects } from '../rejects.ts';

const test = suite('triofm');

/** A wide kernel, so that the eigenvalues are apart. */
const graph = await buildGraph(oneMoon({ n: 120, seed: 1 }).points, { kind: 'gaussian', sigma: 0.5, threshold: 0.05 });
const components = 3;
const reference = await spectrum(graph, { count: components + 1 });
const options: SolveOptions = { components, method: 'triofm', reference, epochs: 300, seed: 2 };

/** The sine of the angle between column k of Y and eigenvector k + 1, in the norm √(xᵀDx). */
function sines({ cols, data }: Tensor): number[] {
  const { vectors } = reference;
  return Array.from({ length: cols }, (_, k) => {
    let [xx, xy, yy] = [0, 0, 0];
    for (let i = 0; i < graph.size; i++) {
      const [x, y] = [vectors.data[i * vectors.cols + k + 1], data[i * cols + k]];
      const degree = graph.degrees[i];
      xx += degree * x * x;
      xy += degree * x * y;
      yy += degree * y * y;
    }
    return Math.sqrt(Math.max(0, 1 - xy ** 2 / xx / yy));
  });
}

/** ‖column‖²_D/n², which is λ at a minimizer. */
function squares({ cols, data }: Tensor): number[] {
  const result = new Array<number>(cols).fill(0);
  for (let p = 0; p < data.length; p++) result[p % cols] += graph.degrees[Math.floor(p / cols)] * data[p] ** 2;
  return result.map((square) => square / graph.size ** 2);
}

test('columns become the eigenvectors in order; those of SpecNet2 only span them', async () => {
  const { state, converged, eigenvalues, trace, residuals } = await solve(graph, options);
  assert.ok(converged, `${residuals}`);
  for (const [k, sine] of sines(state.rows).entries()) assert.ok(sine < 1e-6, `${k}: ${sine}`);
  for (const [k, square] of squares(state.rows).entries()) {
    assert.ok(Math.abs(square - reference.values[k + 1]) < 1e-8);
    assert.ok(Math.abs(eigenvalues[k] - reference.values[k + 1]) < 1e-12);
  }
  const { errors, gap, gradientNorm } = trace.at(-1)!;
  assert.ok(Math.max(...errors!) < 1e-6 && Math.abs(gap!.f2) < 1e-10 && gradientNorm < 1e-5);
  const mixed = await solve(graph, { ...options, method: 'specnet2', step: { precondition: 'degree', length: 0.2 } });
  assert.ok(Math.max(...mixed.trace.at(-1)!.errors!) < 1e-6, 'with Rayleigh-Ritz');
  assert.ok(Math.max(...sines(mixed.state.rows)) > 0.1, 'without it');
});

test('it holds for the other pencil, for the plain step, and for the first pair where it is not deflated', async () => {
  const symmetric = await solve(graph, { ...options, pencil: 'symmetric' });
  assert.ok(symmetric.converged && Math.max(...symmetric.trace.at(-1)!.errors!) < 1e-6);
  const plain = await solve(graph, { ...options, components: 1, step: 0.4, scheme: 'full', tolerance: 1e-6 });
  assert.ok(plain.converged);
  const whole = await solve(graph, { ...options, components: 2, deflate: false, tolerance: 1e-6 });
  assert.ok(whole.converged && Math.abs(whole.eigenvalues[0] - 1) < 1e-9);
});

test('a solve continues with the same bits', async () => {
  const short = { ...options, epochs: 6 };
  const { state } = await solve(graph, { ...short, epochs: 3 });
  const [once, twice] = [await solve(graph, short), await solve(graph, { ...short, from: state })];
  assert.equal(twice.state.rows.data, once.state.rows.data);
});

test('rules that need a gradient, or that mix the columns, are refused', async () => {
  const refused = (more: object, message: RegExp): Promise<void> =>
    rejects(() => solve(graph, { ...options, ...more }), message);
  const search = { precondition: 'degree', length: 'search' };
  await refused({ step: search }, /a constant step for triofm, got length 'search'\. .* not the gradient of any/);
  await refused({ step: 'conjugate' }, /a constant step for triofm, got conjugate gradients\. .* not the gradient/);
  await refused({ step: { precondition: 'gram', length: 1 } }, /'none' or 'degree' for triofm, got 'gram'/);
  await refused({ step: { precondition: 'columns', length: 1 } }, /'none' or 'degree' for triofm, got 'columns'/);
  await refused({ accelerate: true }, /no accelerate and no guard for triofm, got accelerate/);
  await refused({ guard: 2 }, /no accelerate and no guard for triofm, got guard 2/);
  await refused({ step: 100 }, /a step small enough/);
});

test.run();
