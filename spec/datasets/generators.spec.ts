import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tensor } from '../../lib/index.ts';
import {
  blobs,
  circles,
  type Dataset,
  dataset,
  ring,
  sCurve,
  spiral,
  swissRoll,
  trainAndTest,
} from '../../datasets/index.ts';
import { moment, offset } from '../formats/samples.ts';

const test = suite('generators');

/** Each generator with its dimension, intrinsic coordinates and labels, and the position of a point without noise. */
const laws: Record<string, { law: (o?: object) => Dataset; shape: [number, number, number]; place?: Place }> = {
  ring: { law: ring, shape: [2, 1, 0], place: ([t]) => [Math.cos(t), Math.sin(t)] },
  circles: {
    law: circles,
    shape: [2, 1, 2],
    place: ([t], label) => [0.8 ** label * Math.cos(t), 0.8 ** label * Math.sin(t)],
  },
  spiral: {
    law: spiral,
    shape: [2, 1, 2],
    place: ([t], label) => {
      const radius = 0.1 + 0.9 * t;
      const angle = 3 * Math.PI * t + Math.PI * label;
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    },
  },
  swissRoll: { law: swissRoll, shape: [3, 2, 0], place: ([t, h]) => [t * Math.cos(t), h, t * Math.sin(t)] },
  sCurve: {
    law: sCurve,
    shape: [3, 2, 0],
    place: ([t, h]) => [Math.sin(t), h, Math.sign(t) * (Math.cos(t) - 1)],
  },
  blobs: { law: blobs, shape: [2, 0, 3] },
};

type Place = (intrinsic: readonly number[], label: number) => number[];

for (const [name, { law, shape, place }] of Object.entries(laws)) {
  const [dimension, intrinsicDimension, classes] = shape;

  test(`${name}: shape, balanced labels, single precision`, () => {
    const { points, labels, intrinsic } = law({ n: 301 });
    assert.equal([points.shape, points.precision], [[301, dimension], 'single']);
    assert.equal(intrinsic?.shape, intrinsicDimension > 0 ? [301, intrinsicDimension] : undefined);
    const counts = Array.from({ length: classes }, (_, c) => labels!.filter((label) => label === c).length);
    assert.is(labels?.length, classes > 0 ? 301 : undefined);
    if (classes > 0) assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `${counts}`);
  });

  test(`${name}: the same seed gives the same bits, another seed and the test draw others`, () => {
    assert.equal(law({ seed: 2 }), law({ seed: 2 }));
    assert.not.equal(law({ seed: 2 }).points.data, law({ seed: 3 }).points.data);
    const { train, test: other } = trainAndTest(law, { seed: 2 });
    assert.equal(train, law({ seed: 2 }));
    assert.not.equal(train.points.data, other.points.data);
  });

  if (place) {
    test(`${name}: without noise the points lie where their coordinates say, with noise around it`, () => {
      const { points, labels, intrinsic } = law({ n: 2000, noise: 0 });
      const noisy = law({ n: 2000, noise: 0.05 }).points;
      const errors = new Float64Array(points.size);
      for (let i = 0; i < 2000; i++) {
        const coordinates = Array.from({ length: intrinsicDimension }, (_, j) => intrinsic!.at(i, j));
        for (const [j, x] of place(coordinates, labels?.[i] ?? 0).entries()) {
          assert.is(points.at(i, j), Math.fround(points.at(i, j)));
          assert.ok(offset(points.at(i, j), x) <= 2 ** -23 * Math.max(1, Math.abs(x)), `${i} ${j}`);
          errors[i * dimension + j] = noisy.at(i, j) - x;
        }
      }
      assert.ok(Math.abs(moment(errors, 1)) < (4 * 0.05) / Math.sqrt(errors.length));
      assert.ok(offset(moment(errors, 2) / 0.0025, 1) < 4 * Math.sqrt(2 / errors.length));
    });
  }

  test(`${name}: bad counts are refused in its name`, () => {
    assert.throws(() => law({ n: 0 }), new RegExp(`^${name}: expected n to be a whole number, at least 1, got 0`));
    if (place) assert.throws(() => law({ noise: -0.1 }), new RegExp(`^${name}: expected noise .* got -0\\.1`));
  });
}

