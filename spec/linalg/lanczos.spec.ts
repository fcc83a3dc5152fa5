import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { Random, tensor, Tensor } from '../../lib/index.ts';
import {
  type LanczosOptions,
  type LanczosProgress,
  type LanczosResult,
  type LinearOperator,
  principalAngles,
  symmetricEigen,
} from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import * as door from '../../lib/doors/linalg.ts';
import { runSync } from '../../lib/core/task.ts';
import { lanczosSteps } from '../../lib/linalg/lanczos/lanczos.ts';
import { thinQr } from '../../lib/linalg/qr.ts';
import { normalMatrix, symmetricMatrix } from './matrices.ts';
import { magnitude, matrix, type Matrix, product, transpose } from './plain-algebra.ts';
import { shapes } from '../shapes.ts';

const test = suite('lanczos');

/** Without a pause. */
const lanczos = (operator: LinearOperator, options: LanczosOptions): LanczosResult =>
  runSync(lanczosSteps(operator, options));

type Edge = readonly [number, number];

/** diagonal[i]·x[i] + Σ weight·x[j] over the edges {i, j}. */
function ofEdges(size: number, edges: readonly Edge[], weight = 1, diagonal?: ArrayLike<number>): LinearOperator {
  return {
    size,
    apply(x, y) {
      for (let i = 0; i < size; i++) y[i] = diagonal ? diagonal[i] * x[i] : 0;
      for (const [i, j] of edges) {
        y[i] += weight * x[j];
        y[j] += weight * x[i];
      }
    },
  };
}

function ofDiagonal(values: ArrayLike<number>): LinearOperator {
  return ofEdges(values.length, [], 1, values);
}

function ofMatrix(a: Matrix, factor = 1): LinearOperator {
  const n = a.rows;
  return {
    size: n,
    apply(x, y) {
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += factor * a.data[i * n + j] * x[j];
        y[i] = sum;
      }
    },
  };
}

function pathEdges(n: number, first = 0): Edge[] {
  return Array.from({ length: n - 1 }, (_, i) => [first + i, first + i + 1] as const);
}

function degrees(size: number, edges: readonly Edge[]): Float64Array {
  const result = new Float64Array(size);
  for (const [i, j] of edges) {
    result[i]++;
    result[j]++;
  }
  return result;
}

/** D^-½WD^-½ of a graph given by its edges. */
function normalized(size: number, edges: readonly Edge[]): LinearOperator {
  const roots = degrees(size, edges).map(Math.sqrt);
  return {
    size,
    apply(x, y) {
      y.fill(0);
      for (const [i, j] of edges) {
        y[i] += x[j] / (roots[i] * roots[j]);
        y[j] += x[i] / (roots[i] * roots[j]);
      }
    },
  };
}

function outermost(values: Iterable<number>, count: number, which: 'largest' | 'smallest' = 'largest'): number[] {
  const sign = which === 'largest' ? 1 : -1;
  return [...values].toSorted((a, b) => sign * (b - a)).slice(0, count);
}

function near(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, name = ''): void {
  assert.is(found.length, expected.length, name);
  for (let i = 0; i < found.length; i++) {
    assert.ok(Math.abs(found[i] - expected[i]) <= tolerance, `${name} ${i}: ${found[i]} for ${expected[i]}`);
  }
}

function column(vectors: Matrix, j: number): Float64Array {
  return Float64Array.from({ length: vectors.rows }, (_, i) => vectors.data[i * vectors.cols + j]);
}

/** Solves, and checks every result: order, orthonormal columns, sign, and the residuals of the pairs. */
function solve(operator: LinearOperator, options: LanczosOptions, name = ''): LanczosResult {
  let applied = 0;
  const counting: LinearOperator = {
    size: operator.size,
    apply(x, y) {
      applied++;
      operator.apply(x, y);
    },
  };
  const result = lanczos(counting, options);
  const { values, vectors, residuals, norm, products } = result;
  assert.is(products, applied, name);
  assert.equal(vectors.shape, [operator.size, options.count], name);
  assert.is(values.length, options.count);
  assert.equal([...values], outermost(values, options.count, options.which), name);
  const gram = product(transpose(vectors), vectors);
  for (let i = 0; i < gram.rows; i++) {
    for (let j = 0; j < gram.cols; j++) {
      const error = Math.abs(gram.at(i, j) - (i === j ? 1 : 0));
      assert.ok(error < 1e-12, `${name}: VᵀV − I is ${error} at ${i}, ${j}`);
    }
  }
  for (let j = 0; j < options.count; j++) {
    const x = column(vectors, j);
    const largest = x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    assert.ok(x.find((value) => Math.abs(value) > (1 - 1e-5) * largest)! > 0, `${name}: sign of ${j}`);
    if (options.deflate) continue;
    const y = new Float64Array(operator.size);
    operator.apply(x, y);
    const residual = Math.hypot(...y.map((value, i) => value - values[j] * x[i]));
    // Both are differences of numbers of size ‖A‖, so that they agree up to its rounding.
    assert.ok(Math.abs(residual - residuals[j]) <= 1e-14 * norm, `${name}: ${residuals[j]} for ${residual}`);
  }
  return result;
}

