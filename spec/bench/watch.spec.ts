/** A stopwatch charges every interval to one part, the innermost one. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rest, Watch } from '../../bench/profile/watch.ts';

const test = suite('watch');

/** A clock that advances only on request. */
function workshop(): { watch: Watch; work(units: number): void } {
  let now = 100;
  return { watch: new Watch(() => now), work: (units) => void (now += units) };
}

test('time in an inner function is not that of the outer one, and all of it adds up', () => {
  const { watch, work } = workshop();
  const inner = watch.watched(work, 'inner');
  const outer = watch.watched(() => {
    work(1);
    inner(10);
    work(2);
  }, 'outer');
  outer();
  watch.start();
  work(100);
  outer();
  inner(20);
  work(200);
  assert.equal([...watch.stop()].toSorted(), [
    ['inner', 30],
    ['outer', 3],
    [rest, 300],
  ]);
});

test('a watched function gets the same arguments and returns the same result, also after a failure', () => {
  const { watch, work } = workshop();
  const twice = watch.watched((factor: number) => {
    work(1);
    if (factor < 0) throw new RangeError('negative');
    return 2 * factor;
  }, 'product');
  watch.start();
  assert.throws(() => twice(-1), 'negative');
  assert.is(twice(4), 8);
  work(3);
  assert.equal(
    [...watch.stop()],
    [
      [rest, 3],
      ['product', 2],
    ],
  );
  watch.start();
  assert.equal([...watch.stop()], [[rest, 0]], 'begins anew');
});

test.run();
