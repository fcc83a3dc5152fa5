/** Does a watch charge every moment to one part, the innermost? */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rest, Watch } from '../../bench/profile/watch.ts';

const test = suite('watch');

/** A clock that moves when it is told to. */
function workshop(): { watch: Watch; work(units: number): void } {
  let now = 100;
  return { watch: new Watch(() => now), work: (units) => void (now += units) };
}

test('time in an inner function is not that of the outer one, and all of it adds up', () => {
  const { watch, work } = workshop();
  const tools = {
    inner: (units: number) => work(units),
    outer() {
      work(1);
      this.inner(10);
      work(2);
    },
  };
  watch.over(tools, 'inner', 'inner');
  watch.over(tools, 'outer', 'outer');
  tools.outer();
  watch.start();
  work(100);
  tools.outer();
  tools.inner(20);
  work(200);
  assert.equal([...watch.stop()].toSorted(), [
    ['inner', 30],
    ['outer', 3],
    [rest, 300],
  ]);
});

test('a part can depend on the operands and on where the call is made; null is that part itself', () => {
  const { watch, work } = workshop();
  const tools = { move: (units: number) => work(units), frame: () => tools.move(5) };
  watch.over(tools, 'move', ([units], within) => (within === 'frame' ? null : `moved ${units as number}`));
  watch.over(tools, 'frame', 'frame');
  watch.start();
  tools.frame();
  tools.move(7);
  const times = watch.stop();
  assert.is(times.get('frame'), 5);
  assert.is(times.get('moved 7'), 7);
});

test('what is handed over and returned is as without, also after a failure', () => {
  const { watch, work } = workshop();
  const tools = {
    base: 2,
    times(factor: number) {
      work(1);
      if (factor < 0) throw new RangeError('negative');
      return this.base * factor;
    },
  };
  watch.over(tools, 'times', 'product');
  watch.start();
  assert.throws(() => tools.times(-1), 'negative');
  assert.is(tools.times(4), 8);
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