test('intrinsic coordinates fill their intervals as scikit-learn draws them', () => {
  const uniform = (values: ArrayLike<number>, low: number, high: number) => {
    const unit = Float64Array.from(values, (x) => (x - low) / (high - low));
    assert.ok(unit.every((x) => x >= 0 && x <= 1));
    assert.ok(offset(moment(unit, 1), 1 / 2) < 4 / Math.sqrt(12 * unit.length), `mean ${moment(unit, 1)}`);
    assert.ok(offset(moment(unit, 2), 1 / 3) < 4 / Math.sqrt(11 * unit.length), `square ${moment(unit, 2)}`);
  };
  const column = ({ intrinsic }: Dataset, j: number) =>
    Float64Array.from({ length: intrinsic!.rows }, (_, i) => intrinsic!.at(i, j));
  uniform(column(swissRoll(), 0), 1.5 * Math.PI, 4.5 * Math.PI);
  uniform(column(swissRoll(), 1), 0, 21);
  uniform(column(sCurve(), 0), -1.5 * Math.PI, 1.5 * Math.PI);
  uniform(column(sCurve(), 1), 0, 2);
  uniform(column(ring(), 0), 0, 2 * Math.PI);
  uniform(column(circles(), 0), 0, 2 * Math.PI);
  // Squared radii, since the density is that of a disc.
  uniform(
    column(spiral(), 0).map((t) => (0.1 + 0.9 * t) ** 2),
    0.01,
    1,
  );
});

test('the hole of the Swiss roll is empty, and the eight parts around it are not', () => {
  const { intrinsic } = swissRoll({ hole: true, n: 4000 });
  const counts = new Int32Array(9);
  for (let i = 0; i < 4000; i++) {
    const along = Math.floor(intrinsic!.at(i, 0) / Math.PI - 1.5);
    counts[3 * along + Math.floor(intrinsic!.at(i, 1) / 7)]++;
  }
  assert.is(counts[4], 0);
  for (const [part, count] of counts.entries())
    if (part !== 4) assert.ok(offset(count, 500) < 4 * Math.sqrt(440), `${counts}`);
});

test('even spacing divides each circle into equal parts', () => {
  const { intrinsic, labels } = circles({ n: 9, spacing: 'even', shuffle: false, factor: 0.5 });
  assert.equal([...labels!], [0, 0, 0, 0, 0, 1, 1, 1, 1]);
  const parts = Array.from(intrinsic!.data, (angle) => angle / (2 * Math.PI));
  assert.equal(
    parts.map((part) => Math.round(20 * part)),
    [0, 4, 8, 12, 16, 0, 5, 10, 15],
  );
  assert.ok(offset(ring({ n: 4, spacing: 'even', radius: 3 }).points.at(1, 1), 3) < 1e-6);
});

test('spirals of five arms have five labels', () => {
  const { labels } = spiral({ arms: 5, n: 100 });
  assert.equal([...new Set(labels)].toSorted(), [0, 1, 2, 3, 4]);
});

test('blobs lie around their centers with their deviation, and both draws share the centers', () => {
  const { points, labels, centers } = blobs({ n: 6000, centers: 2, dimension: 3, deviation: [0.5, 2], seed: 9 });
  for (const label of [0, 1]) {
    const errors: number[] = [];
    for (let i = 0; i < 6000; i++) {
      if (labels![i] === label) for (let j = 0; j < 3; j++) errors.push(points.at(i, j) - centers.at(label, j));
    }
    const deviation = [0.5, 2][label];
    assert.is(errors.length, 9000);
    assert.ok(Math.abs(moment(errors, 1)) < (4 * deviation) / Math.sqrt(9000));
    assert.ok(offset(moment(errors, 2) / deviation ** 2, 1) < 4 * Math.sqrt(2 / 9000));
  }
  assert.equal(blobs({ seed: 1, draw: 'test' }).centers, blobs({ seed: 1, draw: 'train' }).centers);
  assert.not.equal(blobs({ seed: 1 }).centers, blobs({ seed: 2 }).centers);
  assert.ok(blobs({ centers: 100 }).centers.data.every((x) => x >= -10 && x <= 10));
  const given = blobs({
    centers: tensor([
      [1, 2],
      [3, 4],
    ]),
    deviation: 0,
    n: 4,
    shuffle: false,
  });
  assert.equal(given.points.toArray(), [
    [1, 2],
    [1, 2],
    [3, 4],
    [3, 4],
  ]);
  assert.equal([...blobs({ centers: 1, n: 3 }).labels!], [0, 0, 0]);
});

