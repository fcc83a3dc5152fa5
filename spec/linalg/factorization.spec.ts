import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { symmetricEigen } from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { Random } from '../../lib/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { onEveryBackend } from '../backends.ts';
import { type Analysis, analysisSteps } from '../../lib/linalg/factorization/analysis.ts';
import { Factor } from '../../lib/linalg/factorization/factor.ts';
import { factorizeSteps, type TinyPivot } from '../../lib/linalg/factorization/factorize.ts';
import { minimumDegreeSteps } from '../../lib/linalg/factorization/ordering/minimum-degree.ts';
import { type Edge, grid, path } from './graphs.ts';

const test = suite('factorization');

/** A symmetric matrix with entries off the diagonal at the given places. */
interface Sparse {
  readonly size: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
  readonly diagonal: Float64Array;
}

function symmetric(size: number, entries: readonly Edge[], diagonal: ArrayLike<number>): Sparse {
  const rows = Array.from({ length: size }, () => new Map<number, number>());
  for (const [i, j, value = 1] of entries) {
    if (i === j) continue;
    rows[i].set(j, value);
    rows[j].set(i, value);
  }
  const lists = rows.map((row) => [...row].toSorted(([i], [j]) => i - j));
  const starts = Int32Array.from([0, ...lists]);
  for (let i = 0; i < size; i++) starts[i + 1] = starts[i] + lists[i].length;
  return {
    size,
    starts,
    columns: Int32Array.from(lists.flat(), ([j]) => j),
    values: Float64Array.from(lists.flat(), ([, value]) => value),
    diagonal: Float64Array.from(diagonal),
  };
}

const ones = (size: number): number[] => new Array<number>(size).fill(1);
const star = (size: number): Edge[] => Array.from({ length: size - 1 }, (_, i) => [0, i + 1]);

/** Random entries, about `degree` in a row, and a diagonal on both sides of 0. */
function randomMatrix(size: number, degree: number, seed: number): Sparse {
  const random = new Random(seed);
  const entries = Array.from({ length: Math.round((size * degree) / 2) }, (): Edge => [
    random.integer(size),
    random.integer(size),
    random.uniform(-1, 1),
  ]);
  return symmetric(
    size,
    entries,
    Float64Array.from({ length: size }, () => random.uniform(-4, 4)),
  );
}

function dense({ size, starts, columns, values, diagonal }: Sparse) {
  const matrix = zeros([size, size], 'double');
  for (let i = 0; i < size; i++) {
    matrix.data[i * size + i] = diagonal[i];
    for (let e = starts[i]; e < starts[i + 1]; e++) matrix.data[i * size + columns[e]] = values[e];
  }
  return matrix;
}

const analyze = (matrix: Sparse): Analysis => runSync(analysisSteps(matrix))!;
const factorize = (matrix: Sparse, analysis = analyze(matrix)): Factor | TinyPivot =>
  runSync(factorizeSteps(analysis, { ...matrix, factor: 1 }));

function factorOf(matrix: Sparse, analysis?: Analysis): Factor {
  const factor = factorize(matrix, analysis);
  if (!(factor instanceof Factor)) throw new Error(`pivot ${factor.pivot} of column ${factor.column}`);
  return factor;
}

/** The number of entries of each column of the factor, by elimination in a dense table. */
function eliminatedCounts(matrix: Sparse, order: Int32Array): number[] {
  const { size } = matrix;
  const a = dense({ ...matrix, diagonal: new Float64Array(size).fill(1) });
  const filled = Array.from(order, (i) => Array.from(order, (j) => a.at(i, j) !== 0));
  return Array.from({ length: size }, (_, k) => {
    const rows = Array.from({ length: size - k - 1 }, (__, i) => k + 1 + i).filter((i) => filled[i][k]);
    for (const i of rows) for (const j of rows) filled[i][j] = true;
    return 1 + rows.length;
  });
}

