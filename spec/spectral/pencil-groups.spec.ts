/** The sums of the Ritz problem over groups of rows, added in their order, have the bits of the sums in one process. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runSync } from '../../lib/core/task.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { Random } from '../../lib/index.ts';
import { addSums, emptySums, groupRowsOf, groupSumsSteps, type Look, pencilOfSums, sumPencilSteps } from '../../lib/spectral/ritz/feature-pencil.ts'; // oxfmt-ignore

const test = suite('groups of rows');

const [size, h] = [40_000, 3];
const random = new Random(5);
const values = Float64Array.from({ length: 2 * size }, () => random.uniform(0, 1));
const degrees = Float64Array.from({ length: size }, () => random.uniform(1, 3));
const volume = degrees.reduce((sum, degree) => sum + degree, 0);

/** Each row has two features, and itself as only neighbor. */
const look: Look = (rows) => {
  const list = Array.from(rows, (_, i) => i);
  const features = {
    rows: list.flatMap((i) => [i, i]),
    columns: list.flatMap((i) => [(rows[i] % 2) + 0, (rows[i] % 2) + 1]),
    values: values.slice(2 * rows[0], 2 * (rows[0] + rows.length)),
  };
  const weights = {
    rows: list,
    columns: list,
    values: degrees.slice(rows[0], rows[0] + rows.length).map((d) => d / 3),
  };
  return {
    places: Int32Array.from(list),
    weights: fromTriplets(weights, [rows.length, rows.length]),
    degrees: degrees.subarray(rows[0], rows[0] + rows.length),
    features: fromTriplets(features, [rows.length, h]),
  };
};

const rows = groupRowsOf(size);
const groups = [0, 1, 2].map((g) => runSync(groupSumsSteps(h, g * rows, Math.min(size, (g + 1) * rows), look)));

function pencilIn(order: readonly number[]) {
  const total = emptySums(h);
  for (const g of order) addSums(total, groups[g]);
  return pencilOfSums(h, volume, total);
}

test('three groups, in order', () => {
  const whole = runSync(sumPencilSteps(h, { size, volume }, look));
  const { energy, covariance, mean, meanSquare } = pencilIn([0, 1, 2]);
  assert.equal(energy.data.slice(), whole.energy.data.slice());
  assert.equal(covariance.data.slice(), whole.covariance.data.slice());
  assert.equal([...mean, meanSquare], [...whole.mean, whole.meanSquare]);
  const bits = (order: readonly number[]): string => {
    const pencil = pencilIn(order);
    return [...pencil.energy.data, ...pencil.covariance.data, ...pencil.mean].join();
  };
  assert.is.not(bits([2, 1, 0]), bits([0, 1, 2]), 'the order counts');
});

test('a group has at least 16,384 rows, and there are at most 64', () => {
  assert.equal([1, 16_384, 16_385, 10 ** 6].map(groupRowsOf), [16_384, 16_384, 16_384, 16_384]);
  for (const n of [2 ** 20 + 1, 10 ** 7, 2 ** 31 - 2]) assert.ok(Math.ceil(n / groupRowsOf(n)) <= 64, `${n}`);
});

test.run();
