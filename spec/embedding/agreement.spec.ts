import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accuracy, adjustedRandIndex, normalizedMutualInformation, Random } from '../../lib/index.ts';
import { assign } from '../../lib/embedding/clustering/assignment.ts';

const test = suite('agreement of labels');

const near = (got: number, want: number): void => assert.ok(Math.abs(got - want) < 1e-12, `${got} instead of ${want}`);

const labels = (random: Random, count: number, kinds: number): number[] =>
  Array.from({ length: count }, () => random.integer(kinds));

test('equal partitions agree fully under any names of the labels', () => {
  const truth = [0, 0, 1, 1, 2, 2, 2];
  const renamed = truth.map((label) => [7, -3, 100][label]);
  for (const measure of [accuracy, adjustedRandIndex, normalizedMutualInformation]) {
    near(measure(truth, truth), 1);
    near(measure(renamed, truth), 1);
  }
});

test('all measures are symmetric in their arguments', () => {
  const random = new Random('symmetric');
  for (let round = 0; round < 20; round++) {
    const [a, b] = [labels(random, 40, 3), labels(random, 40, 5)];
    for (const measure of [accuracy, adjustedRandIndex, normalizedMutualInformation])
      near(measure(a, b), measure(b, a));
  }
});

test('chance gives a rand index near 0', () => {
  const random = new Random('chance');
  let sum = 0;
  for (let round = 0; round < 200; round++) sum += adjustedRandIndex(labels(random, 200, 4), labels(random, 200, 4));
  assert.ok(Math.abs(sum / 200) < 0.003, `${sum / 200}`);
});

test('worked examples', () => {
  near(accuracy([0, 0, 1, 1], [0, 0, 0, 1]), 3 / 4);
  near(accuracy([0, 1, 2, 3], [0, 0, 0, 0]), 1 / 4);
  near(accuracy([1, 1, 0], [5, 5, 9]), 1);
  // Two independent splits of four points into halves.
  near(normalizedMutualInformation([0, 0, 1, 1], [0, 1, 0, 1]), 0);
  // Pairs together in both: 1; alone 2 and 3 of 6: expected 1, mean 2.5.
  near(adjustedRandIndex([0, 0, 1, 1], [0, 0, 0, 1]), (1 - (2 * 3) / 6) / (2.5 - (2 * 3) / 6));
  near(normalizedMutualInformation([0, 0, 0], [4, 4, 4]), 1);
  near(adjustedRandIndex([3], [8]), 1);
});

test('bad labels are refused', () => {
  assert.throws(() => accuracy([1], [1, 2]), /accuracy: expected 1 labels in both arrays, got 2/);
  assert.throws(() => adjustedRandIndex([], []), /adjustedRandIndex: expected at least one label, got none/);
  assert.throws(() => accuracy([0.5], [1]), /accuracy: expected whole numbers as labels, got 0\.5 at index 0/);
  assert.throws(() => normalizedMutualInformation(null as never, [1]), /expected two arrays of labels, got null/);
});

/** Tries every permutation. */
function cheapest(size: number, cost: Float64Array): number {
  const tried = (row: number, used: number): number => {
    if (row === size) return 0;
    let best = Infinity;
    for (let j = 0; j < size; j++) {
      if (!(used & (1 << j))) best = Math.min(best, cost[row * size + j] + tried(row + 1, used | (1 << j)));
    }
    return best;
  };
  return tried(0, 0);
}

test('the assignment is the cheapest of all permutations', () => {
  const random = new Random('assignment');
  for (let round = 0; round < 200; round++) {
    const size = random.integer(7);
    const cost = Float64Array.from({ length: size * size }, () => Math.round(random.normal() * 4));
    const columns = assign(size, cost);
    assert.is(new Set(columns).size, size);
    near(
      columns.reduce((sum, j, i) => sum + cost[i * size + j], 0),
      cheapest(size, cost),
    );
  }
});

test.run();
