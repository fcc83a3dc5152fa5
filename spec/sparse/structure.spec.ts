/** The structure of a matrix is that of its dense form. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as fc from 'fast-check';
import { matrixStructure } from '../../lib/doors/benchmark.ts';
import { fromTriplets, identity } from '../../lib/doors/sparse.ts';
import { anyMatrix, runs } from './arbitrary.ts';

const test = suite('sparse structure');

test('counts, lengths and distances are those of the stored entries', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      const { rows, cols, starts, columns } = matrix;
      const lists = Array.from({ length: rows }, (_, i) => [...columns.subarray(starts[i], starts[i + 1])]);
      const lengths = lists.map(({ length }) => length).toSorted((a, b) => a - b);
      const distances = lists.flatMap((list, i) => list.map((j) => Math.abs(i - j)));
      const found = matrixStructure(matrix);
      assert.equal([found.rows, found.cols, found.nonzeros], [rows, cols, distances.length]);
      assert.is(found.emptyRows, lists.filter(({ length }) => length === 0).length);
      assert.is(found.emptyColumns, cols - new Set(lists.flat()).size);
      assert.is(found.diagonalEntries, distances.filter((distance) => distance === 0).length);
      assert.is(found.bandwidth, Math.max(0, ...distances));
      const sum = distances.reduce((total, distance) => total + distance, 0);
      assert.is(found.meanDistance, distances.length === 0 ? 0 : sum / distances.length);
      const { least, median, percentile99, largest, mean } = found.rowLengths;
      assert.equal([least, largest], [lengths[0] ?? 0, lengths.at(-1) ?? 0]);
      assert.is(mean, rows === 0 ? 0 : distances.length / rows);
      const below = (length: number): number => lengths.filter((other) => other <= length).length / (rows || 1);
      if (rows > 0) assert.ok(below(median) >= 0.5 && below(median - 1) < 0.5, `${lengths}: ${median}`);
      if (rows > 0) assert.ok(below(percentile99) >= 0.99 && below(percentile99 - 1) < 0.99);
    }),
    runs,
  );
});

test('blocks are counted on an aligned grid, also where the matrix ends within a block', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      const { rows, starts, columns, nonzeros } = matrix;
      for (const { side, fill } of matrixStructure(matrix).blockFill) {
        const blocks = new Set<string>();
        for (let i = 0; i < rows; i++) {
          for (let e = starts[i]; e < starts[i + 1]; e++) blocks.add(`${Math.floor(i / side)} ${Math.floor(columns[e] / side)}`); // oxfmt-ignore
        }
        assert.is(fill, nonzeros === 0 ? 0 : nonzeros / (blocks.size * side ** 2));
      }
    }),
    runs,
  );
});

test('symmetry is of values, of positions, or of neither', () => {
  const make = (rows: number[], columns: number[], values: number[], size = 3) =>
    matrixStructure(fromTriplets({ rows, columns, values }, [size, 3])).symmetry;
  assert.is(make([0, 1, 2], [1, 0, 2], [5, 5, 1]), 'symmetric');
  assert.is(make([0, 1, 2], [1, 0, 2], [5, 4, 1]), 'pattern');
  assert.is(make([0, 2], [1, 2], [5, 1]), 'none');
  assert.is(make([0, 1], [1, 0], [0, 5]), 'pattern', 'a stored zero is an entry');
  assert.is(make([0], [0], [1], 2), 'none', 'not square');
});

test('variation is the standard deviation over the mean', () => {
  const matrix = fromTriplets({ rows: [0, 0, 0, 1], columns: [0, 1, 2, 0], values: [1, 1, 1, 1] }, [2, 3]);
  assert.is(matrixStructure(matrix).rowLengths.variation, 0.5);
  assert.is(matrixStructure(identity(7)).rowLengths.variation, 0);
});

test('a matrix is symmetric only to the bit: 0 and −0 differ', () => {
  const zerosOf = (below: number) =>
    fromTriplets({ rows: [0, 0, 1, 1], columns: [0, 1, 0, 1], values: [1, 0, below, 1] }, [2, 2]);
  assert.equal([0, -0].map((below) => matrixStructure(zerosOf(below)).symmetry), ['symmetric', 'pattern']); // oxfmt-ignore
});

test.run();
