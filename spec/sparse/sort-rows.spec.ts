import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { sortRows } from '../../lib/sparse/sort-rows.ts';

const test = suite('sorting rows');

/** Rows of these lengths with columns below `bound`, many of them equal. Each value is its original place. */
function shuffled(
  lengths: readonly number[],
  bound: number,
): { starts: Int32Array; columns: Int32Array; values: Float64Array } {
  const random = new Random(`${lengths}`);
  const starts = Int32Array.of(0, ...lengths);
  for (let i = 0; i < lengths.length; i++) starts[i + 1] += starts[i];
  const columns = Int32Array.from({ length: starts[lengths.length] }, () => random.integer(bound));
  return { starts, columns, values: Float64Array.from(columns.keys()) };
}

for (const [lengths, bound] of [
  [[0, 1, 2, 63, 64, 65, 300, 0, 5], 40],
  [[70, 300, 1000], 2 ** 9],
  [[70, 200_000], 2 ** 17],
  [[100_000], 2 ** 31 - 1],
] as const) {
  test(`columns below ${bound} rise and equals keep their order in rows of ${lengths}`, () => {
    const { starts, columns, values } = shuffled(lengths, bound);
    const before = columns.slice();
    sortRows(lengths.length, starts, columns, values);
    let wrong = 0;
    for (let i = 0; i < lengths.length; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        if (before[values[e]] !== columns[e]) wrong++;
        if (values[e] < starts[i] || values[e] >= starts[i + 1]) wrong++;
        if (e === starts[i]) continue;
        if (columns[e - 1] > columns[e] || (columns[e - 1] === columns[e] && values[e - 1] >= values[e])) wrong++;
      }
    }
    assert.is(wrong, 0);
  });
}

test('the number of columns costs nothing', () => {
  const columns = Int32Array.from({ length: 300 }, (_, e) => 2_000_000_000 - e);
  const matrix = fromTriplets({ rows: new Int32Array(300), columns, values: columns }, [1, 2 ** 31 - 1], 'double');
  assert.equal([...matrix.columns], [...columns].toReversed());
});

test.run();
