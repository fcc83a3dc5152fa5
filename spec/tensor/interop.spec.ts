import ndarray, { type NdArray } from 'ndarray';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tensor } from '../../lib/index.ts';
import { fromNdarray, toNdarray, zeros } from '../../lib/doors/tensor.ts';

const test = suite('interop');

/** 0, 1, 2, … */
function counting(count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => i);
}

/** Whether a write to one is visible in the other. */
function shares(source: NdArray, copy: { data: Float32Array | Float64Array }): boolean {
  const kept = copy.data[0];
  copy.data[0] = kept + 1000;
  const seen = source.get(...source.shape.map(() => 0)) === kept + 1000;
  copy.data[0] = kept;
  return seen;
}

test('contiguous floats come in without a copy, in their own precision', () => {
  for (const data of [counting(6), Float32Array.from(counting(6))]) {
    const source = ndarray(data, [2, 3]);
    const t = fromNdarray(source, data instanceof Float64Array ? 'single' : 'double');
    assert.equal(t.toArray(), [
      [0, 1, 2],
      [3, 4, 5],
    ]);
    assert.is(t.data.constructor, data.constructor, 'a view keeps the precision there is');
    assert.is(t.data.buffer, data.buffer);
    assert.ok(shares(source, t));
  }
});

test('a block of whole rows with an offset is still contiguous', () => {
  const source = ndarray(counting(12), [4, 3]).lo(1, 0).hi(2, 3);
  const t = fromNdarray(source);
  assert.equal(t.toArray(), [
    [3, 4, 5],
    [6, 7, 8],
  ]);
  assert.ok(shares(source, t));
  const row = fromNdarray(ndarray(counting(12), [4, 3]).pick(2, null));
  assert.equal([row.shape, row.toArray()], [[3], [6, 7, 8]]);
});

test('strides along axes of length one do not matter', () => {
  const source = ndarray(counting(6), [1, 3], [77, 1]);
  assert.ok(shares(source, fromNdarray(source)));
});

test('transposed, stepped, reversed and cut arrays are copied, in single precision by default', () => {
  const base = ndarray(counting(12), [3, 4]);
  const cases: [NdArray, unknown][] = [
    [
      base.transpose(1, 0),
      [
        [0, 4, 8],
        [1, 5, 9],
        [2, 6, 10],
        [3, 7, 11],
      ],
    ],
    [
      base.step(2, 1),
      [
        [0, 1, 2, 3],
        [8, 9, 10, 11],
      ],
    ],
    [
      base.step(1, 2),
      [
        [0, 2],
        [4, 6],
        [8, 10],
      ],
    ],
    [
      base.step(-1, 1),
      [
        [8, 9, 10, 11],
        [4, 5, 6, 7],
        [0, 1, 2, 3],
      ],
    ],
    [
      base.lo(0, 1).hi(3, 2),
      [
        [1, 2],
        [5, 6],
        [9, 10],
      ],
    ],
    [base.pick(null, 1), [1, 5, 9]],
    [
      ndarray(counting(3), [2, 3], [0, 1]),
      [
        [0, 1, 2],
        [0, 1, 2],
      ],
    ],
  ];
  for (const [source, expected] of cases) {
    const t = fromNdarray(source);
    assert.equal(t.toArray(), expected);
    assert.is(t.precision, 'single');
    assert.not.ok(shares(source, t));
    const double = fromNdarray(source, 'double');
    assert.equal([double.precision, double.toArray()], ['double', expected]);
    assert.not.ok(shares(source, double));
  }
});

test('other kinds of numbers are converted', () => {
  for (const data of [[1, 2, 3, 4], new Uint8Array([1, 2, 3, 4]), new Int32Array([1, 2, 3, 4])]) {
    const source = ndarray(data, [2, 2]);
    const t = fromNdarray(source, 'double');
    assert.equal(
      [t.precision, t.toArray()],
      [
        'double',
        [
          [1, 2],
          [3, 4],
        ],
      ],
    );
    assert.not.ok(shares(source, t));
  }
});

test('three axes in any order', () => {
  const base = ndarray(counting(24), [2, 3, 4]);
  const permuted = base.transpose(2, 0, 1);
  const t = fromNdarray(permuted, 'double');
  assert.equal(t.shape, [4, 2, 3]);
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 2; j++) for (let k = 0; k < 3; k++) assert.is(t.at(i, j, k), base.get(j, k, i));
  }
});

test('a single number, and nothing at all', () => {
  assert.is(fromNdarray(ndarray(counting(1), [])).item(), 0);
  assert.equal(fromNdarray(ndarray(new Float64Array(0), [0])).shape, [0]);
  assert.equal(fromNdarray(ndarray(new Float32Array(0), [0, 3])).shape, [0, 3]);
  assert.equal(fromNdarray(ndarray(new Float32Array(0), [3, 0]).transpose(1, 0)).shape, [0, 3]);
});

test('the tensor keeps a shape of its own', () => {
  const source = ndarray(counting(6), [2, 3]);
  const t = fromNdarray(source);
  source.shape[0] = 1;
  assert.equal(t.shape, [2, 3]);
});

test('out: an ndarray over the same storage, and back again', () => {
  const t = tensor(
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    'double',
  );
  const out = toNdarray(t);
  assert.equal([out.shape, out.get(1, 2), out.dtype], [[2, 3], 6, 'float64']);
  assert.is(out.data, t.data);
  out.set(0, 1, 42);
  assert.is(t.at(0, 1), 42);
  t.data[3] = 43;
  assert.is(out.get(1, 0), 43);
  const back = fromNdarray(out);
  assert.equal([back.data.byteOffset, back.shape], [t.data.byteOffset, [2, 3]]);
  out.shape[0] = 9;
  assert.equal(t.shape, [2, 3]);
});

test('views export only their part, and single numbers have no axes', () => {
  const t = tensor(
    [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
    'single',
  );
  assert.is(toNdarray(t.rowRange(1, 2)).get(0, 1), 4);
  assert.is(toNdarray(tensor(7)).get(), 7);
  assert.equal(toNdarray(zeros([0, 2])).shape, [0, 2]);
});

test('anything but an ndarray is refused', () => {
  assert.throws(() => fromNdarray({} as never), /fromNdarray: expected an ndarray, got Object/);
  assert.throws(() => fromNdarray([1, 2] as never), /fromNdarray: expected an ndarray, got an array of length 2/);
  assert.throws(() => fromNdarray(5 as never), /fromNdarray: expected an ndarray, got 5/);
});

test.run();
