import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { firstAtLeast } from '../../lib/core/search.ts';

const test = suite('search');

test('the place is the one that looking at all of them finds, in any part of a list with repeats', () => {
  const random = new Random('search');
  for (let iteration = 0; iteration < 300; iteration++) {
    const list = Int32Array.from({ length: random.integer(12) }, () => random.integer(8)).toSorted();
    const from = random.integer(list.length + 1);
    const to = from + random.integer(list.length - from + 1);
    const value = random.integer(10) - 1;
    const expected = [...list.keys()].slice(from, to).find((k) => list[k] >= value) ?? to;
    assert.is(firstAtLeast(list, value, from, to), expected);
    assert.is(firstAtLeast([...list], value), firstAtLeast(list, value, 0, list.length));
  }
});

test.run();
