import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { badKind, badValue, checkChoice, checkCount, checkFinite, showShape } from '../../lib/core/check.ts';

const test = suite('check');

/** The description of a value, without the rest of the message. */
function shown(got: unknown): string {
  return badValue('f', 'y', got).message.slice('f: expected y, got '.length, -1);
}

test('a message names caller, rule, value and the way out', () => {
  const error = badValue('fit', 'at least 2 rows', 1, 'Add points.');
  assert.instance(error, RangeError);
  assert.is(error.message, 'fit: expected at least 2 rows, got 1. Add points.');
  assert.is(badValue('fit', 'at least 2 rows', 1).message, 'fit: expected at least 2 rows, got 1.');
  const kind = badKind('fit', 'a number', 'x');
  assert.instance(kind, TypeError);
  assert.is(kind.message, 'fit: expected a number, got x.');
});

test('every kind of value has words', () => {
  assert.equal(
    [0, -0.5, NaN, Infinity, true, null, undefined, '', 'word', [], [1, 2], new Map(), new Float32Array(3)].map(shown),
    [
      '0',
      '-0.5',
      'NaN',
      'Infinity',
      'true',
      'null',
      'undefined',
      "''",
      'word',
      'an array of length 0',
      'an array of length 2',
      'Map',
      'Float32Array',
    ],
  );
  assert.equal([{}, Object.create(null), () => 1, Symbol('s'), 5n].map(shown), [
    'Object',
    'an object',
    'function',
    'symbol',
    'bigint',
  ]);
});

test('a count is a whole number from its least to the largest length', () => {
  for (const good of [0, 1, 7, 0x7fffffff]) assert.not.throws(() => checkCount('f', 'count', good));
  assert.not.throws(() => checkCount('f', 'count', 3, 3));
  for (const bad of [-1, 0.5, NaN, Infinity, -Infinity, 0x80000000, 2 ** 53]) {
    assert.throws(
      () => checkCount('f', 'count', bad),
      (error: unknown) => error instanceof RangeError && error.message.includes(`got ${bad}`),
      String(bad),
    );
  }
  assert.throws(() => checkCount('f', 'rows', 2, 3), /f: expected rows to be a whole number, at least 3, got 2\./);
});

test('a count of the wrong kind is a TypeError, numbers in text too', () => {
  for (const bad of ['3', null, undefined, [3], 3n, true]) {
    assert.throws(
      () => checkCount('f', 'count', bad as never),
      (error: unknown) => error instanceof TypeError && /f: expected count to be a number, got /.test(error.message),
    );
  }
});

test('finite numbers pass in any kind of array, an empty one too', () => {
  for (const good of [[], [0, -1, 1e308], new Float32Array([1, 2]), new Int32Array([3])]) {
    assert.not.throws(() => checkFinite('f', 'x', good));
  }
});

test('the first number that is not finite is named by its place', () => {
  assert.throws(
    () => checkFinite('f', 'x', [1, NaN, Infinity]),
    /f: expected finite numbers in x, got NaN at index 1\./,
  );
  assert.throws(() => checkFinite('f', 'x', [-Infinity]), /got -Infinity at index 0/);
  assert.throws(() => checkFinite('f', 'x', [0, 0, 0, 0, NaN, 0], 3), /got NaN at row 1, column 1/);
  assert.throws(() => checkFinite('f', 'x', [0, NaN], 2), /got NaN at row 0, column 1/);
});

test('a choice is one of its words, and the message lists them', () => {
  assert.not.throws(() => checkChoice('f', 'scheme', 'full', ['local', 'full']));
  assert.throws(
    () => checkChoice('f', 'scheme', 'ful', ['local', 'full', 'neighbor']),
    /f: expected scheme to be 'local' or 'full' or 'neighbor', got ful\./,
  );
  assert.throws(() => checkChoice('f', 'scheme', '', ['local']), /expected scheme to be 'local', got ''\./);
});

test('shapes are written as people write them', () => {
  assert.equal([[2, 3], [5], [0, 4], []].map(showShape), ['2×3', '5', '0×4', 'a single number']);
});

test.run();
