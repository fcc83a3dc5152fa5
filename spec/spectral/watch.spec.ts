/** A solve can be watched, stopped and resumed, and rejects invalid options. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, graphFrom, Random, spectrum, tensor } from '../../lib/index.ts';
import { rayleighRitz, solve, type SolveOptions, StepTooLarge } from '../../lib/doors/solver.ts';
import { fromTriplets, mapValues } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { resolveOptions } from '../../lib/spectral/solve/settings.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';
import { largestWorkingLengthSteps } from '../../lib/spectral/solve/step-too-large.ts';
import { oneMoon } from '../../datasets/index.ts';
import { randomGraph } from './paper.ts';

const test = suite('watching a solve');
const { graph } = randomGraph('watch', 60);

/** The message of the error. */
function refusal(options: Partial<SolveOptions>, on = graph): Promise<Error> {
  return solve(on, { components: 2, ...options }).then(
    () => assert.unreachable('was not refused') as never,
    (error: Error) => error,
  );
}

test('continuing from a result gives the same bits as no pause', async () => {
  const ways: Partial<SolveOptions>[] = [
    {},
    { precision: 'single' },
    { method: 'specnet1', step: 0.2 },
    { method: 'specnet1', scheme: 'local', step: 0.2 },
    { step: 0.3, order: 'random' },
    { scheme: 'full', step: { precondition: 'degree', length: 'search' } },
    { step: 'conjugate' },
  ];
  for (const way of ways) {
    const options = { components: 2, ...(way.step === 'conjugate' ? {} : { batch: 9 }), tolerance: 0, ...way };
    const whole = await solve(graph, { ...options, epochs: 7 });
    const half = await solve(graph, { ...options, epochs: 3 });
    const rest = await solve(graph, { ...options, epochs: 7, from: half.state });
    assert.equal(rest.state.rows.data, whole.state.rows.data, JSON.stringify(way));
    assert.equal(rest.eigenvectors.data, whole.eigenvectors.data, JSON.stringify(way));
    assert.equal(
      rest.trace.map(({ epoch }) => epoch),
      [4, 5, 6, 7],
    );
    assert.is(rest.state.flops, whole.state.flops);
  }
});

test('a state is a value: going on from it twice gives the same twice', async () => {
  const { state } = await solve(graph, { components: 2, batch: 9, epochs: 3, tolerance: 0 });
  const once = () => solve(graph, { components: 2, batch: 9, epochs: 5, tolerance: 0, from: state });
  assert.equal((await once()).state.rows.data, (await once()).state.rows.data);
});

test('each epoch is reported, with flops by the formula and time from the clock', async () => {
  let ticks = 0;
  const reported: number[] = [];
  const work = async (scheme: 'local' | 'full' | 'neighbor') => {
    const { trace } = await solve(graph, {
      components: 2,
      scheme,
      batch: 12,
      step: 0.1,
      epochs: 2,
      tolerance: 0,
      clock: () => ticks++,
      onEpoch: ({ epoch }) => reported.push(epoch),
    });
    assert.equal(
      trace.map(({ seconds }) => seconds),
      [1, 2],
    );
    assert.is(trace[0].step, 0.1);
    return trace.map(({ flops }) => flops);
  };
  const [full, neighbor, local] = [await work('full'), await work('neighbor'), await work('local')];
  assert.equal(reported, [1, 2, 1, 2, 1, 2]);
  // 2·K flops for each entry of W, then 2·K² for each row of the moments: all rows in each of 5 steps, or the batch twice.
  const product = 4 * graph.weights.nonzeros;
  assert.equal(full, [product + 5 * 8 * 60, 2 * (product + 5 * 8 * 60)]);
  assert.equal(neighbor, [product + 16 * 60, 2 * (product + 16 * 60)]);
  assert.ok(local[0] < neighbor[0]);
});

