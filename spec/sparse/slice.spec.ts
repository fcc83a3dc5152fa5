import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { identity, neighborsOf, sliceBlock, sliceRows } from '../../lib/doors/sparse.ts';
import { randomMatrix } from './arbitrary.ts';
import { ascending, assertCanonical, assertSame, denseOf } from './reference.ts';

const test = suite('sparse slice');

const list = (random: Random, bound: number) =>
  bound === 0 ? [] : Array.from({ length: random.integer(8) }, () => random.integer(bound));

test('rows and blocks are those of the dense matrix, for all lists, also with repetitions', () => {
  const random = new Random('slices');
  for (let round = 0; round < 300; round++) {
    const matrix = randomMatrix(random, random.integer(8), random.integer(8));
    const rows = list(random, matrix.rows);
    const columns = list(random, matrix.cols);
    const dense = denseOf(matrix);
    const tall = sliceRows(matrix, rows);
    assertCanonical(tall);
    assert.equal([tall.rows, tall.cols], [rows.length, matrix.cols]);
    assert.equal(
      denseOf(tall),
      rows.map((i) => dense[i]),
    );
    const block = sliceBlock(matrix, rows, Int32Array.from(columns));
    assertCanonical(block);
    assert.equal([block.rows, block.cols], [rows.length, columns.length]);
    assert.equal(
      denseOf(block),
      rows.map((i) => columns.map((j) => dense[i][j])),
    );
  }
});

test('all rows and all columns in order are the matrix itself', () => {
  const matrix = randomMatrix(new Random(2), 6, 4, 'double');
  assertSame(sliceRows(matrix, [0, 1, 2, 3, 4, 5]), matrix);
  assertSame(sliceBlock(matrix, [0, 1, 2, 3, 4, 5], [0, 1, 2, 3]), matrix);
});

test('the neighbors of some rows are their columns, each once and ascending', () => {
  const random = new Random('neighbors');
  for (let round = 0; round < 200; round++) {
    const side = 1 + random.integer(9);
    const matrix = randomMatrix(random, side, side);
    const rows = list(random, side);
    const columns = rows.flatMap((i) => [...matrix.columns.subarray(matrix.starts[i], matrix.starts[i + 1])]);
    assert.equal([...neighborsOf(matrix, rows)], ascending(new Set(columns)));
    assert.equal([...neighborsOf(matrix, rows, true)], ascending(new Set([...columns, ...rows])));
  }
  assert.equal([...neighborsOf(randomMatrix(random, 3, 5), [])], []);
});

test('rows and columns outside are refused', () => {
  const matrix = identity(3);
  assert.throws(
    () => sliceRows(matrix, [0, 3]),
    /sliceRows: expected rows to be whole numbers from 0 to 2, got 3 at index 1\./,
  );
  assert.throws(() => sliceBlock(matrix, [-1], [0]), /sliceBlock: expected rows .* got -1 at index 0/);
  assert.throws(() => sliceBlock(matrix, [0], [7]), /sliceBlock: expected columns .* got 7 at index 0/);
  assert.throws(() => neighborsOf(matrix, [1.5]), /neighborsOf: expected rows .* got 1\.5 at index 0/);
  assert.throws(
    () => neighborsOf(sliceRows(matrix, [0]), [0], true),
    /neighborsOf: expected a square matrix, got 1×3\./,
  );
});

test.run();
