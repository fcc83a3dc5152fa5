/** The alias table draws each index with exactly the probability of its weight. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AliasTable } from '../../lib/core/alias-table.ts';
import { Random } from '../../lib/index.ts';

const test = suite('alias table');

/** The least number in [0, 1] from which on the condition holds, by bisection. */
function leastWith(holds: (x: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let middle = 0.5; middle > low && middle < high; middle = (low + high) / 2) {
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The probability of each index: that of all pairs of a cell and a uniform number which lead to it. */
function probabilities(weights: readonly number[]): number[] {
  const table = new AliasTable(weights);
  const drawn = (cell: number, uniform: number): number =>
    table.draw({ integer: () => cell, uniform: () => uniform } as unknown as Random);
  const found = weights.map(() => 0);
  for (let cell = 0; cell < weights.length; cell++) {
    const [own, alias] = [drawn(cell, 0), drawn(cell, 1 - 2 ** -53)];
    const limit = own === alias ? 1 : leastWith((uniform) => drawn(cell, uniform) !== own);
    found[own] += limit / weights.length;
    found[alias] += (1 - limit) / weights.length;
  }
  return found;
}

test('the probability of an index is its weight over their sum', () => {
  const random = new Random('weights');
  const cases = [
    [1],
    [3, 3, 3],
    [0, 1, 0, 2],
    [1e-12, 1, 1e6],
    Array.from({ length: 200 }, () => random.uniform() ** 4),
    Array.from({ length: 31 }, (_, i) => 1 + (i % 3)),
  ];
  for (const weights of cases) {
    const total = weights.reduce((sum, weight) => sum + weight);
    for (const [i, found] of probabilities(weights).entries()) {
      assert.ok(Math.abs(found - weights[i] / total) < 1e-14, `${weights.length}, ${i}: ${found}`);
    }
  }
});

test('draws follow the probabilities, and a weight of zero is never drawn', () => {
  const table = new AliasTable([1, 0, 2, 5]);
  const random = new Random('draws');
  const counts = [0, 0, 0, 0];
  const draws = 8000;
  for (let t = 0; t < draws; t++) counts[table.draw(random)]++;
  assert.is(counts[1], 0);
  for (const [i, weight] of [1, 0, 2, 5].entries()) {
    const expected = (draws * weight) / 8;
    assert.ok(Math.abs(counts[i] - expected) <= 5 * Math.sqrt(expected), `${i}: ${counts[i]}`);
  }
});

test.run();
