/** Lanczos finds the known spectra of operators, complete and with their multiplicities. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runSync } from '../../lib/core/task.ts';
import { lanczosSteps } from '../../lib/linalg/lanczos/lanczos.ts';
import { Random } from '../../lib/index.ts';
import { type LinearOperator, principalAngles, symmetricEigen } from '../../lib/doors/linalg.ts';
import { symmetricMatrix } from './matrices.ts';
import { matrix } from './plain-algebra.ts';
import { shapes } from '../shapes.ts';
import { column, ends, finds, near, solve } from './lanczos-checks.ts';
import { degrees, type Edge, normalized, ofDiagonal, ofEdges, ofMatrix, pathEdges } from './lanczos-operators.ts';

const test = suite('lanczos');

test('the path has 2cos(πj/(n+1))', () => {
  const n = 300;
  const operator = ofEdges(n, pathEdges(n));
  const spectrum = Array.from({ length: n }, (_, j) => 2 * Math.cos((Math.PI * (j + 1)) / (n + 1)));
  for (const which of ends) {
    const { vectors, method, restarts } = finds(operator, spectrum, { count: 4, which }, which);
    assert.is(method, 'lanczos');
    assert.ok(restarts > 3);
    const first = column(vectors, 0).map(Math.abs);
    const expected = first.map((_, i) => Math.sqrt(2 / (n + 1)) * Math.sin((Math.PI * (i + 1)) / (n + 1)));
    near(first, expected, 1e-5, which); // residual over gap: 1e-10 over 1e-4
  }
});

test('the cycle has its eigenvalues twice, and both are found', () => {
  const n = 200;
  const edges = [...pathEdges(n), [n - 1, 0] as const];
  const spectrum = Array.from({ length: n }, (_, j) => 2 * Math.cos((2 * Math.PI * j) / n));
  for (const which of ends) {
    for (const count of [1, 2, 3, 4, 7]) finds(ofEdges(n, edges), spectrum, { count, which }, `${count} ${which}`);
  }
});

test('the square grid has double eigenvalues among simple ones, at both ends of its Laplacian', () => {
  const m = 16;
  const edges = Array.from({ length: m * m }, (_, i): Edge[] => [
    ...(i % m < m - 1 ? [[i, i + 1] as const] : []),
    ...(i < m * (m - 1) ? [[i, i + m] as const] : []),
  ]).flat();
  const laplacian = ofEdges(m * m, edges, -1, degrees(m * m, edges));
  const side = Array.from({ length: m }, (_, i) => 2 - 2 * Math.cos((Math.PI * i) / m));
  const spectrum = side.flatMap((a) => side.map((b) => a + b));
  for (const which of ends) finds(laplacian, spectrum, { count: 8, which }, which);
});

test('the hypercube has d − 2i as often as i of d can be chosen', () => {
  const d = 9;
  const edges = Array.from({ length: 2 ** d * d }, (_, e) => [Math.floor(e / d), Math.floor(e / d) ^ (1 << (e % d))]);
  const operator = ofEdges(2 ** d, edges.filter(([i, j]) => i < j) as unknown as Edge[]);
  const bits = (i: number): number => (i === 0 ? 0 : (i & 1) + bits(i >> 1));
  const spectrum = Array.from({ length: 2 ** d }, (_, i) => d - 2 * bits(i));
  for (const count of [1, 5, 10, 14]) finds(operator, spectrum, { count }, `${count}`);
});

test('the complete graph has −1 all but once', () => {
  const n = 400;
  const operator: LinearOperator = {
    size: n,
    apply(x, y) {
      const sum = x.reduce((a, b) => a + b, 0);
      for (let i = 0; i < n; i++) y[i] = sum - x[i];
    },
  };
  const spectrum = Array.from({ length: n }, (_, i) => (i === 0 ? n - 1 : -1));
  for (const which of ends) finds(operator, spectrum, { count: 6, which }, which);
});

test('a graph of five components has the eigenvalue 1 five times', () => {
  const random = new Random('components');
  const sizes = [25, 35, 50, 60, 80];
  const firsts = sizes.map((_, c) => sizes.slice(0, c).reduce((a, b) => a + b, 0));
  const n = 250;
  const edges = sizes.flatMap((size, c) => pathEdges(size, firsts[c]));
  for (const [c, size] of sizes.entries()) {
    for (let e = 0; e < 3 * size; e++) edges.push([firsts[c] + random.integer(size), firsts[c] + random.integer(size)]);
  }
  const operator = normalized(
    n,
    edges.filter(([i, j]) => i !== j),
  );
  const dense = matrix(n, n, () => 0);
  for (let j = 0; j < n; j++) {
    const y = new Float64Array(n);
    operator.apply(
      Float64Array.from({ length: n }, (_, i) => (i === j ? 1 : 0)),
      y,
    );
    for (let i = 0; i < n; i++) dense.data[i * n + j] = y[i];
  }
  const { values: spectrum } = symmetricEigen(dense);
  for (const count of [3, 5, 8]) {
    const { values } = finds(operator, spectrum, { count }, `${count}`);
    near(values.subarray(0, 5), new Float64Array(Math.min(5, count)).fill(1), 1e-12);
  }
  // Lanczos never leaves the component of its start. Only the search of the complement finds the others.
  const start = Float64Array.from({ length: n }, (_, i) => (i >= 170 ? random.normal() : 0));
  finds(operator, spectrum, { count: 6, start }, 'start in one component');
  const alone = solve(operator, { count: 6, start, verify: false });
  assert.ok(alone.values[1] < 0.99, `${alone.values[1]}`);
});

test('the identity and the zero operator have one eigenvalue, as often as is asked', () => {
  const n = 500;
  for (const value of [0, 1, -3]) {
    for (const which of ends) {
      const { values, residuals } = finds(ofDiagonal(new Float64Array(n).fill(value)), [value], { count: 1, which });
      near([...values, ...residuals], [value, 0], 1e-14);
      const several = solve(ofDiagonal(new Float64Array(n).fill(value)), { count: 7, which });
      assert.ok(several.converged);
      near(several.values, new Float64Array(7).fill(value), 1e-14);
    }
  }
  const { values } = solve(ofDiagonal(new Float64Array(n)), { count: 2, which: 'smallest' });
  assert.equal([...values], [0, 0]); // and not −0
});

test('eigenvalues that differ by 1e-8 are separated, and a multiple one next to them is complete', () => {
  const n = 400;
  const spectrum = Float64Array.from({ length: n }, (_, i) => (i < 5 ? 1 - i * 1e-8 : i < 8 ? 0.9 : 0.8 - i / n));
  for (const count of [2, 5, 8]) {
    const { vectors } = finds(ofDiagonal(spectrum), spectrum, { count }, `${count}`);
    // The first eigenvector is the first axis, to residual over gap.
    assert.ok(Math.abs(vectors.at(0, 0) - 1) < 1e-3, `${vectors.at(0, 0)}`);
  }
});

test('a multiplicity above the count, and above the basis', () => {
  const n = 600;
  const spectrum = Float64Array.from({ length: n }, (_, i) => (i % 7 === 0 ? 2 : -i / n));
  finds(ofDiagonal(spectrum), spectrum, { count: 5 }, 'largest');
  finds(
    ofDiagonal(spectrum.map((x) => -x)),
    spectrum.map((x) => -x),
    { count: 5, which: 'smallest', basis: 9 },
  );
});

test('random spectra with repeated and nearly repeated eigenvalues come out complete, for bases small and large', () => {
  const random = new Random('spectra');
  const kinds: Record<string, (i: number, n: number) => number> = {
    integers: () => random.integer(12),
    pairs: (i, n) => Math.cos((Math.PI * Math.floor(i / 2)) / n),
    triples: (i, n) => 1 - 3 * (Math.floor(i / 3) / n) ** 2,
    normal: () => random.normal(),
  };
  for (const [kind, value] of Object.entries(kinds)) {
    for (let trial = 0; trial < 8; trial++) {
      const n = 100 + random.integer(150);
      const spectrum = Float64Array.from({ length: n }, (_, i) => value(i, n));
      for (let c = 0; c < 5; c++) spectrum[random.integer(n)] = spectrum[random.integer(n)] + 1e-9 * random.normal();
      const count = 1 + random.integer(8);
      const basis = trial % 2 === 0 ? count + 10 : 30;
      const which = ends[random.integer(2)];
      const name = `${kind} ${trial}: ${count} ${which} of ${n}, basis ${basis}`;
      finds(ofDiagonal(spectrum), spectrum, { count, which, basis, seed: trial }, name);
    }
  }
});

test('random symmetric matrices agree with the dense decomposition at both ends, in values and spans', () => {
  const random = new Random('dense');
  for (const [n, count] of shapes('100×3', '151×6', '300×5')) {
    const a = symmetricMatrix(random, n);
    const { values, vectors } = symmetricEigen(a);
    for (const which of ends) {
      const found = finds(ofMatrix(a), values, { count, which }, `${n} ${which}`);
      assert.is(found.method, n > 3 * 32 ? 'lanczos' : 'dense');
      const expected = matrix(n, count, (i, j) => vectors.at(i, which === 'largest' ? j : n - 1 - j));
      const angles = principalAngles(found.vectors, expected);
      assert.ok(angles[count - 1] < 1e-8, `${n} ${which}: angle ${angles[count - 1]}`);
    }
  }
});

test('vectors longer than the pieces they are worked on in', () => {
  const n = 5003;
  const spectrum = Float64Array.from({ length: n }, (_, i) => 1 / (1 + ((i * 17) % n)));
  const { vectors } = finds(ofDiagonal(spectrum), spectrum, { count: 5, basis: 19 });
  for (let j = 0; j < 5; j++) assert.ok(Math.abs(vectors.at(spectrum.indexOf(1 / (1 + j)), j) - 1) < 1e-12);
});

test('one row, two rows, and as many pairs as rows', () => {
  assert.equal([...solve(ofDiagonal([-3]), { count: 1 }).values], [-3]);
  const flip = ofEdges(2, [[0, 1]]);
  near(solve(flip, { count: 2 }).values, [1, -1], 1e-15);
  near(solve(flip, { count: 1, which: 'smallest' }).values, [-1], 1e-15);
  const n = 40;
  const spectrum = Array.from({ length: n }, (_, j) => 2 * Math.cos((Math.PI * (j + 1)) / (n + 1)));
  for (const count of [n - 1, n]) {
    for (const which of ends) {
      const { method, products } = finds(ofEdges(n, pathEdges(n)), spectrum, { count, which });
      assert.equal([method, products], ['dense', n]);
    }
  }
});

test('a projection, and others of a few eigenvalues that are all there many times: none of the wanted is another', () => {
  const cases = [[400, 2, 30, 32], [400, 2, 10, 12], [150, 3, 40, 45], [400, 3, 40, 45], [300, 5, 20, 22], [400, 2, 60, 62]]; // oxfmt-ignore
  for (const [n, kinds, count, basis] of cases) {
    for (const which of ['largest', 'smallest'] as const) {
      const spectrum = Float64Array.from({ length: n }, (_, i) => i % kinds);
      const { values, converged, method } = solve(ofDiagonal(spectrum), { count, basis, which });
      assert.equal([method, converged], ['lanczos', true]);
      near(values, new Float64Array(count).fill(which === 'largest' ? kinds - 1 : 0), 1e-12, `${n} ${kinds} ${count}`);
    }
  }
});

test('a basis that fills the space is a decomposition of it', () => {
  const n = 100;
  const spectrum = Float64Array.from({ length: n }, (_, i) => Math.floor(i / 3) - 10);
  const { vectors: known } = solve(ofDiagonal(spectrum), { count: 95, basis: 97 });
  const { values, method, converged } = solve(ofDiagonal(spectrum), { count: 3, basis: 10, deflate: known });
  assert.equal([method, converged], ['lanczos', true]);
  near(values, [-9, -9, -10], 1e-12);
  const all = solve(ofDiagonal(spectrum), { count: 5, basis: 10, deflate: known });
  near(all.values, [-9, -9, -10, -10, -10], 1e-12);
});

test('small operators of extreme size have residuals in proportion, and converge', () => {
  const a = symmetricMatrix(new Random('extreme'), 12);
  const { values, residuals } = solve(ofMatrix(a), { count: 2 });
  for (const factor of [2 ** -900, 2 ** 600, 2 ** 1015]) {
    const found = solve(ofMatrix(a, factor), { count: 2 });
    assert.ok(found.converged, `${factor}: ${found.residuals}`);
    assert.equal(
      [found.values, found.residuals].map((list) => [...list].map((x) => x / factor)),
      [[...values], [...residuals]],
    );
  }
});

test('a trusted operator saves the products of two checks and of the residuals, and has the same vectors', () => {
  const n = 300;
  for (const which of ends) {
    const [checked, trusted] = [false, true].map((isTrusted) =>
      runSync(lanczosSteps(ofEdges(n, pathEdges(n)), { count: 4, which, trusted: isTrusted })),
    );
    assert.is(trusted.products, checked.products - 2 - 4);
    assert.equal(trusted.vectors.data, checked.vectors.data);
    near(trusted.values, checked.values, 1e-12, which);
    assert.ok(trusted.converged && trusted.residuals.every((residual) => residual > 0 && residual <= 2e-10));
  }
});

test.run();
