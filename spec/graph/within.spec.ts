/** The points within a radius of queries: trees and all pairs, dense and sparse, against the definition. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, type Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runSync } from '../../lib/core/task.ts';
import { squaredDistance } from '../../lib/graph/neighbors/points.ts';
import { prepareWithinSteps } from '../../lib/graph/neighbors/within.ts';
import { fromDense } from '../../lib/sparse/build.ts';
import type { Points } from '../../lib/sparse/points.ts';

const test = suite('within');

/** Points on a grid, so that many distances are the radius itself. */
function drawPoints(random: Random, rows: number, cols: number): Tensor {
  const points = zeros([rows, cols]);
  for (let at = 0; at < points.size; at++) points.data[at] = Math.round(2 * random.normal());
  return points;
}

/** The numbers of the points that were found for every query, ascending. */
function search(points: Points, queries: Points, radius: number, power: number, usual: number): number[][] {
  const found: number[][] = Array.from({ length: queries.rows }, () => [-1]);
  const searchSteps = runSync(prepareWithinSteps('spec', points, radius, power, usual));
  runSync(
    searchSteps(queries, function* keepSteps(some, { starts, indices, squaredDistances }) {
      for (let i = 0; i < some.length; i++) {
        found[some[i]] = [...indices.subarray(starts[i], starts[i + 1])].toSorted((a, b) => a - b);
        for (let e = starts[i]; e < starts[i + 1]; e++) {
          const squared = squaredDistance(queries, some[i], points, indices[e], power);
          assert.is(squaredDistances[e], Math.fround(squared));
        }
      }
      yield 1;
    }),
  );
  return found;
}

for (const cols of [1, 3, 10]) {
  for (const power of [2, 1, Infinity, 3]) {
    test(`the definition, ${cols} columns, power ${power}`, () => {
      const random = new Random(`within ${cols}`);
      const [points, queries] = [drawPoints(random, 300, cols), drawPoints(random, 40, cols)];
      const radius = cols < 10 ? 2 : 5;
      const expected = Array.from({ length: queries.rows }, (_, i) =>
        Array.from({ length: points.rows }, (__, j) => j).filter(
          (j) => squaredDistance(queries, i, points, j, power) < radius * radius,
        ),
      );
      // Too little room at first, and enough.
      for (const usual of [1, 300]) assert.equal(search(points, queries, radius, power, usual), expected);
      if (power === 2) assert.equal(search(fromDense(points), fromDense(queries), radius, power, 1), expected);
    });
  }
}

test('radii beyond all distances and below all find everything and nothing', () => {
  const points = drawPoints(new Random('radii'), 100, 2);
  const apart = drawPoints(new Random('radii'), 5, 2);
  for (let at = 0; at < apart.size; at++) apart.data[at] += 0.5;
  assert.ok(search(points, apart, 1e100, 2, 1).every(({ length }) => length === 100));
  assert.ok(search(points, apart, 1e-100, 2, 1).every(({ length }) => length === 0));
});

test.run();