test('a signal stops it, and progress rises to 1', async () => {
  const controller = new AbortController();
  const late = refusal({
    step: 0.1,
    batch: 1,
    epochs: 100_000,
    tolerance: 0,
    signal: controller.signal,
    onEpoch: () => controller.abort(new Error('enough')),
  });
  assert.is((await late).message, 'enough');
  const fractions: number[] = [];
  await solve(graph, { components: 2, epochs: 5, progress: (fraction) => fractions.push(fraction) });
  assert.is(fractions.at(-1), 1);
});

test('a step too large is named with one that works, which works', async () => {
  for (const [method, step] of [
    ['specnet2', 40],
    ['specnet1', 3],
  ] as const) {
    const error = await refusal({ method, step, batch: 10 });
    assert.instance(error, StepTooLarge);
    const { worked, message, step: given } = error as StepTooLarge;
    assert.match(
      message,
      new RegExp(`^solve: expected a step small enough, got ${step}: .* in epoch \\d+\\. From the same`),
    );
    assert.is(given, step);
    assert.ok(worked !== null && worked < step && worked > 0.01 * step, `${worked}`);
    const { trace } = await solve(graph, { components: 2, method, step: worked, batch: 10, epochs: 300, tolerance: 0 });
    assert.ok(trace.every(({ f2, f1 }) => Number.isFinite(f2) && Number.isFinite(f1)));
  }
});

test('a step too large is noticed by the rows that are orthogonalized, also if they are few of all', async () => {
  const { points } = oneMoon({ n: 200, seed: 1 });
  const sparse = await buildGraph(points, { kind: 'knn', neighbors: 6 });
  const settings = { method: 'specnet1', orthogonalize: 'support', batch: 4, epochs: 5 } as const;
  assert.instance(await refusal({ ...settings, step: 4 }, sparse), StepTooLarge);
  await solve(sparse, { components: 2, ...settings, step: 0.2 });
});

test('rows too large for a line search are refused without a word about steps', async () => {
  const start = zeros([60, 2], 'double');
  new Random(1).fillNormal(start.data);
  for (let p = 0; p < start.size; p++) start.data[p] *= 1e9;
  const error = await refusal({ step: { precondition: 'none', length: 'search' }, batch: 10, start });
  assert.not.instance(error, StepTooLarge);
  assert.match(
    error.message,
    /^solve: expected rows that stay bounded under the line search, got tr YᵀDY is .* in epoch 1\. Start/,
  );
});

test('f2 that rises without bursting is noticed too', async () => {
  const error = await refusal({ step: 8, batch: 10, epochs: 2000, tolerance: 0 });
  assert.instance(error, StepTooLarge);
  assert.match(error.message, /f2 rose from|tr YᵀDY is/);
});

test('a solved start is recognized, and none of its epochs are used', async () => {
  const truth = await spectrum(graph, { count: 3, tolerance: 1e-13 });
  const { converged, trace } = await solve(graph, { components: 2, step: 0.1, start: columns(truth.vectors, 1, 3) });
  assert.ok(converged);
  assert.is(trace.length, 0);
  const { converged: never } = await solve(graph, { components: 2, step: 0.1, epochs: 0 });
  assert.not(never);
});