const named: Record<string, Sparse> = {
  empty: symmetric(0, [], []),
  one: symmetric(1, [], [2]),
  'without entries': symmetric(7, [], ones(7)),
  path: symmetric(
    200,
    path(200),
    ones(200).map(() => 3),
  ),
  star: symmetric(
    300,
    star(300),
    ones(300).map(() => 400),
  ),
  grid: symmetric(
    234,
    grid(13, 18),
    ones(234).map(() => 5),
  ),
  complete: symmetric(
    20,
    Array.from({ length: 400 }, (_, e): Edge => [e % 20, Math.floor(e / 20), 0.1]),
    ones(20).map(() => 3),
  ),
  'two parts and a node': symmetric(
    61,
    [...path(30), ...path(30).map(([i, j]): Edge => [i + 30, j + 30])],
    ones(61).map(() => 4),
  ),
  'sparse random': randomMatrix(150, 2.5, 1),
  'denser random': randomMatrix(120, 8, 2),
};

test('every order is a permutation, the same in every run', () => {
  for (const [name, matrix] of Object.entries(named)) {
    const order = runSync(minimumDegreeSteps(matrix))!;
    assert.equal(
      order.toSorted(),
      Int32Array.from({ length: matrix.size }, (_, i) => i),
      name,
    );
    assert.equal(runSync(minimumDegreeSteps(matrix)), order, name);
  }
});

test('the predicted fill is that of the elimination', () => {
  for (const [name, matrix] of Object.entries(named)) {
    const { tree, entries, flops } = analyze(matrix);
    const counts = eliminatedCounts(matrix, tree.order);
    assert.equal([...tree.counts], counts, name);
    assert.is(
      entries,
      counts.reduce((sum, count) => sum + count, 0),
      name,
    );
    assert.is(
      flops,
      counts.reduce((sum, count) => sum + count ** 2, 0),
      name,
    );
    for (const [j, parent] of tree.parents.entries()) assert.ok(parent < 0 ? true : parent > j, name);
  }
});

test('minimum degree causes no fill in trees, and less than half of that of the natural order in a grid', () => {
  for (const name of ['path', 'star', 'two parts and a node']) {
    const { entries } = analyze(named[name]);
    assert.is(entries, named[name].size + named[name].columns.length / 2, name);
  }
  const wide = symmetric(900, grid(30, 30), ones(900));
  const natural = eliminatedCounts(
    wide,
    Int32Array.from({ length: 900 }, (_, i) => i),
  );
  assert.ok(2 * analyze(wide).entries < natural.reduce((sum, count) => sum + count, 0));
});

test('an analysis ends early where a factorization would take too long', () => {
  const { flops } = analyze(named.grid);
  assert.is(runSync(analysisSteps(named.grid, flops / 2)), null);
  assert.is(runSync(analysisSteps(named.grid, 2 * flops))!.flops, flops);
});

test('panels have the rows that the analysis predicts, ascending', () => {
  for (const [name, matrix] of Object.entries(named)) {
    const { supernodes, rows: find } = analyze(matrix);
    const { count, first, heights, rowCount } = supernodes;
    const rows = find();
    assert.is(rows.length, rowCount, name);
    let at = 0;
    for (let s = 0; s < count; s++) {
      const below = rows.subarray(at, (at += heights[s] - (first[s + 1] - first[s])));
      for (const [i, row] of below.entries()) assert.ok(row >= first[s + 1] && (i === 0 || row > below[i - 1]), name);
    }
    assert.is(at, rowCount, name);
  }
});

onEveryBackend(test, 'L·D·Lᵀ is the matrix', () => {
  for (const [name, matrix] of Object.entries(named)) {
    const analysis = analyze(matrix);
    const factor = factorOf(matrix, analysis);
    const { size } = matrix;
    const product = new Float64Array(size * size);
    factor.visitColumns((j, rows, values, pivot) => {
      const column = [...Array.from(rows, (row, i) => [row, values[i]] as const), [j, 1] as const];
      for (const [i, x] of column) for (const [k, y] of column) product[i * size + k] += x * pivot * y;
    });
    const a = dense(matrix);
    const { order } = analysis.tree;
    const largest = product.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
    for (let i = 0; i < size; i++) {
      for (let k = 0; k < size; k++) {
        const difference = Math.abs(product[i * size + k] - a.at(order[i], order[k]));
        assert.ok(difference < 1e-10 * largest, `${name} ${i} ${k}: ${difference}`);
      }
    }
    factor.close();
  }
});

