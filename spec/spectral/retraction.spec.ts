/** The pullback of the orthogonalization of SpecNet1, against the tape's QR factorization and against central differences. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, Tensor } from '../../lib/index.ts';
import { gatherRows, invertTriangular, matmul, scale, scaleRows, Tape, thinQr } from '../../lib/doors/autodiff.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { plainReduce } from '../../lib/kernels/reduce.ts';
import { retraction, retractionPullback } from '../../lib/spectral/descent/objective.ts';

const test = suite('retraction');

const rows = 60;
const side = 17;
const place = Int32Array.of(3, 41, 7, 20);

/** Columns of which the last is the first plus `distance` times something else: the condition number is about 1/distance. */
function columns(
  width: number,
  distance: number,
): { y: Tensor<Float64Array>; mass: Float64Array; g: Tensor<Float64Array> } {
  const random = new Random(`${width}`);
  const y = zeros([rows, width], 'double');
  random.fillNormal(y.data);
  for (let i = 0; i < rows; i++) {
    const last = i * width + width - 1;
    y.data[last] = y.data[i * width] + distance * y.data[last];
  }
  const mass = new Float64Array(rows);
  random.fillUniform(mass, 0.5, 2);
  const g = zeros([place.length, width], 'double');
  random.fillNormal(g.data);
  return { y, mass, g };
}

function rotated(y: Tensor<Float64Array>, r: Float64Array): Float64Array {
  const width = y.cols;
  return Float64Array.from({ length: place.length * width }, (_, p) => {
    const [i, j] = [place[Math.floor(p / width)], p % width];
    let sum = 0;
    for (let k = 0; k <= j; k++) sum += y.data[i * width + k] * r[k * width + j];
    return sum;
  });
}

function factorOf(y: Tensor<Float64Array>, mass: Float64Array): Float64Array {
  const gram = new Float64Array(y.cols ** 2);
  plainReduce.gram(rows, y.cols, y.cols, mass, y.data, y.data, gram);
  return retraction('spec', gram, side);
}

/** G·rᵀ in the rows of the batch, plus D·Y·C. */
function closedForm(y: Tensor<Float64Array>, mass: Float64Array, g: Tensor<Float64Array>): Float64Array {
  const width = y.cols;
  const r = factorOf(y, mass);
  const c = retractionPullback(rotated(y, r), g.data, r, side);
  const result = Float64Array.from({ length: y.size }, (_, p) => {
    const [i, j] = [Math.floor(p / width), p % width];
    let sum = 0;
    for (let k = 0; k < width; k++) sum += y.data[i * width + k] * c[k * width + j];
    return mass[i] * sum;
  });
  for (const [b, i] of place.entries()) {
    for (let j = 0; j < width; j++) {
      for (let k = 0; k < width; k++) result[i * width + j] += g.data[b * width + k] * r[j * width + k];
    }
  }
  return result;
}

function byTape(y: Tensor<Float64Array>, mass: Float64Array, g: Tensor<Float64Array>): Float64Array {
  const tape = new Tape();
  const watched = tape.watch(y);
  const { r } = thinQr(scaleRows(watched, mass.map(Math.sqrt)));
  const inverse = invertTriangular(r, { triangle: 'upper' });
  tape.backward(gatherRows(scale(matmul(watched, inverse), side), place), g);
  return watched.gradient!.data as Float64Array;
}

function distanceOf(a: Float64Array, b: Float64Array): number {
  const norm = (x: Float64Array): number => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
  return norm(a.map((value, p) => value - b[p])) / norm(b);
}

test('the closed form agrees with QR, and loses digits no faster than the square of the condition number', () => {
  for (const width of [1, 2, 3, 9, 16]) {
    for (const distance of width > 1 ? [1, 1e-2, 1e-4] : [1]) {
      const { y, mass, g } = columns(width, distance);
      const found = distanceOf(closedForm(y, mass, g), byTape(y, mass, g));
      const allowed = (100 * width * Number.EPSILON) / distance ** 2;
      assert.ok(found < allowed, `${width} columns at a distance of ${distance}: ${found}, allowed ${allowed}`);
    }
  }
});

test('the closed form follows central differences', () => {
  const { y, mass, g } = columns(3, 0.3);
  const surrogate = (): number => rotated(y, factorOf(y, mass)).reduce((sum, value, p) => sum + value * g.data[p], 0);
  const gradient = closedForm(y, mass, g);
  const largest = gradient.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (let p = 0; p < y.size; p++) {
    const before = y.data[p];
    const step = 1e-5;
    const [above, below] = [step, -step].map((change) => {
      y.data[p] = before + change;
      return surrogate();
    });
    y.data[p] = before;
    assert.ok(Math.abs((above - below) / (2 * step) - gradient[p]) < 1e-7 * largest, `entry ${p}`);
  }
});

test.run();