test('Rayleigh-Ritz of rows given: pairs, objectives and their distance from the optimum', async () => {
  const reference = await spectrum(graph, { count: 3, tolerance: 1e-13 });
  const { values, vectors } = reference;
  const n = graph.size;
  // A minimizer of f2: UΛ^½Q with UᵀDU = n²I, where Q rotates by 45°.
  const y = zeros([n, 2], 'double');
  for (let i = 0; i < n; i++) {
    const [a, b] = [1, 2].map((j) => (vectors.at(i, j) * n * Math.sqrt(values[j])) / Math.sqrt(graph.volume));
    y.data.set([(a + b) * Math.SQRT1_2, (a - b) * Math.SQRT1_2], 2 * i);
  }
  const found = rayleighRitz(graph, y, { reference });
  found.eigenvalues.forEach((value, j) => assert.ok(Math.abs(value - values[j + 1]) < 1e-12));
  assert.ok(Math.max(...found.residuals, ...found.errors!) < 1e-11);
  assert.ok(Math.abs(found.f1 - (2 - values[1] - values[2])) < 1e-12);
  assert.ok(Math.abs(found.f2 + values[1] ** 2 + values[2] ** 2) < 1e-12, `${found.f2}`);
  assert.ok(Math.abs(found.gap!.f1) < 1e-12 && Math.abs(found.gap!.f2) < 1e-12);
  for (let p = 0; p < y.size; p++) y.data[p] *= 1.1;
  assert.ok(rayleighRitz(graph, y, { reference }).gap!.f2 > 1e-3);
  assert.is(rayleighRitz(graph, y).gap, null);
  assert.throws(() => rayleighRitz(graph, zeros([3, 2])), /rayleighRitz: expected 60 rows, one for each node, got 3/);
});