/** Solves by Lanczos and compares with the known spectrum, to 1e-10 of its norm. */
function finds(
  operator: LinearOperator,
  spectrum: Iterable<number>,
  options: LanczosOptions,
  name = '',
): LanczosResult {
  const result = solve(operator, options, name);
  assert.ok(result.converged, `${name}: converged, residuals ${[...result.residuals]}`);
  const known = [...spectrum];
  const norm = known.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  assert.ok(result.norm <= norm * (1 + 1e-12), `${name}: ${result.norm} as norm for ${norm}`);
  near(result.values, outermost(known, options.count, options.which), 1e-10 * norm, name);
  for (const residual of result.residuals) assert.ok(residual <= 1e-10 * norm, `${name}: residual ${residual}`);
  return result;
}

const ends = ['largest', 'smallest'] as const;

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
  const cases = [[400, 2, 30, 32], [400, 2, 10, 12], [150, 3, 40, 45], [400, 3, 40, 45], [300, 5, 20, 22], [400, 2, 60, 62]]; // prettier-ignore
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

test('deflated eigenvectors are gone, and the next ones come first', () => {
  const n = 200;
  const edges = [...pathEdges(n), [n - 1, 0] as const];
  const operator = ofEdges(n, edges);
  const known = solve(operator, { count: 4 });
  const rest = solve(operator, { count: 3, deflate: known.vectors });
  assert.ok(rest.converged);
  const angle = (2 * Math.PI) / n;
  near(rest.values, [2 * Math.cos(2 * angle), 2 * Math.cos(3 * angle), 2 * Math.cos(3 * angle)], 1e-10);
  for (const overlap of product(transpose(known.vectors), rest.vectors).data) assert.ok(Math.abs(overlap) < 1e-13);
  const constant = new Tensor(new Float32Array(n).fill(0.3), [n]);
  near(solve(operator, { count: 2, deflate: constant }).values, [2 * Math.cos(angle), 2 * Math.cos(angle)], 1e-10);
});

test('zero, the eigenvalue of deflated vectors, is not in the result', () => {
  for (const n of [20, 200]) {
    const negative = ofDiagonal(Float64Array.from({ length: n }, (_, i) => -1 - i));
    const first = matrix(n, 2, (i, j) => (i === j ? 1 : 0));
    near(solve(negative, { count: 2, deflate: first, basis: 12 }).values, [-3, -4], 1e-10 * n, `${n}`);
  }
});

test('where nothing but zero is left, the eigenvectors are still orthogonal to the deflated ones', () => {
  for (const n of [4, 16, 50, 90, 400]) {
    const ones = matrix(n, 1, () => 1);
    const mean = { size: n, apply: (x: Float64Array, y: Float64Array) => void y.fill(x.reduce((a, b) => a + b) / n) };
    const { values, vectors, converged } = solve(mean, { count: 3, deflate: ones });
    near(values, [0, 0, 0], 1e-14);
    assert.ok(converged);
    assert.ok(magnitude(product(transpose(ones), vectors)) < 1e-12, `${n}: ${product(transpose(ones), vectors).data}`);
  }
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

test('a start that lies almost in the deflated span is made orthogonal to it all the same', () => {
  const n = 200;
  const random = new Random('almost');
  const ones = matrix(n, 1, () => 1);
  const start = Float64Array.from({ length: n }, () => 1 + 1e-9 * random.normal());
  const operator = ofEdges(n, [...pathEdges(n), [n - 1, 0]]);
  const { vectors, values } = solve(operator, { count: 2, deflate: ones, start, verify: false });
  near(values.subarray(0, 1), [2 * Math.cos((2 * Math.PI) / n)], 1e-10);
  for (const overlap of product(transpose(ones), vectors).data) assert.ok(Math.abs(overlap) < 1e-12, `${overlap}`);
});

test('columns that are not eigenvectors are projected out on both sides, by both solvers', () => {
  const random = new Random('deflate');
  const n = 150;
  const a = symmetricMatrix(random, n);
  const columns = normalMatrix(random, n, 4);
  const { q } = thinQr(columns);
  const inside = product(q, transpose(q));
  const p = matrix(n, n, (i, j) => (i === j ? 1 : 0) - inside.at(i, j));
  const { values: expected } = symmetricEigen(product(p, a, p));
  for (const which of ends) {
    for (const basis of [20, 60]) {
      const { values, vectors, residuals, converged, norm, method } = solve(ofMatrix(a), {
        count: 3,
        which,
        basis,
        deflate: columns,
      });
      assert.equal([method, converged], [basis === 20 ? 'lanczos' : 'dense', true]);
      near(values, outermost(expected, 3, which), 1e-10 * norm);
      for (const overlap of product(transpose(q), vectors).data) assert.ok(Math.abs(overlap) < 1e-13, `${overlap}`);
      const image = product(p, a, vectors);
      for (let j = 0; j < 3; j++) {
        const residual = Math.hypot(...column(image, j).map((y, i) => y - values[j] * vectors.at(i, j)));
        assert.ok(Math.abs(residual - residuals[j]) < 1e-13 * norm);
      }
    }
  }
});

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