onEveryBackend(test, 'solutions of several right-hand sides satisfy their equations', () => {
  for (const [name, matrix] of Object.entries(named)) {
    const { size, starts, columns, values, diagonal } = matrix;
    const factor = factorOf(matrix);
    const width = 3;
    const b = new Float64Array(width * size);
    new Random(4).fillNormal(b);
    const x = b.slice();
    factor.solve(x, x, width);
    const single = new Float64Array(size);
    factor.solve(b.subarray(size, 2 * size), single);
    assert.equal(single, x.slice(size, 2 * size), name);
    for (let c = 0; c < width; c++) {
      for (let i = 0; i < size; i++) {
        let [sum, scale] = [diagonal[i] * x[c * size + i], 1];
        for (let e = starts[i]; e < starts[i + 1]; e++) sum += values[e] * x[c * size + columns[e]];
        for (let k = 0; k < size; k++) scale = Math.max(scale, Math.abs(x[c * size + k]));
        assert.ok(Math.abs(sum - b[c * size + i]) < 1e-9 * scale, `${name} ${c} ${i}`);
      }
    }
    factor.close();
  }
});

test('negative pivots are as many as negative eigenvalues', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const matrix = randomMatrix(90, 1 + seed, seed);
    const eigenvalues = symmetricEigen(dense(matrix)).values;
    for (const shift of [-3, -1, 0, 0.5, 2]) {
      const factor = factorOf({ ...matrix, diagonal: matrix.diagonal.map((x) => x - shift) });
      assert.is(factor.negative, eigenvalues.filter((value) => value < shift).length, `${seed} ${shift}`);
      // Rounding cannot have moved an eigenvalue across the shift.
      const distance = Math.min(...eigenvalues.map((value) => Math.abs(value - shift)));
      const rounding = factor.rounding(new Float64Array(ones(90)));
      assert.ok(rounding > 1e-15 && rounding < distance, `${seed} ${shift}: ${rounding} ${distance}`);
      factor.close();
    }
  }
});

test('rounding is bounded: the product of the factors is as near to the matrix as promised', () => {
  const matrix = randomMatrix(80, 5, 9);
  const analysis = analyze(matrix);
  const factor = factorOf(matrix, analysis);
  const { order } = analysis.tree;
  const difference = dense(matrix);
  factor.visitColumns((j, rows, values, pivot) => {
    const column = [...Array.from(rows, (row, i) => [row, values[i]] as const), [j, 1] as const];
    for (const [i, x] of column)
      for (const [k, y] of column) difference.data[order[i] * 80 + order[k]] -= x * pivot * y;
  });
  // Not symmetric in the last digit, because products were formed in two orders.
  for (let i = 0; i < 80; i++) for (let k = 0; k < i; k++) difference.data[k * 80 + i] = difference.data[i * 80 + k];
  const worst = Math.max(...symmetricEigen(difference).values.map(Math.abs));
  const bound = factor.rounding(new Float64Array(ones(80)));
  assert.ok(worst > 0 && worst < bound && bound < 1e-9, `${worst} ${bound}`);
  factor.close();
});

test('a pivot that is zero or rounding ends the factorization, and is named', () => {
  const zero = symmetric(2, [[0, 1]], [0, 0]);
  assert.equal(factorize(zero), { column: 0, pivot: 0 });
  // The Laplacian of a path is singular: its last pivot is rounding.
  const size = 50;
  const degrees = Float64Array.from({ length: size }, (_, i) => (i % (size - 1) === 0 ? 1 : 2));
  const laplacian = symmetric(
    size,
    path(size).map(([i, j]): Edge => [i, j, -1]),
    degrees,
  );
  const found = factorize(laplacian);
  assert.ok('pivot' in found && found.column === size - 1 && Math.abs(found.pivot) < 1e-14);
});

test('the memory of the factor is given back, also where the factorization ends early', () => {
  const matrix = named.grid;
  const analysis = analyze(matrix);
  const first = factorOf(matrix, analysis);
  let place = -1;
  first.visitColumns((_j, _rows, values) => (place = values.byteOffset));
  first.close();
  factorize({ ...matrix, diagonal: new Float64Array(matrix.size) }, analysis);
  const second = factorOf(matrix, analysis);
  second.visitColumns((_j, _rows, values) => assert.is(values.byteOffset <= place, true));
  second.close();
});

test.run();
