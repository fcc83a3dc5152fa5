/** A symmetric matrix is its diagonal, its upper triangle and the transpose of that. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as fc from 'fast-check';
import { halve } from '../../lib/sparse/halve.ts';
import { symmetrize } from '../../lib/doors/sparse.ts';
import { anySquare, runs } from './arbitrary.ts';
import { assertCanonical, denseOf } from './reference.ts';

const test = suite('sparse halves');

test('A = D + S + Sᵀ, with S strictly upper triangular', () => {
  fc.assert(
    fc.property(anySquare, (matrix) => {
      const symmetric = symmetrize(matrix, 'sum');
      const { diagonal, upper } = halve(symmetric);
      assertCanonical(upper);
      const half = denseOf(upper);
      const sum = half.map((row, i) => row.map((value, j) => value + half[j][i] + (i === j ? diagonal[i] : 0)));
      assert.equal(sum, denseOf(symmetric));
      assert.ok(half.every((row, i) => row.every((value, j) => value === 0 || j > i)));
      const onDiagonal = symmetric.columns.filter((j, e) => e >= symmetric.starts[j] && e < symmetric.starts[j + 1]);
      assert.is(2 * upper.nonzeros + onDiagonal.length, symmetric.nonzeros);
    }),
    runs,
  );
});

test.run();
