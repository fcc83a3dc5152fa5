/** Lanczos in the complement of deflated columns. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, Tensor } from '../../lib/index.ts';
import { symmetricEigen } from '../../lib/doors/linalg.ts';
import { thinQr } from '../../lib/linalg/qr.ts';
import { normalMatrix, symmetricMatrix } from './matrices.ts';
import { magnitude, matrix, product, transpose } from './plain-algebra.ts';
import { column, ends, near, ofDiagonal, ofEdges, ofMatrix, outermost, pathEdges, solve } from './lanczos-checks.ts';

const test = suite('deflation in lanczos');

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

test.run();
