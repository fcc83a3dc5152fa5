/** Limits, starts, reports and errors of Lanczos. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { Random, tensor } from '../../lib/index.ts';
import {
  type LanczosProgress,
  type LanczosResult,
  type LinearOperator,
  principalAngles,
} from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import * as door from '../../lib/doors/linalg.ts';
import { lanczosSteps } from '../../lib/linalg/lanczos/lanczos.ts';
import { normalMatrix, symmetricMatrix } from './matrices.ts';
import { matrix } from './plain-algebra.ts';
import {
  column,
  lanczos,
  near,
  normalized,
  ofDiagonal,
  ofEdges,
  ofMatrix,
  pathEdges,
  solve,
} from './lanczos-checks.ts';

const test = suite('options of lanczos');

test('a solve that runs out of products says so, with the true residuals', () => {
  const n = 400;
  const operator = ofEdges(n, pathEdges(n));
  const { converged, products, residuals, norm } = solve(operator, { count: 4, productLimit: 60 });
  assert.equal([converged, products], [false, 60]);
  assert.ok(Math.max(...residuals) > 1e-6 * norm);
  const full = solve(operator, { count: 4 });
  assert.ok(full.converged);
  // The pairs may have converged already, but the search for missed ones has not begun.
  const { products: unverified } = solve(operator, { count: 4, verify: false });
  const short = solve(operator, { count: 4, productLimit: unverified + 5 });
  assert.ok(unverified + 5 < full.products);
  assert.not(short.converged);
  assert.equal(short.values.length, 4);
  // A tolerance below rounding cannot be reached, and the result says so.
  const strict = solve(operator, { count: 2, tolerance: 1e-18 });
  assert.not(strict.converged);
  assert.ok(Math.max(...strict.residuals) < 1e-13 * strict.norm);
});

test('a looser tolerance takes fewer products and keeps its word', () => {
  const n = 300;
  const operator = ofEdges(n, pathEdges(n));
  let before = Infinity;
  for (const tolerance of [1e-12, 1e-8, 1e-4]) {
    const { residuals, converged, norm } = solve(operator, { count: 3, tolerance });
    // The search for missed pairs is excluded: the better the next pairs are known, the shorter it is.
    const { products } = solve(operator, { count: 3, tolerance, verify: false });
    assert.ok(converged && Math.max(...residuals) <= tolerance * norm);
    assert.ok(products < before, `${products} then, ${before} before`);
    before = products;
  }
});

test('a start near the eigenvectors saves products', () => {
  const n = 400;
  const operator = ofEdges(n, pathEdges(n));
  const known = solve(operator, { count: 1, verify: false });
  const again = solve(operator, { count: 1, start: column(known.vectors, 0), verify: false });
  assert.ok(again.products < known.products / 2, `${again.products}, ${known.products}`);
});

test('the reports of restarts count up to the numbers of the result', () => {
  const states: LanczosProgress[] = [];
  const n = 200;
  const operator = ofEdges(n, [...pathEdges(n), [n - 1, 0]]);
  const { products, restarts, norm } = solve(operator, { count: 3, onRestart: (state) => states.push(state) });
  assert.ok(states.length > 5);
  for (const [i, state] of states.entries()) {
    assert.is(state.residuals.length, 3);
    assert.is(state.converged, state.residuals.filter((residual) => residual <= 1e-10 * norm).length);
    if (i === 0) continue;
    assert.ok(state.products > states[i - 1].products && state.products - states[i - 1].products <= 32);
    assert.ok(state.restarts > states[i - 1].restarts || state.round > states[i - 1].round);
    assert.ok(state.round - states[i - 1].round <= 1 && state.round >= states[i - 1].round);
  }
  assert.is(states[0].converged, 0);
  const last = states[states.length - 1];
  assert.is(last.converged, 3);
  assert.ok(last.round >= 1 && last.restarts <= restarts);
  assert.is(last.products + 3, products);
});

test('the promise is that of the task; progress rises to 1, and an aborted signal stops it with its reason', async () => {
  const n = 400;
  const operator = ofEdges(n, pathEdges(n));
  const fractions: number[] = [];
  const found = await door.lanczos(operator, { count: 3, progress: (fraction) => fractions.push(fraction) });
  assert.equal(found, lanczos(operator, { count: 3 }));
  assert.equal(fractions, fractions.toSorted());
  assert.is(fractions[fractions.length - 1], 1);
  // Slow products, so that the event loop runs in between.
  const controller = new AbortController();
  let applied = 0;
  const slow: LinearOperator = {
    size: n,
    apply(x, y) {
      operator.apply(x, y);
      if (++applied === 10) controller.abort(new Error('enough'));
      const end = performance.now() + 10;
      while (performance.now() < end);
    },
  };
  await rejects(() => door.lanczos(slow, { count: 3, signal: controller.signal }), /^enough$/);
  assert.ok(applied >= 10 && applied < 20, `${applied}`);
  await rejects(() => door.lanczos(ofDiagonal([1, 2]), { count: 1, signal: AbortSignal.abort() }), /aborted/);
});

test('the task pauses after every product, its fractions rise, and its result is that of lanczos to the bit', () => {
  const sizes = { dense: 60, lanczos: 300 };
  for (const method of ['dense', 'lanczos'] as const) {
    const n = sizes[method];
    const path = ofEdges(n, [...pathEdges(n), [0, 7], [5, n - 9]]);
    let applied = 0;
    const operator: LinearOperator = {
      size: n,
      apply(x, y) {
        path.apply(x, y);
        applied++;
      },
    };
    const ones = tensor({ data: new Float64Array(n).fill(1), shape: [n, 1] });
    for (const options of [{ count: 4 }, { count: 2, which: 'smallest', deflate: ones, seed: 3 }] as const) {
      const whole = lanczos(path, options);
      assert.is(whole.method, method);
      applied = 0;
      let last = 0;
      const task = lanczosSteps(operator, options);
      let step = task.next();
      for (let pauses = 1; !step.done; pauses++, step = task.next()) {
        assert.is(applied, pauses);
        assert.ok(step.value > last && step.value < 1, `${step.value} after ${last}`);
        last = step.value;
      }
      assert.is(applied, whole.products);
      assert.equal(step.value, whole);
    }
  }
});

test('two searches that alternate do not disturb each other', () => {
  const operators = [300, 200].map((n) => ofEdges(n, [...pathEdges(n), [n - 1, 0]]));
  const alone = operators.map((operator) => lanczos(operator, { count: 3 }));
  const tasks = operators.map((operator) => lanczosSteps(operator, { count: 3 }));
  const found: LanczosResult[] = [];
  while (found.filter(Boolean).length < 2) {
    for (const [i, task] of tasks.entries()) {
      const step = task.next();
      if (step.done && step.value) found[i] = step.value;
    }
  }
  assert.equal(found, alone);
});

test('same seed, same bits; another seed, other vectors but the same values', () => {
  const n = 300;
  const operator = normalized(n, [...pathEdges(n), [0, 7], [20, 200], [5, 150]]);
  const one = solve(operator, { count: 4, seed: 'a' });
  const same = solve(operator, { count: 4, seed: 'a' });
  const other = solve(operator, { count: 4, seed: 'b' });
  assert.equal([same.values, same.vectors.data, same.products], [one.values, one.vectors.data, one.products]);
  assert.not.equal(other.vectors.data, one.vectors.data);
  near(other.values, one.values, 1e-12);
  assert.ok(principalAngles(one.vectors, other.vectors)[3] < 1e-5);
});

test('the size of the operator does not matter', () => {
  const a = symmetricMatrix(new Random('scale'), 120);
  const one = solve(ofMatrix(a), { count: 3 });
  for (const factor of [2 ** 900, 2 ** -900]) {
    const scaled = lanczos(ofMatrix(a, factor), { count: 3 });
    assert.ok(scaled.converged);
    assert.equal(scaled.vectors.data, one.vectors.data);
    assert.equal(
      scaled.values,
      one.values.map((value) => value * factor),
    );
  }
});

test('errors of the operator are detected', () => {
  const n = 200;
  const random = new Random('wrong');
  for (const size of [20, n]) {
    assert.throws(
      () => lanczos(ofMatrix(normalMatrix(random, size, size)), { count: 2 }),
      size === n
        ? /lanczos: expected a symmetric operator, got xᵀAz = -?[\d.]+ but zᵀAx = -?[\d.]+ for two random vectors/
        : /lanczos: expected the operator to be symmetric, got -?[\d.]+ at row \d+, column \d+ but -?[\d.]+ at row/,
    );
    const path = ofEdges(size, pathEdges(size));
    let applied = 0;
    const failing: LinearOperator = {
      size,
      apply(x, y) {
        path.apply(x, y);
        if (++applied === 7) y[5] = NaN;
      },
    };
    assert.throws(
      () => lanczos(failing, { count: 2 }),
      /lanczos: expected finite numbers in product 7 of the operator, got NaN at index 5/,
    );
    const adding: LinearOperator = { size, apply: (x, y) => y.forEach((_, i) => (y[i] += x[i])) };
    assert.throws(() => lanczos(adding, { count: 2 }), /product 1 of the operator, got NaN at index 0/);
  }
  // One directed edge among a thousand undirected ones.
  const directed = ofEdges(
    n,
    Array.from({ length: 1000 }, () => [random.integer(n), random.integer(n)] as const),
  );
  const crooked: LinearOperator = {
    size: n,
    apply(x, y) {
      directed.apply(x, y);
      y[3] += x[8];
    },
  };
  assert.throws(() => lanczos(crooked, { count: 2 }), /a symmetric operator/);
});

test('options out of range are refused', async () => {
  const operator = ofEdges(200, pathEdges(200));
  const refuses = (options: object, message: RegExp, on = operator) =>
    rejects(() => door.lanczos(on, { count: 2, ...options }), message);
  await refuses({ count: 0 }, /lanczos: expected count to be a whole number, at least 1, got 0/);
  await refuses({ count: 201 }, /expected count to be at most 200, the operator's size, got 201/);
  await refuses(
    { count: 198, deflate: normalMatrix(new Random(1), 200, 3) },
    /at most 197, size 200 less 3 deflated columns, got 198/,
  );
  await refuses({ which: 'biggest' }, /expected which to be 'largest' or 'smallest', got biggest/);
  await refuses({ tolerance: 0 }, /expected tolerance between 0 and 1, got 0/);
  await refuses({ tolerance: NaN }, /expected tolerance between 0 and 1, got NaN/);
  await refuses({ basis: 3 }, /expected basis to be a whole number, at least 4, got 3/);
  await refuses(
    { productLimit: 35 },
    /expected productLimit to be at least 36, got 35\. It takes 34 for a first basis and 2 for residuals/,
  );
  await refuses({ deflate: zeros([3, 2]) }, /expected deflate with 200 rows, the operator's size, got shape 3×2/);
  await refuses({ deflate: [1] }, /expected deflate to be a Tensor of columns, got an array of length 1/);
  await refuses(
    { deflate: zeros([200, 1]) },
    /independent columns in deflate, got column 0 that depends on those before it/,
  );
  await refuses({ deflate: matrix(200, 2, (i) => i) }, /got column 1 that depends on those before it/);
  await refuses({ start: new Float64Array(3) }, /expected start of 200 numbers, the operator's size, got 3/);
  await refuses({ start: [1] }, /expected start to be a Float32Array or Float64Array/);
  await refuses(
    { start: new Float64Array(200) },
    /start to be independent of the deflated columns, got a vector in their span, or zero/,
  );
  await refuses({ start: new Float64Array(200).fill(NaN) }, /finite numbers in start, got NaN at index 0/);
  const ones = tensor({ data: new Float64Array(200).fill(1), shape: [200, 1] });
  await refuses({ deflate: ones, start: new Float64Array(200).fill(2) }, /a vector in their span/);
  await refuses({}, /expected an operator \{ size, apply\(x, y\) \}, got Object/, { size: 3 } as LinearOperator);
  await refuses({}, /expected operator\.size to be a whole number, at least 1, got 0/, ofDiagonal([]));
});

test.run();
