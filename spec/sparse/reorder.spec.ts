import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CsrMatrix, Random } from '../../lib/index.ts';
import { fromTriplets, identity, symmetrize, toTriplets } from '../../lib/doors/sparse.ts';
import { bandwidth, inversePermutation, permute, permuteRows, reverseCuthillMcKee } from '../../lib/doors/sparse.ts';
import { randomMatrix } from './arbitrary.ts';
import { ascending, assertCanonical, assertSame, denseOf } from './reference.ts';
import { shapes } from '../shapes.ts';

const test = suite('sparse reorder');

test('entry (i, j) of the permuted matrix is entry (order[i], order[j]), and the inverse undoes it', () => {
  const random = new Random('permute');
  for (let round = 0; round < 100; round++) {
    const side = random.integer(9);
    const matrix = randomMatrix(random, side, side);
    const order = random.permutation(side);
    const permuted = permute(matrix, order);
    assertCanonical(permuted);
    const [before, after] = [denseOf(matrix), denseOf(permuted)];
    after.forEach((row, i) => row.forEach((value, j) => assert.is(value, before[order[i]][order[j]])));
    assertSame(permute(permuted, inversePermutation(order)), matrix);
  }
});

test('rows alone can be permuted, of matrices of any shape', () => {
  const matrix = randomMatrix(new Random(3), 4, 6);
  const dense = denseOf(matrix);
  assert.equal(denseOf(permuteRows(matrix, [2, 0, 3, 1])), [dense[2], dense[0], dense[3], dense[1]]);
});

test('an inverse permutation gives the position of each number', () => {
  assert.equal([...inversePermutation([2, 0, 1])], [1, 2, 0]);
  assert.equal([...inversePermutation([])], []);
  const order = new Random(1).permutation(30);
  assert.equal([...inversePermutation(inversePermutation(order))], [...order]);
});

/** Nodes of a width×height grid, numbered at random, each connected to its four neighbors. */
function shuffledGrid(random: Random, width: number, height: number): CsrMatrix {
  const names = random.permutation(width * height);
  const [rows, columns]: [number[], number[]] = [[], []];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const here = names[y * width + x];
      if (x + 1 < width) rows.push(here, names[y * width + x + 1]);
      if (x + 1 < width) columns.push(names[y * width + x + 1], here);
      if (y + 1 < height) rows.push(here, names[(y + 1) * width + x]);
      if (y + 1 < height) columns.push(names[(y + 1) * width + x], here);
    }
  }
  return fromTriplets({ rows, columns, values: rows.map(() => 1) }, [names.length, names.length]);
}

test('a shuffled grid gets back a bandwidth near its shorter side', () => {
  const random = new Random('grid');
  for (const [width, height] of shapes('30×10', '10×30', '40×40', '200×3')) {
    const grid = shuffledGrid(random, width, height);
    const ordered = permute(grid, reverseCuthillMcKee(grid));
    const shorter = Math.min(width, height);
    assert.ok(bandwidth(grid) > 5 * shorter, `shuffled ${bandwidth(grid)}`);
    assert.ok(bandwidth(ordered) <= shorter + 1, `${width}×${height}: ${bandwidth(ordered)}`);
  }
});

test('a shuffled path becomes a path again, from any first node', () => {
  for (let seed = 0; seed < 20; seed++) {
    const path = shuffledGrid(new Random(seed), 50, 1);
    assert.is(bandwidth(permute(path, reverseCuthillMcKee(path))), 1);
  }
});

test('the search does not stay with a lone node that hangs on the middle', () => {
  const ladder = shuffledGrid(new Random('ladder'), 101, 3);
  const middle = new Random('ladder').permutation(303)[101 + 50];
  const { rows, columns } = toTriplets(ladder);
  const triplets = { rows: [...rows, middle, 303], columns: [...columns, 303, middle] };
  const graph = fromTriplets({ ...triplets, values: triplets.rows.map(() => 1) }, [304, 304]);
  assert.is(graph.starts[304] - graph.starts[303], 1);
  assert.is(graph.starts[middle + 1] - graph.starts[middle], 5);
  const order = reverseCuthillMcKee(graph);
  assert.ok(bandwidth(permute(graph, order)) <= 5, `${bandwidth(permute(graph, order))}`);
});