test('shuffled rows are mixed, and hold the same number of each label', () => {
  const mixed = blobs({ n: 300 }).labels!;
  const sorted = blobs({ n: 300, shuffle: false }).labels!;
  assert.not.equal(mixed, sorted);
  assert.equal(mixed.toSorted(), sorted);
});

test('bad options are refused', () => {
  assert.throws(() => circles({ factor: 1 }), /^circles: expected factor to be at least 0 and below 1, got 1\.$/);
  assert.throws(
    () => circles({ spacing: 'odd' as 'even' }),
    /circles: expected spacing to be 'random' or 'even', got odd/,
  );
  assert.throws(() => ring({ radius: -1 }), /ring: expected radius to be a finite number, at least 0, got -1/);
  assert.throws(() => spiral({ arms: 0 }), /spiral: expected arms to be a whole number, at least 1, got 0/);
  assert.throws(() => spiral({ inner: 1 }), /spiral: expected inner to be at least 0 and below 1, got 1/);
  assert.throws(() => spiral({ turns: NaN }), /spiral: expected turns to be a finite number, got NaN/);
  assert.throws(() => blobs({ centers: 0 }), /blobs: expected centers to be a whole number, at least 1, got 0/);
  assert.throws(
    () => blobs({ centers: [[1]] as never }),
    /blobs: expected centers to be a count or a Tensor, got an array/,
  );
  assert.throws(
    () => blobs({ centers: tensor([1, 2]) }),
    /blobs: expected centers with two axes, one center per row, got 2/,
  );
  assert.throws(() => blobs({ centers: tensor([[NaN]]) }), /blobs: expected finite numbers in centers, got NaN/);
  assert.throws(() => blobs({ deviation: [1] }), /blobs: expected 3 deviations, one for every center, got 1/);
  assert.throws(() => blobs({ deviation: -1 }), /blobs: expected deviation to be .* got -1/);
  assert.throws(
    () => blobs({ box: [1, 0] }),
    /blobs: expected box to be two finite numbers, the lower first, got 1, 0/,
  );
});

test('a data set whose parts do not match is refused', () => {
  const points = tensor([
    [1, 2],
    [3, 4],
  ]);
  const labels = Int32Array.of(0, 1);
  assert.is(dataset({ name: 'own', points, labels, labelNames: ['a', 'b'] }).points, points);
  const bad = (parts: object, message: RegExp) => assert.throws(() => dataset({ name: '', points, ...parts }), message);
  bad({ labels: Int32Array.of(1) }, /^dataset: expected 2 labels, one for every point, got 1\.$/);
  bad({ labels: [0, 1] }, /dataset: expected labels to be an Int32Array, got an array of length 2/);
  bad({ labels, labelNames: ['a'] }, /dataset: expected labels from 0 to 0, those in labelNames, got 1 at index 1/);
  bad({ columnNames: ['x'] }, /dataset: expected 2 column names, one for every column of the points, got 1/);
  bad({ points: [[1]] }, /dataset: expected points to be a Tensor, got an array of length 1/);
  bad({ points: tensor([1, 2]) }, /dataset: expected points with two axes, n×d, got 2/);
  bad(
    { points: tensor({ data: [], shape: [0, 2] }) },
    /dataset: expected at least one point of one coordinate, got 0×2/,
  );
  bad({ intrinsic: tensor([[1]], 'double') }, /dataset: expected 2 rows of intrinsic coordinates, .* got 1/);
});

test.run();
