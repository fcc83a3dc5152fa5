import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { fromTriplets, neighborsOf } from '../../lib/doors/sparse.ts';
import { NeighborUnion } from '../../lib/sparse/slices/neighbor-union.ts';

const test = suite('the neighborhoods of batches');

test('are those of `neighborsOf`, each row once and the batch first', () => {
  const random = new Random('union');
  const n = 60;
  const indices = (): Int32Array => Int32Array.from({ length: 200 }, () => random.integer(n));
  const matrix = fromTriplets({ rows: indices(), columns: indices(), values: new Float32Array(200).fill(1) }, [n, n]);
  const union = new NeighborUnion(matrix);
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (const size of [0, 1, 2, 7, n, 3]) {
    random.bringToFront(order, size);
    const batch = order.subarray(0, size);
    const rows = union.of(batch);
    assert.equal([...rows.subarray(0, size)], [...batch]);
    assert.equal(rows.toSorted(), neighborsOf(matrix, batch, true));
  }
});

test('hold the batch alone where nothing is joined to it', () => {
  const union = new NeighborUnion(fromTriplets({ rows: [], columns: [], values: [] }, [3, 3]));
  assert.equal([...union.of(Int32Array.of(2, 0))], [2, 0]);
});

test('tell a repeated row once', () => {
  const union = new NeighborUnion(fromTriplets({ rows: [5, 5, 3], columns: [0, 3, 5], values: [1, 1, 1] }, [6, 6]));
  assert.equal([...union.of(Int32Array.of(5, 1, 5, 3))], [5, 1, 3, 0]);
});

test.run();
