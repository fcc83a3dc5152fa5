import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { allocate } from '../../lib/tensor/tensor.ts';

const test = suite('tensor');

/** 0, 1, 2, … in this shape. */
function counting(shape: number[]): Tensor<Float64Array> {
  const size = shape.reduce((a, b) => a * b, 1);
  return new Tensor(
    Float64Array.from({ length: size }, (_, i) => i),
    shape,
  );
}

function sizes(shape: number[]): number[] {
  const { rows, cols, size } = counting(shape);
  return [rows, cols, size];
}

test('a tensor wraps its array without a copy and knows its sizes', () => {
  const data = new Float32Array(24);
  const t = new Tensor(data, [2, 3, 4]);
  assert.is(t.data, data);
  assert.equal([t.shape, t.rows, t.cols, t.size, t.precision, t.base], [[2, 3, 4], 2, 12, 24, 'single', null]);
  assert.is(counting([2]).precision, 'double');
});

test('rows and columns of every kind of shape', () => {
  assert.equal(sizes([]), [1, 1, 1]);
  assert.equal(sizes([5]), [5, 1, 5]);
  assert.equal(sizes([2, 3]), [2, 3, 6]);
  assert.equal(sizes([0]), [0, 1, 0]);
  assert.equal(sizes([0, 7]), [0, 7, 0]);
  assert.equal(sizes([7, 0]), [7, 0, 0]);
  assert.equal(sizes([2, 0, 3]), [2, 0, 0]);
  assert.equal(sizes([0, 2, 3]), [0, 6, 0]);
});

test('at reads row-major', () => {
  const t = counting([2, 3, 4]);
  assert.is(t.at(0, 0, 0), 0);
  assert.is(t.at(0, 0, 3), 3);
  assert.is(t.at(0, 1, 0), 4);
  assert.is(t.at(1, 2, 3), 23);
  assert.is(new Tensor(new Float32Array([7]), []).at(), 7);
});

test('at refuses indices outside, with axis and bound', () => {
  const t = counting([2, 3]);
  assert.throws(() => t.at(1), /Tensor\.at: expected 2 indices for shape 2×3, got 1/);
  assert.throws(() => t.at(0, 0, 0), /expected 2 indices for shape 2×3, got 3/);
  assert.throws(() => t.at(0, 3), /expected index 1 to be a whole number below 3, got 3/);
  assert.throws(() => t.at(-1, 0), /expected index 0 to be a whole number below 2, got -1/);
  assert.throws(() => t.at(0.5, 0), /got 0\.5/);
  assert.throws(() => t.at(NaN, 0), /got NaN/);
});

test('item is for a tensor of one number, of any shape', () => {
  assert.is(new Tensor(new Float64Array([4]), []).item(), 4);
  assert.is(new Tensor(new Float64Array([4]), [1, 1, 1]).item(), 4);
  assert.throws(() => counting([2]).item(), /Tensor\.item: expected a tensor of one number, got shape 2/);
  assert.throws(() => counting([0]).item(), /got shape 0/);
});

