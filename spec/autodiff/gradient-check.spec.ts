/** The gradient checker accepts right gradients and reports wrong ones. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tensor } from '../../lib/index.ts';
import { add, checkGradient, multiply, scale, stopGradient, sum } from '../../lib/doors/autodiff.ts';

const test = suite('gradient check');

test('passes correct gradients, and reports the largest difference', () => {
  const result = checkGradient((x, y) => multiply(x, y), [tensor([1, 2], 'double'), tensor([3, 4], 'double')]);
  assert.ok(result.passes);
  assert.ok(result.error < 1e-9, `${result.error}`);
});

test('finds a missing part of the gradient, with place and both values', () => {
  // d(x·x) = 2x, but the second factor is kept constant here.
  const result = checkGradient((x) => sum(multiply(x, stopGradient(x))), [tensor([1, 5], 'double')]);
  assert.not.ok(result.passes);
  assert.equal([result.input, result.index], [0, 1]);
  // The root's own seed is a random weight: the computed value is half of the expected one.
  assert.ok(Math.abs(result.expected / result.computed - 2) < 1e-6, JSON.stringify(result));
});

test('an input that is not used must have no slope', () => {
  assert.ok(checkGradient((x) => sum(x), [tensor([1]), tensor([2])]).passes);
  const hidden = tensor([2], 'double');
  assert.not.ok(checkGradient((x) => add(sum(x), sum(hidden) as never), [tensor([1], 'double'), hidden]).passes);
});

test('a function that fails beside its point leaves the inputs as they were', () => {
  const input = tensor([1, 2], 'double');
  const fails = () =>
    checkGradient(
      (x) => {
        if (stopGradient(x).data[1] > 2) throw new Error('beyond 2');
        return sum(x);
      },
      [input],
    );
  assert.throws(fails, /beyond 2/);
  assert.equal(input.toArray(), [1, 2]);
});

test('a NaN never passes', () => {
  assert.not.ok(checkGradient((x) => scale(x, NaN), [tensor([1])]).passes);
  // One NaN before entries that are right: 0·∞ in the first.
  const factors = tensor([Infinity, 1, 1], 'double');
  const { passes, index } = checkGradient(
    (x) => multiply(multiply(x, factors), tensor([0, 1, 1], 'double')),
    [tensor([1, 2, 3], 'double')],
  );
  assert.equal([passes, index], [false, 0]);
});

test('leaves the inputs as they were, and takes step and tolerance', () => {
  const x = tensor([0.1, -3], 'double');
  checkGradient((v) => multiply(v, multiply(v, v)), [x]);
  assert.equal([...x.data], [0.1, -3]);
  assert.not.ok(checkGradient((v) => multiply(v, multiply(v, v)), [x], { step: 0.5 }).passes);
  assert.ok(checkGradient((v) => multiply(v, multiply(v, v)), [x], { step: 0.5, tolerance: 1 }).passes);
  assert.throws(() => checkGradient(() => null as never, []), /checkGradient: expected at least one input, got none/);
});

test.run();
