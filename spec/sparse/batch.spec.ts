import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CsrMatrix, Random } from '../../lib/index.ts';
import { matmul } from '../../lib/doors/autodiff.ts';
import {
  type BatchSlice,
  BatchSlicer,
  fromTriplets,
  identity,
  neighborsOf,
  sliceBlock,
} from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { allocateIndices } from '../../lib/sparse/indices.ts';
import { randomMatrix } from './arbitrary.ts';
import { ascending, assertCanonical, assertSame, denseOf } from './reference.ts';

const test = suite('batch slicer');

/** W[B, S] computed directly, and places that map back to the batch. */
function assertFits(slicer: BatchSlicer, slice: BatchSlice, batch: Int32Array, support: ArrayLike<number>): void {
  assert.equal([...slice.batch], [...batch]);
  assert.equal([...slice.support], Array.from(support));
  assert.equal(
    [...slice.batchInSupport].map((place) => slice.support[place]),
    [...batch],
  );
  assertCanonical(slice.weights);
  assertSame(slice.weights, sliceBlock(slicer.matrix, batch, support));
}

test('one slicer serves batch after batch of any size, and in each of the three ways', () => {
  const random = new Random('batches');
  for (let graph = 0; graph < 30; graph++) {
    const side = 1 + random.integer(graph < 15 ? 12 : 120);
    const slicer = new BatchSlicer(sparse(random, side));
    const everyRow = Int32Array.from({ length: side }, (_, i) => i);
    for (let step = 0; step < 20; step++) {
      const batch = random.permutation(side).slice(0, random.integer(Math.min(side, 10) + 1));
      const own = ascending(batch);
      assertFits(slicer, slicer.neighbors(batch), batch, neighborsOf(slicer.matrix, batch, true));
      assertFits(slicer, slicer.local(batch), batch, own);
      assertFits(slicer, slicer.full(batch), batch, everyRow);
    }
  }
});

test('W[B, S]·Y[S] = (W·Y)[B] for neighbors and for all rows', () => {
  const random = new Random('view');
  const matrix = sparse(random, 50);
  const slicer = new BatchSlicer(matrix);
  const y = zeros([50, 3]);
  for (let i = 0; i < y.size; i++) y.data[i] = random.integer(9);
  const whole = matmul(matrix, y);
  const batch = Int32Array.of(7, 3, 40);
  for (const look of [() => slicer.neighbors(batch), () => slicer.full(batch)]) {
    const slice = look();
    const seen = zeros([slice.support.length, 3]);
    slice.support.forEach((row, place) => seen.data.set(y.data.subarray(3 * row, 3 * row + 3), 3 * place));
    const part = matmul(slice.weights, seen);
    batch.forEach((row, k) => {
      assert.equal([...part.rowRange(k, k + 1).data], [...whole.rowRange(row, row + 1).data]);
    });
  }
});

test('a row of the batch that has no entry is in the support all the same', () => {
  const slicer = new BatchSlicer(fromTriplets({ rows: [0], columns: [2], values: [5] }, [4, 4]));
  const slice = slicer.neighbors(Int32Array.of(3, 0));
  assert.equal([...slice.support], [0, 2, 3]);
  assert.equal([...slice.batchInSupport], [2, 0]);
  assert.equal(denseOf(slice.weights), [
    [0, 0, 0],
    [0, 5, 0],
  ]);
});

test('a batch may repeat a row, and may be empty', () => {
  const slicer = new BatchSlicer(identity(3, 'double'));
  const twice = slicer.local(Int32Array.of(1, 1));
  assert.equal([...twice.support], [1]);
  assert.equal(denseOf(twice.weights), [[1], [1]]);
  assert.is(twice.weights.precision, 'double');
  const none = slicer.neighbors(new Int32Array(0));
  assert.equal([none.support.length, none.weights.rows, none.weights.cols], [0, 0, 0]);
});

test('buffers are used again: the next batch is written where the last one was', () => {
  const slicer = new BatchSlicer(identity(9));
  const first = slicer.neighbors(Int32Array.of(1, 2, 3));
  const second = slicer.neighbors(Int32Array.of(6, 5));
  assert.is(first.weights.values.buffer, second.weights.values.buffer);
  assert.is(first.weights.values.byteOffset, second.weights.values.byteOffset);
  assert.is(first.support.byteOffset, second.support.byteOffset);
  assert.equal([...first.support.subarray(0, 2)], [5, 6]);
});