test('read backwards, nodes come in the order of the node they were found from, and by degree among those', () => {
  const random = new Random('levels');
  for (let round = 0; round < 30; round++) {
    const side = 2 + random.integer(60);
    const draw = () => Int32Array.from({ length: 3 * side }, () => random.integer(side));
    const graph = symmetrize(fromTriplets({ rows: draw(), columns: draw(), values: draw() }, [side, side]));
    const order = [...reverseCuthillMcKee(graph)];
    order.reverse();
    const place = inversePermutation(order);
    const degree = (node: number) => graph.starts[node + 1] - graph.starts[node];
    const found = order.map((node) =>
      Math.min(
        place[node],
        ...Array.from(graph.columns.subarray(graph.starts[node], graph.starts[node + 1]), (j) => place[j]),
      ),
    );
    for (let k = 1; k < side; k++) {
      if (found[k] === k) continue; // the first node of a component
      if (found[k - 1] !== k - 1) assert.ok(found[k] >= found[k - 1], `${found}`);
      if (found[k] === found[k - 1] && found[k - 1] !== k - 1) assert.ok(degree(order[k]) >= degree(order[k - 1]));
    }
  }
});

test('every order is a permutation: of random graphs, many components, isolated nodes, loops, none at all', () => {
  const random = new Random('orders');
  for (let round = 0; round < 100; round++) {
    const side = random.integer(40);
    const count = side === 0 ? 0 : random.integer(2 * side);
    const draw = () => Int32Array.from({ length: count }, () => random.integer(side));
    const graph = symmetrize(fromTriplets({ rows: draw(), columns: draw(), values: draw() }, [side, side]));
    const order = reverseCuthillMcKee(graph);
    assert.equal(
      ascending(order),
      Array.from({ length: side }, (_, i) => i),
    );
    assert.not.throws(() => permute(graph, order));
  }
  assert.is(reverseCuthillMcKee(identity(0)).length, 0);
  assert.equal(ascending(reverseCuthillMcKee(identity(3))), [0, 1, 2]);
});

test('components are kept together', () => {
  const random = new Random('components');
  const [a, b] = [shuffledGrid(random, 6, 5), shuffledGrid(random, 9, 4)];
  const names = random.permutation(a.rows + b.rows);
  const [rows, columns]: [number[], number[]] = [[], []];
  for (const [grid, offset] of [
    [a, 0],
    [b, a.rows],
  ] as const) {
    for (let i = 0; i < grid.rows; i++) {
      for (let e = grid.starts[i]; e < grid.starts[i + 1]; e++) {
        rows.push(names[offset + i]);
        columns.push(names[offset + grid.columns[e]]);
      }
    }
  }
  const both = fromTriplets({ rows, columns, values: rows.map(() => 1) }, [names.length, names.length]);
  const place = inversePermutation(names);
  const sides = [...reverseCuthillMcKee(both)].map((node) => (place[node] < a.rows ? 'a' : 'b')).join('');
  assert.ok(/^(a+b+|b+a+)$/.test(sides), sides);
});

test('bad orders and patterns that are not symmetric are refused', () => {
  const matrix = identity(3);
  assert.throws(() => permute(matrix, [0, 1]), /permute: expected an order of 3 numbers, got 2\./);
  assert.throws(() => permute(matrix, [0, 1, 1]), /permute: expected each number once in the order, got 1 twice\./);
  assert.throws(
    () => permuteRows(matrix, [0, 1, 3]),
    /permuteRows: expected the order to be whole numbers from 0 to 2, got 3/,
  );
  assert.throws(() => inversePermutation([1, 2]), /inversePermutation: .* got 2 at index 1/);
  const oblong = fromTriplets({ rows: [0], columns: [2], values: [1] }, [2, 3]);
  assert.throws(() => permute(oblong, [0, 1]), /permute: expected a square matrix, got 2×3\./);
  assert.throws(() => reverseCuthillMcKee(oblong), /reverseCuthillMcKee: expected a square matrix, got 2×3\./);
  for (const [rows, columns] of [
    [[0], [2]],
    [[2], [0]],
    [
      [0, 1, 2],
      [1, 2, 0],
    ],
  ]) {
    const oneWay = fromTriplets({ rows, columns, values: rows.map(() => 1) }, [3, 3]);
    assert.throws(
      () => reverseCuthillMcKee(oneWay),
      /reverseCuthillMcKee: expected a symmetric pattern, got row 0 and column 0 with different patterns\. Pass symmetrize\(matrix\)\./,
    );
  }
});

test.run();