test('a range of rows is a view: both write to the same storage, and the base is kept', () => {
  const t = counting([4, 2, 3]);
  const view = t.rowRange(1, 3);
  assert.equal([view.shape, view.rows, view.cols], [[2, 2, 3], 2, 6]);
  assert.equal([...view.data], [6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
  view.data[0] = -1;
  assert.is(t.at(1, 0, 0), -1);
  t.data[17] = -2;
  assert.is(view.at(1, 1, 2), -2);
  assert.is(view.base, t);
  assert.is(view.data.buffer, t.data.buffer);
  assert.is(view.rowRange(1, 2).at(0, 0, 0), 12);
});

test('ranges can be empty or everything, and not more', () => {
  const t = counting([3, 2]);
  assert.equal(t.rowRange(0, 3).toArray(), t.toArray());
  assert.equal(t.rowRange(3, 3).shape, [0, 2]);
  assert.equal(counting([0, 2]).rowRange(0, 0).shape, [0, 2]);
  assert.equal([...counting([3]).rowRange(1, 2).data], [1]);
  assert.throws(() => t.rowRange(2, 1), /Tensor\.rowRange: expected start ≤ end ≤ 3 rows, got 2 … 1/);
  assert.throws(() => t.rowRange(0, 4), /got 0 … 4/);
  assert.throws(() => t.rowRange(-1, 2), /expected start to be a whole number, at least 0, got -1/);
  assert.throws(() => t.rowRange(0, 1.5), /expected end to be a whole number/);
  assert.throws(() => counting([]).rowRange(0, 1), /expected at least one axis, got a single number/);
});

test('reshape is a view of the same numbers in the same order', () => {
  const t = counting([2, 6]);
  const view = t.reshape([3, 4]);
  assert.equal(view.toArray(), [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9, 10, 11],
  ]);
  view.data[5] = -5;
  assert.is(t.at(0, 5), -5);
  assert.is(view.base, t);
  assert.is(counting([1]).reshape([]).item(), 0);
  assert.equal(counting([0, 3]).reshape([5, 0]).shape, [5, 0]);
  assert.throws(() => t.reshape([5]), /Tensor\.reshape: expected a shape of 12 numbers, got 5 = 5/);
  assert.throws(() => t.reshape([-3, -4]), /Tensor\.reshape: expected size 0 of the shape to be a whole number/);
});

test('a reshaped tensor does not follow later changes of the array that named its shape', () => {
  const shape = [3, 4];
  const view = counting([2, 6]).reshape(shape);
  shape[0] = 99;
  assert.equal(view.shape, [3, 4]);
  const square = [2, 2];
  const made = zeros(square);
  square[0] = 99;
  assert.equal(made.shape, [2, 2]);
});

test('a copy has storage of its own, in this precision or another', () => {
  const t = counting([2, 2]);
  t.data[1] = 0.1;
  const copy = t.copy();
  copy.data[0] = 9;
  assert.is(t.at(0, 0), 0);
  assert.equal([copy.precision, copy.shape, copy.at(0, 1), copy.base], ['double', [2, 2], 0.1, null]);
  const single = t.copy('single');
  assert.equal([single.precision, single.at(0, 1)], ['single', Math.fround(0.1)]);
  assert.is(single.copy('double').at(0, 1), Math.fround(0.1));
  assert.is(single.copy().precision, 'single');
  assert.equal([...t.rowRange(1, 2).copy().data], [2, 3]);
});

test('toArray nests one level for every axis', () => {
  assert.is(counting([]).toArray(), 0);
  assert.equal(counting([3]).toArray(), [0, 1, 2]);
  assert.equal(counting([2, 1, 2]).toArray(), [[[0, 1]], [[2, 3]]]);
  assert.equal(counting([0, 3]).toArray(), []);
  assert.equal(counting([2, 0]).toArray(), [[], []]);
});

test('zeros and allocate give zeros of the requested precision, single by default', () => {
  for (const shape of [[], [0], [4], [2, 3]]) {
    const single = zeros(shape);
    const double = zeros(shape, 'double');
    assert.equal([single.precision, double.precision], ['single', 'double']);
    assert.equal([single.shape, double.shape], [shape, shape]);
    assert.ok([...single.data, ...double.data].every((x) => x === 0));
  }
  assert.instance(allocate(3, 'single'), Float32Array);
  assert.instance(allocate(3, 'double'), Float64Array);
  assert.equal([...allocate(3, 'double')], [0, 0, 0]);
});

test('input that makes no tensor is refused', () => {
  assert.throws(
    () => new Tensor([1, 2] as never, [2]),
    /Tensor: expected a Float32Array or Float64Array, got an array of length 2\. tensor\(\) makes one/,
  );
  assert.throws(() => new Tensor(new Int32Array(2) as never, [2]), /got Int32Array/);
  assert.throws(() => new Tensor(new Float32Array(5), [2, 3]), /Tensor: expected 2×3 = 6 numbers, got 5/);
  assert.throws(() => new Tensor(new Float32Array(2), []), /expected a single number = 1 numbers, got 2/);
  assert.throws(() => zeros([2, -1]), /zeros: expected size 1 of the shape to be a whole number, at least 0, got -1/);
  assert.throws(() => zeros([1.5]), /expected size 0 of the shape to be a whole number/);
  assert.throws(() => zeros([65536, 65536]), /zeros: expected the number of elements .* got 4294967296/);
});

test.run();
