/** The search that skips regions of points, against all pairs: the same neighbors and the same pairs within reach. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Precision, Random, type Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { runSync } from '../../lib/core/task.ts';
import { nearestAndReachedSteps, type RegionSearchSteps } from '../../lib/graph/neighbors/blocks/brute.ts';
import { layOut, nearestInRegionsSteps } from '../../lib/graph/neighbors/blocks/region-search.ts';
import { denseMultiplier, relativeRounding } from '../../lib/graph/neighbors/blocks/products.ts';
import {
  boundAlong,
  boxesOf,
  divideIntoRegions,
  projected,
  squareToBox,
} from '../../lib/graph/neighbors/blocks/regions.ts';
import { makeRows } from '../../lib/graph/neighbors/neighbors.ts';
import { denseInSingle } from '../../lib/graph/neighbors/points.ts';

const test = suite('regions');

const cols = 18;

/** How one row of points is drawn. */
type Draw = (random: Random, column: number, kind: number) => number;

function drawPoints(seed: string, rows: number, precision: Precision, draw: Draw): Tensor {
  const random = new Random(seed);
  const points = zeros([rows, cols], precision);
  for (let i = 0; i < rows; i++) {
    const kind = random.integer(5);
    for (let c = 0; c < cols; c++) points.data[i * cols + c] = draw(random, c, kind);
  }
  return points;
}

const kinds: Record<string, Draw> = {
  'clusters that are far apart': (random, c, kind) => 40 * Math.sin(kind * (c + 1)) + random.normal(),
  'overlapping clusters': (random, c, kind) => 3 * Math.sin(kind * (c + 1)) + random.normal(),
  'a grid with many ties': (random, c, kind) => (c < 3 ? random.integer(3) + 5 * kind : 0),
  'equal points': () => 7,
  'a plane': (random, c, kind) => (c === 1 ? kind + random.uniform() : c === 2 ? random.uniform() : 1),
  'points far from the origin': (random, c, kind) => 1e6 + 40 * Math.sin(kind * (c + 1)) + random.normal(),
};

for (const [name, draw] of Object.entries(kinds)) {
  for (const precision of ['single', 'double'] as const) {
    test(`${name}, in ${precision} precision`, () => {
      const [points, queries] = [drawPoints('points', 700, precision, draw), drawPoints('new', 150, precision, draw)];
      const random = new Random('reach');
      // Some points reach far.
      const squared = Float32Array.from({ length: 700 }, (_, i) => (i % 50 === 0 ? 2000 : 25) * random.uniform());
      const regions = divideIntoRegions(denseInSingle(points).points, 10);
      let searched = 0;
      const regionsSteps: RegionSearchSteps = (moved, others, width, reach) => {
        searched++;
        return nearestInRegionsSteps(layOut(moved as Tensor, regions), others as Tensor, width, reach);
      };
      const search = (steps: RegionSearchSteps | null): number[][] => {
        const out = makeRows(150, 9, 9);
        const reached = runSync(nearestAndReachedSteps(points, queries, squared, steps, out))!;
        const found = [out.indices, out.squaredDistances, reached.starts, reached.indices, reached.squaredDistances];
        return found.map((numbers) => Array.from(numbers));
      };
      const [expected, found] = [search(null), search(regionsSteps)];
      assert.is(searched, 1);
      // The first difference: to show all of them takes minutes.
      expected.forEach((numbers, k) => {
        assert.is(found[k].length, numbers.length, `array ${k}`);
        const at = numbers.findIndex((value, e) => value !== found[k][e]);
        assert.is(at, -1, `array ${k}: ${found[k][at]} in place of ${numbers[at]}`);
      });
    });
  }
}

test('no bound is above the distance to a point of the region, however far the points are from the origin', () => {
  // Nearly a line, so that distances are those along the axes, and so far away that the projections are rounded.
  const onLine: Draw = (random, c, kind) => 1000 + (kind + 1) * (c % 3) + 0.01 * random.uniform();
  const [points, queries] = [drawPoints('line', 300, 'single', onLine), drawPoints('others', 60, 'single', onLine)];
  const { order, axes } = divideIntoRegions(points, 10);
  const [seen, from] = [projected(points, axes), projected(queries, axes)];
  const boxes = boxesOf(
    seen,
    Array.from({ length: 301 }, (_, i) => i),
  );
  const rounding = relativeRounding(denseMultiplier(points, queries), cols);
  const largest = Math.max(...points.data, ...queries.data) ** 2 * cols;
  const [bound, withoutSlack] = [boundAlong(axes, rounding, largest), boundAlong(axes, 0, largest)];
  let [exceeded, positive] = [0, 0];
  for (let q = 0; q < 60; q++) {
    for (const i of order) {
      let squared = 0;
      for (let c = 0; c < cols; c++) squared += (queries.data[q * cols + c] - points.data[i * cols + c]) ** 2;
      const along = squareToBox(axes.rows, boxes, 2 * axes.rows * i, from.data, q * axes.rows);
      assert.ok(bound(along) <= squared, `point ${i}: ${bound(along)} above ${squared}`);
      if (bound(along) > squared / 2) positive++;
      if (withoutSlack(along) > squared) exceeded++;
    }
  }
  assert.ok(exceeded > 100, `only ${exceeded} bounds need the slack`);
  assert.ok(positive > 1000, `only ${positive} bounds are of use`);
});

test('regions are apart along few axes, and hold every point once', () => {
  const points = drawPoints('points', 2000, 'single', kinds['clusters that are far apart']);
  const { order, starts, axes } = divideIntoRegions(points, 16);
  assert.equal(
    [...order].toSorted((a, b) => a - b),
    [...order.keys()],
  );
  assert.is(starts[16], 2000);
  for (let a = 0; a < axes.rows; a++) {
    for (let b = 0; b <= a; b++) {
      let product = 0;
      for (let c = 0; c < cols; c++) product += axes.data[a * cols + c] * axes.data[b * cols + c];
      assert.ok(Math.abs(product - Number(a === b)) < 1e-6, `axes ${a} and ${b}`);
    }
  }
  // No region holds points of two clusters.
  for (let g = 0; g < 16; g++) {
    for (let i = starts[g] + 1; i < starts[g + 1]; i++) {
      let squared = 0;
      for (let c = 0; c < cols; c++) {
        squared += (points.data[order[i] * cols + c] - points.data[order[i - 1] * cols + c]) ** 2;
      }
      assert.ok(squared < 30 * cols, `row ${order[i]}`);
    }
  }
});

test.run();