test('bad options are refused', async () => {
  const isolated = graphFrom(fromTriplets({ rows: [0, 1], columns: [1, 0], values: [1, 1] }, [3, 3]));
  const cases: [RegExp, Partial<SolveOptions>][] = [
    [/expected components to be a whole number, at least 1, got 0/, { components: 0 }],
    [/expected at most 59 components of 60 nodes, got 60/, { components: 60 }],
    [/expected scheme to be 'local' or 'full' or 'neighbor', got near/, { scheme: 'near' as never }],
    [/expected method to be 'specnet1' or 'specnet2' or 'triofm', got specnet3/, { method: 'specnet3' as never }],
    [/expected a batch of at most 60 rows, got 61/, { batch: 61 }],
    [/expected step to be above 0, or 'search', got -1/, { step: -1 }],
    [/expected step to be 'auto', 'conjugate', a number or a rule/, { step: 'fast' as never }],
    [/expected a constant step for specnet1/, { method: 'specnet1', step: { precondition: 'gram', length: 1 } }],
    [
      /expected all rows in one batch and length 'search' for conjugate gradients, got a smaller batch/,
      { step: 'conjugate', batch: 5 },
    ],
    [
      /expected accelerate with the precondition 'columns', got false/,
      { step: { precondition: 'columns', length: 1 } },
    ],
    [/expected batches of at least 2 rows/, { method: 'specnet1', scheme: 'local', batch: 1, step: 0.1 }],
    [/expected a tolerance of at least 0, got NaN/, { tolerance: NaN }],
    [/expected at most 57 columns as guard, got 58/, { components: 2, guard: 58 }],
    [/expected start to be 60×2, got 5×2/, { start: zeros([5, 2]) }],
    [
      /expected a reference of 3 vectors of 60 nodes, got 60×2\. spectrum\(graph/,
      { reference: await spectrum(graph, { count: 2 }) },
    ],
    [
      /expected a reference of the 'random-walk' kind/,
      { reference: await spectrum(graph, { count: 3, laplacian: 'symmetric' }) },
    ],
  ];
  for (const [text, options] of cases) assert.match((await refusal(options)).message, text);
  assert.match((await refusal({ components: 1 }, isolated)).message, /solve: expected no isolated nodes, got 1/);
  const { state } = await solve(graph, { components: 2, epochs: 1, tolerance: 0 });
  assert.match(
    (await refusal({ from: state, precision: 'single' })).message,
    /expected precision 'double', as the state/,
  );
  assert.match(
    (await refusal({ from: state, guard: 0 })).message,
    /expected the rows to continue from to be 60×2, got 60×4/,
  );
  assert.match((await refusal({ components: undefined as never })).message, /expected components to be a number/);
});

test('a state continues in another scheme like its rows, and is refused in another pencil', async () => {
  const options = { components: 2, method: 'specnet1', batch: 9, step: 0.2, order: 'cyclic', tolerance: 0 } as const;
  const { state } = await solve(graph, { ...options, scheme: 'local', epochs: 3 });
  const next = await solve(graph, { ...options, scheme: 'neighbor', epochs: 4, from: state });
  const fresh = await solve(graph, { ...options, scheme: 'neighbor', epochs: 1, start: state.rows });
  assert.equal(next.state.rows.data, fresh.state.rows.data);
  const refused = async (change: Partial<SolveOptions>): Promise<string> =>
    (await refusal({ ...options, scheme: 'local', from: state, ...change })).message;
  assert.is(
    await refused({ pencil: 'symmetric' }),
    "solve: expected pencil 'random-walk', as the state has, got 'symmetric'.",
  );
  assert.is(await refused({ deflate: false }), 'solve: expected deflate true, as the state has, got false.');
  const heavier = graphFrom(mapValues(graph.weights, (weight) => 2 * weight));
  assert.is(
    (await refusal({ ...options, scheme: 'local', from: state }, heavier)).message,
    'solve: expected the state of a solution of this graph, got one of another graph. Omit `from`.',
  );
  assert.match(
    await refused({ epochs: 2 }),
    /^solve: expected at least 3 epochs, as many as the state has, got 2\. Raise epochs\.$/,
  );
});

test('anything but a graph or a state is refused, and so are missing arguments', async () => {
  assert.match((await refusal({}, null as never)).message, /^solve: expected a graph, got null/);
  assert.match(
    (await refusal({ from: {} as never })).message,
    /^solve: expected the state of a solution to continue from, got/,
  );
  const nothing = await solve(graph, null as never).catch((error: Error) => error);
  assert.match((nothing as Error).message, /^solve: expected an object of options, got null/);
  const unsaid = {
    seed: undefined,
    method: undefined,
    epochs: undefined,
    step: undefined,
    pencil: undefined,
  } as object;
  const [plain, same] = await Promise.all([{}, unsaid].map((more) => solve(graph, { components: 2, ...more })));
  assert.equal(same.eigenvectors.data, plain.eigenvectors.data);
});

test('the search for a step that works pauses after every step, so that it can be stopped', () => {
  const settings = resolveOptions(graph, { components: 2, step: 0.1, batch: 10 });
  const rows = zeros([60, 2], 'double');
  new Random('rows').fillNormal(rows.data);
  const pencil = pencilOf('spec', graph, 'random-walk', true, 'double');
  const work = largestWorkingLengthSteps(settings, pencil, { rows, random: new Random(1).state() }, 0.25);
  let pauses = 0;
  let next = work.next();
  for (; !next.done; next = work.next(), pauses++) assert.is(next.value, 0.25);
  assert.is(next.value, 0.1 * 0.75);
  assert.is(pauses, 30 * 6);
});

test('guards without extrapolation are not among the answers', async () => {
  const { eigenvalues, trace } = await solve(graph, { components: 2, guard: 2, step: 0.1, epochs: 2, tolerance: 0 });
  assert.is(eigenvalues.length, 2);
  assert.is(trace[1].residuals.length, 2);
});

test('dependent columns are named, not divided by', async () => {
  const start = zeros([60, 2], 'double').copy();
  start.data.forEach((_, p) => (start.data[p] = Math.floor(p / 2) % 7));
  assert.match((await refusal({ start, step: 0.1 })).message, /expected a positive definite matrix, got pivot 1/);
});

test('conjugate gradients stay where the gradient has become exactly zero', async () => {
  const points = tensor([[0], [1], [2], [3], [4], [5]]);
  const line = await buildGraph(points, { kind: 'gaussian', sigma: 1 });
  const options = { components: 1, step: 'conjugate', deflate: false, tolerance: 0, epochs: 300 } as const;
  const { eigenvalues, residuals } = await solve(line, options);
  assert.ok(Math.abs(eigenvalues[0] - 1) < 1e-12, `${eigenvalues}`);
  assert.ok(residuals[0] < 1e-12, `${residuals}`);
});

test.run();
