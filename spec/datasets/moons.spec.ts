import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { oneMoon, oneMoonDensity, trainAndTest, twoMoons, twoMoonsDensity } from '../../datasets/index.ts';
import type { Density } from '../../datasets/index.ts';
import { moment, offset } from '../formats/samples.ts';

const test = suite('moons');

test('one moon has the size and noise of the paper: 2000 points, distance to the arc of deviation 0.1', () => {
  const { points, labels, intrinsic, name } = oneMoon();
  assert.equal([name, points.shape, points.precision, labels], ['one moon', [2000, 2], 'single', undefined]);
  const errors = Float64Array.from({ length: 4000 }, (_, k) => {
    const angle = intrinsic!.data[k >> 1];
    return points.data[k] - (k % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
  });
  assert.ok(Math.abs(moment(errors, 1)) < (4 * 0.1) / Math.sqrt(4000), `mean ${moment(errors, 1)}`);
  assert.ok(Math.abs(moment(errors, 2) / 0.01 - 1) < 4 * Math.sqrt(2 / 4000), `variance ${moment(errors, 2)}`);
});

test('its angles are uniform on [0, π]', () => {
  const { intrinsic } = oneMoon({ n: 20_000 });
  const angles = intrinsic!.data;
  assert.ok(angles.every((angle) => angle >= 0 && angle <= Math.PI));
  // An end of the arc stays empty over a thousandth of its length with probability exp(−20).
  assert.ok(Math.min(...angles) < Math.PI / 1000 && Math.max(...angles) > Math.PI * (1 - 1 / 1000));
  assert.ok(Math.abs(moment(angles, 1) - Math.PI / 2) < (4 * Math.PI) / Math.sqrt(12 * 20_000));
  const second = Math.PI ** 2 / 3;
  assert.ok(Math.abs(moment(angles, 2) / second - 1) < 0.03, `${moment(angles, 2)}`);
});

test('two moons have 1000 points each, the first moon first, with deviation 0.06', () => {
  const { points, labels, intrinsic } = twoMoons();
  assert.equal(points.shape, [2000, 2]);
  assert.ok(labels!.every((label, i) => label === (i < 1000 ? 0 : 1)));
  const errors = Float64Array.from({ length: 4000 }, (_, k) => {
    const i = k >> 1;
    const angle = intrinsic!.data[i];
    const sign = i < 1000 ? 1 : -1;
    const place = k % 2 === 0 ? sign * (Math.cos(angle) - 0.5) : sign * (Math.sin(angle) - 0.3);
    return points.data[k] - place;
  });
  assert.ok(Math.abs(moment(errors, 2) / 0.0036 - 1) < 4 * Math.sqrt(2 / 4000), `variance ${moment(errors, 2)}`);
});

test('without noise every point lies on its arc, to rounding', () => {
  const one = oneMoon({ noise: 0, n: 500 }).points;
  for (let i = 0; i < 500; i++) {
    assert.ok(offset(Math.hypot(one.at(i, 0), one.at(i, 1)), 1) < 2 ** -23);
    assert.ok(one.at(i, 1) >= -1e-7);
  }
  const two = twoMoons({ noise: 0, n: 500 });
  for (let i = 0; i < 500; i++) {
    const sign = two.labels![i] === 0 ? 1 : -1;
    const [x, y] = [two.points.at(i, 0) + sign * 0.5, two.points.at(i, 1) + sign * 0.3];
    assert.ok(offset(Math.hypot(x, y), 1) < 2 ** -22);
    assert.ok(sign * y >= -1e-7);
  }
});

test('the same seed gives the same bits; another seed, and the test draw, others', () => {
  assert.equal(twoMoons({ seed: 3 }).points.data, twoMoons({ seed: 3 }).points.data);
  assert.not.equal(twoMoons({ seed: 3 }).points.data, twoMoons({ seed: 4 }).points.data);
  const { train, test: other } = trainAndTest(twoMoons, { seed: 3 });
  assert.equal(train.points.data, twoMoons({ seed: 3 }).points.data);
  assert.equal(other.points.data, twoMoons({ seed: 3, draw: 'test' }).points.data);
  const seen = new Set(train.points.data);
  assert.ok(other.points.data.filter((x) => seen.has(x)).length < 5);
  assert.not.equal(oneMoon({ n: 5 }).intrinsic!.data, twoMoons({ n: 5 }).intrinsic!.data);
});

test('noise does not move the places, and fewer points are the first of more', () => {
  const quiet = oneMoon({ n: 50, noise: 0 });
  const loud = oneMoon({ n: 50, noise: 0.3 });
  assert.equal(quiet.intrinsic!.data, loud.intrinsic!.data);
  assert.equal(oneMoon({ n: 20 }).points.data, oneMoon({ n: 50 }).points.rowRange(0, 20).data);
});

test('some points equal fixed numbers, so that a changed draw fails', () => {
  const { data } = oneMoon({ n: 2, seed: 7 }).points;
  assert.equal(
    Array.from(data, (x) => Number(x.toPrecision(6))),
    [-1.106, 0.26787, 0.214518, 0.788553],
  );
});

test('odd counts give the first moon one more, and shuffling mixes the labels', () => {
  assert.equal([...twoMoons({ n: 5 }).labels!], [0, 0, 0, 1, 1]);
  assert.equal([...twoMoons({ n: 1 }).labels!], [0]);
  const { labels } = twoMoons({ n: 100, shuffle: true });
  assert.is(
    labels!.reduce((a, b) => a + b),
    50,
  );
  assert.ok(labels!.subarray(0, 50).includes(1));
});

const densities = [
  { name: 'one moon', law: oneMoon, density: oneMoonDensity, noise: 0.1 },
  { name: 'two moons', law: twoMoons, density: twoMoonsDensity, noise: 0.06 },
] as const;

/** Sums over the midpoints of square cells with this side. */
function sumOverGrid(
  density: Density,
  left: number,
  below: number,
  width: number,
  height: number,
  side: number,
): number {
  const [columns, rows] = [Math.round(width / side), Math.round(height / side)];
  let sum = 0;
  for (let i = 0; i < columns; i++) {
    for (let j = 0; j < rows; j++) sum += density(left + side * (i + 0.5), below + side * (j + 0.5));
  }
  return sum * side * side;
}

/** Standardized χ² of a histogram of 100,000 points against the density: at most a few if they agree. */
function disagreement(points: Float32Array, density: Density): number {
  const side = 0.1;
  const [columns, rows] = [44, 36];
  const counts = new Float64Array(columns * rows);
  for (let k = 0; k < points.length; k += 2) {
    const [i, j] = [Math.floor((points[k] + 2.2) / side), Math.floor((points[k + 1] + 1.8) / side)];
    if (i >= 0 && i < columns && j >= 0 && j < rows) counts[i * rows + j]++;
  }
  let sum = 0;
  let cells = 0;
  for (let i = 0; i < columns; i++) {
    for (let j = 0; j < rows; j++) {
      const share = sumOverGrid(density, -2.2 + side * i, -1.8 + side * j, side, side, side / 4);
      const expected = (share * points.length) / 2;
      if (expected < 10) continue;
      sum += (counts[i * rows + j] - expected) ** 2 / expected;
      cells++;
    }
  }
  return (sum - cells) / Math.sqrt(2 * cells);
}

for (const { name, law, density, noise } of densities) {
  test(`the density of ${name} integrates to 1`, () => {
    const wide = sumOverGrid(density(), -2.6, -2.1, 5.2, 4.2, 0.02);
    assert.ok(offset(wide, 1) < 1e-12, `${wide - 1}`);
    const papers = sumOverGrid(density(), -2, -1.5, 4, 3, 0.02);
    assert.ok(offset(papers, 1) < 1e-6, `${papers - 1}`);
    assert.ok(offset(sumOverGrid(density({ noise: 1 }), -9, -9, 18, 18, 0.2), 1) < 1e-12);
  });

  test(`the density of ${name} is that of its points, and one of other noise is not`, () => {
    const { data } = law({ n: 100_000 }).points as { data: Float32Array };
    const agreed = disagreement(data, density());
    assert.ok(Math.abs(agreed) < 4, `${agreed}`);
    const wrong = disagreement(data, density({ noise: 1.1 * noise }));
    assert.ok(wrong > 8, `${wrong}`);
  });
}

test('the density is the mean of normal densities along the arc, as far as Simpson’s rule can tell, also far from it and at its center', () => {
  const random = new Random('density');
  const places = Array.from({ length: 20 }, () => [random.uniform(-2, 2), random.uniform(-1.5, 1.5)]);
  for (const noise of [0.03, 0.1, 0.7]) {
    const density = oneMoonDensity({ noise });
    // The error of Simpson's rule for an exponential as steep as the integrand can be in this region.
    const tolerance = 1e-12 + (2.5 / noise ** 2 / (simpsonSteps / Math.PI)) ** 4 / 180;
    for (const [x, y] of [...places, [0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1e-9, -1e-9]]) {
      const expected = simpson((angle) => {
        const distance = Math.hypot(x - Math.cos(angle), y - Math.sin(angle));
        return Math.exp((-distance * distance) / (2 * noise * noise)) / (2 * Math.PI * noise * noise);
      });
      const got = density(x, y);
      assert.ok(Math.abs(got - expected) <= tolerance * expected + 1e-300, `${noise} (${x}, ${y}): ${got} ${expected}`);
    }
  }
});

test('bad counts and noise are refused', () => {
  assert.throws(() => oneMoon({ n: 0 }), /^oneMoon: expected n to be a whole number, at least 1, got 0\.$/);
  assert.throws(() => twoMoons({ n: 2.5 }), /twoMoons: expected n to be a whole number, at least 1, got 2\.5/);
  assert.throws(() => twoMoons({ noise: -1 }), /twoMoons: expected noise to be a finite number, at least 0, got -1/);
  assert.throws(() => oneMoon({ noise: NaN }), /oneMoon: expected noise .* got NaN/);
  assert.throws(
    () => oneMoonDensity({ noise: 0 }),
    /oneMoonDensity: expected noise to be a positive number, got 0\. Without/,
  );
  assert.throws(() => twoMoonsDensity({ noise: Infinity }), /twoMoonsDensity: .* got Infinity/);
});

const simpsonSteps = 100_000;

/** Mean over [0, π]. */
function simpson(f: (angle: number) => number): number {
  let sum = f(0) + f(Math.PI);
  for (let k = 1; k < simpsonSteps; k++) sum += (k % 2 === 1 ? 4 : 2) * f((Math.PI * k) / simpsonSteps);
  return sum / (3 * simpsonSteps);
}

test.run();
