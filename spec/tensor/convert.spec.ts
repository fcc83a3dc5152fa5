import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type NestedArray, tensor } from '../../lib/index.ts';

const test = suite('convert');

test('nested arrays of any depth come back as they went in', () => {
  for (const nested of [
    5,
    [],
    [1, 2, 3],
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [
      [[1], [2]],
      [[3], [4]],
      [[5], [6]],
    ],
    [[[[[7]]]]],
    [[], []],
    [[[], []]],
  ] as NestedArray[]) {
    assert.equal(tensor(nested, 'double').toArray(), nested);
    assert.equal(tensor(nested).toArray(), nested);
  }
});

test('shapes are read off the nesting', () => {
  assert.equal(tensor(5).shape, []);
  assert.equal(tensor([]).shape, [0]);
  assert.equal(tensor([[], [], []]).shape, [3, 0]);
  assert.equal(tensor([[[1, 2]]]).shape, [1, 1, 2]);
});

test('single precision unless double is asked for', () => {
  assert.equal([tensor([0.1]).precision, tensor([0.1]).at(0)], ['single', Math.fround(0.1)]);
  assert.equal([tensor([0.1], 'double').precision, tensor([0.1], 'double').at(0)], ['double', 0.1]);
});

test('NaN and infinities are numbers', () => {
  assert.equal([...tensor([NaN, Infinity, -Infinity]).data], [NaN, Infinity, -Infinity]);
});

test('typed arrays can be the innermost level', () => {
  const rows = [new Float64Array([1, 2]), new Int8Array([3, 4])] as unknown as NestedArray;
  assert.equal(tensor(rows).toArray(), [
    [1, 2],
    [3, 4],
  ]);
  assert.equal(tensor(new Uint8Array([1, 2, 3]) as unknown as NestedArray).shape, [3]);
  const views = [new Float64Array([1, 2, 3]).subarray(1), [4, 5]] as unknown as NestedArray;
  assert.equal(tensor(views).toArray(), [
    [2, 3],
    [4, 5],
  ]);
});

test('numbers with a shape, from any kind of array, are copied', () => {
  for (const data of [[1, 2, 3, 4, 5, 6], new Uint8Array([1, 2, 3, 4, 5, 6]), new Float64Array([1, 2, 3, 4, 5, 6])]) {
    const t = tensor({ data, shape: [2, 3] });
    assert.equal(t.toArray(), [
      [1, 2, 3],
      [4, 5, 6],
    ]);
    data[0] = 9;
    assert.is(t.at(0, 0), 1);
  }
  assert.is(tensor({ data: [3], shape: [] }).item(), 3);
  assert.equal(tensor({ data: [], shape: [0, 4] }).shape, [0, 4]);
});

test('a shape that does not hold the numbers is refused with both counts', () => {
  assert.throws(() => tensor({ data: [1, 2, 3], shape: [2, 2] }), /tensor: expected 4 numbers for shape 2×2, got 3/);
  assert.throws(() => tensor({ data: [1], shape: [0] }), /expected 0 numbers for shape 0, got 1/);
  assert.throws(() => tensor({ data: [1], shape: [-1] }), /expected size 0 of the shape to be a whole number/);
});

test('another tensor is copied, single unless double is asked for', () => {
  const source = tensor([0.1, 0.2], 'double');
  const single = tensor(source);
  const double = tensor(source, 'double');
  assert.equal([single.precision, double.precision], ['single', 'double']);
  double.data[0] = 5;
  assert.is(source.at(0), 0.1);
});

test('ragged arrays are refused with the place of the first bad row', () => {
  assert.throws(() => tensor([[1, 2], [3]]), /tensor: expected an array of length 2 at \[1\], got 1\./);
  assert.throws(
    () =>
      tensor([
        [
          [1, 2],
          [3, 4],
        ],
        [
          [5, 6],
          [7, 8, 9],
        ],
      ]),
    /expected an array of length 2 at \[1\]\[1\], got 3/,
  );
  assert.throws(() => tensor([[], [1]]), /expected an array of length 0 at \[1\], got 1/);
  assert.throws(() => tensor([[1], 2]), /expected an array of length 1 at \[1\], got 2/);
  assert.throws(() => tensor([1, [2]]), /expected a number at \[1\], got an array of length 1/);
});

test('entries that are not numbers are refused with their position and type, also numeric text', () => {
  for (const [bad, shown] of [
    ['3', '3'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [3n, 'bigint'],
    [{}, 'Object'],
  ] as const) {
    assert.throws(
      () =>
        tensor([
          [1, 2],
          [3, bad],
        ] as never),
      (error: unknown) =>
        error instanceof TypeError && error.message === `tensor: expected a number at [1][1], got ${shown}.`,
    );
    assert.throws(() => tensor(bad as never), /tensor: expected a number, got/);
  }
});

test('an array that holds itself is refused', () => {
  const endless: unknown[] = [];
  endless.push(endless);
  assert.throws(() => tensor(endless as never), /^tensor: expected at most 32 levels of arrays, got 33 or more\.$/);
});

test.run();