test('writing to a slice does not change the next one', () => {
  const random = new Random('scribbled');
  const side = 40;
  const slicer = new BatchSlicer(sparse(random, side));
  const looks = {
    neighbors: (batch: Int32Array) => neighborsOf(slicer.matrix, batch, true),
    local: (batch: Int32Array) => ascending(batch),
    full: () => Int32Array.from({ length: side }, (_, i) => i),
  };
  const names = Object.keys(looks) as (keyof typeof looks)[];
  for (let step = 0; step < 60; step++) {
    const batch = random.permutation(side).slice(0, 5);
    const before = slicer[names[random.integer(3)]](batch);
    for (const array of [before.support, before.batchInSupport, before.weights.columns])
      array.fill(random.integer(side));
    const name = names[random.integer(3)];
    const next = random.permutation(side).slice(0, 5);
    assertFits(slicer, slicer[name](next), next, looks[name](next));
  }
});

test('places of batches long ago are not taken for those of this one', () => {
  // Place counters continue from batch to batch up to 2³¹ and then restart at 0: after 1024 batches of this size. Every
  // row is connected to the one before it, which was in the last batch.
  const side = 2 ** 21;
  const starts = Int32Array.from({ length: side + 1 }, (_, i) => Math.max(0, 2 * i - 1));
  const columns = Int32Array.from({ length: 2 * side - 1 }, (_, e) => e >> 1);
  const slicer = new BatchSlicer(new CsrMatrix(side, side, starts, columns, new Float32Array(2 * side - 1).fill(1)));
  for (let step = 0; step < 1100; step++) {
    const { support, batchInSupport, weights } = slicer.local(Int32Array.of(side - 1 - step, step));
    assert.equal([...support], [step, side - 1 - step]);
    assert.equal([...batchInSupport], [1, 0]);
    assert.equal([...weights.columns], [1, 0]);
  }
});

test('bad batches and matrices are refused', () => {
  assert.throws(
    () => new BatchSlicer(randomMatrix(new Random(1), 2, 3)),
    /BatchSlicer: expected a square matrix, got 2×3\./,
  );
  const slicer = new BatchSlicer(identity(3));
  assert.throws(
    () => slicer.neighbors(Int32Array.of(0, 3)),
    /BatchSlicer\.neighbors: expected the batch to be whole numbers from 0 to 2, got 3 at index 1\./,
  );
  assert.throws(() => slicer.local(Int32Array.of(-1)), /BatchSlicer\.local: .* got -1 at index 0/);
  assert.throws(
    () => slicer.full([1] as unknown as Int32Array),
    (error: Error) =>
      error instanceof TypeError && /BatchSlicer\.full: expected the batch as an Int32Array/.test(error.message),
  );
});

test('a support that is kept is still there when its slicer is gone and its memory was asked for', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const collect = async () => {
    gc();
    await new Promise((resolve) => setTimeout(resolve)); // blocks are freed in a later task of the event loop
    gc();
    await new Promise((resolve) => setTimeout(resolve));
  };
  // Earlier tests may have used up the budget of the kernels' memory. On a busy machine it is freed late.
  for (let tries = 0; tries < 100 && allocateIndices(1).byteOffset === 0; tries++) await collect();
  const batch = Int32Array.from({ length: 100 }, (_, i) => 200 + i);
  const slice = () => new BatchSlicer(identity(400)).neighbors(batch);
  const supports = Array.from({ length: 50 }, () => slice().support);
  const places = Array.from({ length: 50 }, () => slice().batchInSupport);
  assert.ok(
    supports.every((support) => support.byteOffset > 0),
    "they lie in the kernels' memory",
  );
  await collect();
  const others = Array.from({ length: 2000 }, () => allocateIndices(300).fill(-1));
  assert.ok(others.every((other) => other[149] === -1));
  for (const support of supports) assert.equal(support, batch);
  for (const inSupport of places) assert.equal(inSupport, Int32Array.from(batch.keys()));
});

/** About two entries per row, so that supports are small compared with the matrix. */
function sparse(random: Random, side: number) {
  const draw = () => Int32Array.from({ length: 2 * side }, () => random.integer(side));
  return fromTriplets({ rows: draw(), columns: draw(), values: draw() }, [side, side]);
}

test.run();
