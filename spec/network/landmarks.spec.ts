import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CsrMatrix, Random, tensor, type Tensor } from '../../lib/index.ts';
import { kernels } from '../../lib/doors/kernels.ts';
import { chooseLandmarks, Landmarks } from '../../lib/doors/network.ts';
import { fromDense, toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { onEveryBackend } from '../backends.ts';

const test = suite('landmarks');

function normals(rows: number, cols: number, seed: string): Tensor<Float32Array> {
  const points = zeros([rows, cols]);
  new Random(seed).fillNormal(points.data);
  return points;
}

/** The numbers of dense landmarks. */
function valuesOf({ centers }: Landmarks): Tensor['data'] {
  return (centers as Tensor).data;
}

/** The features by their definition, sorting all landmarks. */
function featuresOf(x: ArrayLike<number>, centers: Tensor, r: number): number[] {
  const squares = Array.from({ length: centers.rows }, (_, l) => {
    let sum = 0;
    for (let j = 0; j < centers.cols; j++) sum += (x[j] - centers.at(l, j)) ** 2;
    return sum;
  });
  const order = squares.map((_, l) => l).toSorted((a, b) => squares[a] - squares[b] || a - b);
  const weights = squares.map(() => 0);
  for (const l of order.slice(0, r)) weights[l] = 1 - squares[l] / squares[order[r]];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

for (const cols of [2, 40]) {
  onEveryBackend(test, `in ${cols} dimensions features are those of the definition`, () => {
    const centers = normals(60, cols, 'centers');
    const points = normals(50, cols, 'points');
    const features = toDense(new Landmarks(centers, 5).features(points));
    for (let i = 0; i < points.rows; i++) {
      const expected = featuresOf(points.rowRange(i, i + 1).data, centers, 5);
      for (const [l, value] of expected.entries()) assert.ok(Math.abs(features.at(i, l) - value) < 1e-5, `${i}, ${l}`);
    }
  });
}

test('they are weights: none negative, one in sum, at most as many as neighbors', () => {
  const points = normals(300, 3, 'points');
  const { starts, values } = chooseLandmarks(points, { count: 50, seed: 3 }).features(points);
  for (let i = 0; i < 300; i++) {
    const row = values.subarray(starts[i], starts[i + 1]);
    assert.is(row.length, 16);
    assert.ok(row.every((value) => value >= 0));
    assert.ok(Math.abs(kernels.sum(row.length, row) - 1) < 1e-6);
  }
});

test('they are continuous: short steps change them little, also where neighbors change', () => {
  const landmarks = new Landmarks(normals(40, 2, 'centers'), 4);
  const steps = 4000;
  const line = zeros([steps, 2]);
  for (let i = 0; i < steps; i++) line.data.set([-2 + (4 * i) / steps, Math.sin((4 * i) / steps)], 2 * i);
  const features = toDense(landmarks.features(line));
  let neighborsChanged = 0;
  for (let i = 1; i < steps; i++) {
    for (let l = 0; l < 40; l++) {
      const change = Math.abs(features.at(i, l) - features.at(i - 1, l));
      // A step of 1.4e-3 changes squared distances of about 1 by about 3e-3.
      assert.ok(change < 0.05, `step ${i}, landmark ${l}: ${change}`);
      if (features.at(i, l) > 0 !== features.at(i - 1, l) > 0) neighborsChanged++;
    }
  }
  assert.ok(neighborsChanged > 20);
});

test('sparse points have the features of the same points written out', () => {
  const points = normals(3000, 6, 'points');
  for (let i = 0; i < points.size; i++) if (points.data[i] < 0.3) points.data[i] = 0;
  const landmarks = chooseLandmarks(points, { count: 30, neighbors: 4 });
  assert.equal(landmarks.features(fromDense(points)).values, landmarks.features(points).values);
  const sparse = chooseLandmarks(fromDense(points), { count: 30, neighbors: 4 });
  assert.equal(toDense(sparse.centers as CsrMatrix).data, valuesOf(landmarks));
  for (const source of [points, fromDense(points)]) {
    assert.equal(sparse.features(source).values, landmarks.features(source).values);
  }
});

test('landmarks are chosen by seed, all points where there are fewer', () => {
  const points = normals(100, 2, 'points');
  const chosen = valuesOf(chooseLandmarks(points, { count: 10, seed: 1 }));
  assert.equal(valuesOf(chooseLandmarks(points, { count: 10, seed: 1 })), chosen);
  assert.not.equal(valuesOf(chooseLandmarks(points, { count: 10, seed: 2 })), chosen);
  assert.equal(valuesOf(chooseLandmarks(points, { count: 1000 })), points.data);
});

test('repeated landmarks and points at equal distances share alike', () => {
  const same = new Landmarks(tensor([[0], [0], [0], [5]]), 2).features(tensor([[0]]));
  assert.equal([...same.values], [0.5, 0.5]);
  const between = new Landmarks(tensor([[-1], [1]]), 16).features(tensor([[0]]));
  assert.equal([...between.values], [1]);
});

test('invalid input is refused', () => {
  const points = normals(10, 2, 'points');
  assert.throws(() => new Landmarks(points.rowRange(0, 1)), /^Landmarks: expected at least two landmarks, got 1\.$/);
  assert.throws(() => new Landmarks(points, 0), /^Landmarks: expected neighbors to be a whole number, at least 1/);
  assert.throws(
    () => chooseLandmarks(points, { count: 1 }),
    /^chooseLandmarks: expected count .* at least 2, got 1\.$/,
  );
  const landmarks = new Landmarks(points);
  assert.throws(
    () => landmarks.features(zeros([3, 5])),
    /^Landmarks\.features: expected points of 2 columns, got 5\.$/,
  );
});

test.run();
