/** The continuous eigenfunctions are those of the operator, and the spline interpolates them between grid points. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoonDensity } from '../../datasets/index.ts';
import { Random, tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { eigenfunctions } from '../../lib/doors/theory.ts';
import { moonNoise, oneMoonArcs } from '../../datasets/moons.ts';
import { evaluateSpline, type Grid, splineCoefficients } from '../../lib/theory/continuum/spline.ts';

const test = suite('continuous eigenfunctions');

const grid: Grid = { left: -1, bottom: 0, spacing: 0.1, cols: 21, rows: 11 };

function sample(f: (x: number, y: number) => number): Float64Array {
  const { left, bottom, spacing, cols, rows } = grid;
  return Float64Array.from({ length: cols * rows }, (_, at) =>
    f(left + (at % cols) * spacing, bottom + Math.floor(at / cols) * spacing),
  );
}

test('the spline has the values of the grid at its points, edges included', () => {
  const values = new Float64Array(grid.cols * grid.rows);
  new Random('grid').fillNormal(values);
  const coefficients = splineCoefficients(grid, values);
  for (let j = 0; j < grid.rows; j++) {
    for (let i = 0; i < grid.cols; i++) {
      const found = evaluateSpline(grid, coefficients, -1 + 0.1 * i, 0.1 * j);
      assert.ok(Math.abs(found - values[j * grid.cols + i]) < 1e-12, `(${i}, ${j})`);
    }
  }
});

test('between grid points it approximates a smooth function to the fourth power of the spacing, except near the edges', () => {
  const f = (x: number, y: number): number => Math.sin(2 * x + y) * Math.exp(-y);
  const coefficients = splineCoefficients(grid, sample(f));
  const random = new Random('between');
  for (let k = 0; k < 200; k++) {
    const [x, y] = [random.uniform(-0.5, 0.5), random.uniform(0.4, 0.6)];
    const error = Math.abs(evaluateSpline(grid, coefficients, x, y) - f(x, y));
    assert.ok(error < 2e-4, `${error} at (${x}, ${y})`); // the spacing alone would give 2e-5; the flat edges add to it
  }
});

/** A normal density in the plane: the eigenvalues of the operator are known, as powers of one number. */
const deviation = 0.25;
const normalDensity = (x: number, y: number): number =>
  Math.exp(-(x * x + y * y) / (2 * deviation ** 2)) / (2 * Math.PI * deviation ** 2);

test('for a normal density the eigenvalues are the powers of s²/(s² + σ²), with Hermite multiplicities', () => {
  // For y at distance σ from x under p, the conditional mean is ρ·x with ρ = s²/(s² + σ²): eigenvalues ρ^(i+j).
  const sigma = 0.2;
  const rho = deviation ** 2 / (deviation ** 2 + sigma ** 2);
  const { values, converged } = eigenfunctions(normalDensity, {
    sigma,
    count: 6,
    box: [-2, 2, -2, 2],
    spacing: 0.04,
    cut: 1e-12,
  });
  assert.ok(converged);
  const expected = [1, rho, rho, rho ** 2, rho ** 2, rho ** 2];
  for (const [i, value] of expected.entries())
    assert.ok(Math.abs(values[i] - value) < 1e-8, `${i}: ${values[i]}, not ${value}`);
});

test('for a normal density the functions after the constant are linear', () => {
  const { evaluate } = eigenfunctions(normalDensity, {
    sigma: 0.2,
    count: 3,
    box: [-2, 2, -2, 2],
    spacing: 0.04,
    cut: 1e-12,
  });
  const points = zeros([50, 2]);
  new Random('linear').fillNormal(points.data, 0, 0.2);
  const psi = evaluate(points);
  const at = evaluate(
    tensor([
      [0, 0],
      [0.3, 0],
      [0, 0.3],
    ]),
  );
  for (let i = 0; i < 50; i++) {
    assert.ok(Math.abs(psi.at(i, 0) / at.at(0, 0) - 1) < 1e-9, 'the first is constant');
    for (const k of [1, 2]) {
      const expected = (at.at(1, k) * points.at(i, 0) + at.at(2, k) * points.at(i, 1)) / 0.3;
      assert.ok(Math.abs(psi.at(i, k) - expected) < 1e-6, `${psi.at(i, k)}, not ${expected}`);
    }
  }
});

test('one moon, σ = 0.2: 1, 0.976692, 0.911411, for every spacing', () => {
  for (const spacing of [0.02, 0.05]) {
    const { values } = eigenfunctions(oneMoonDensity(), { sigma: 0.2, count: 3, spacing });
    for (const [i, value] of [1, 0.9766921, 0.9114112].entries()) {
      assert.ok(Math.abs(values[i] - value) < 1e-6, `${spacing}: ${values[i]}, not ${value}`);
    }
  }
});

test('a density of 8,000 angles with both ends counted whole has 0.976698 and 0.911434: the ends weigh too much', () => {
  const [{ sign, x: left, y: below }] = oneMoonArcs;
  const angles = Float64Array.from({ length: 8000 }, (_, i) => (Math.PI * i) / 7999);
  const averaged = (x: number, y: number): number => {
    let sum = 0;
    for (const angle of angles) {
      const square = (sign * (x - left) - Math.cos(angle)) ** 2 + (sign * (y - below) - Math.sin(angle)) ** 2;
      sum += Math.exp(-square / 2 / moonNoise.oneMoon ** 2);
    }
    return sum;
  };
  const { values } = eigenfunctions(averaged, { sigma: 0.2, count: 3, spacing: 0.05 });
  for (const [i, value] of [1, 0.976698, 0.911434].entries()) {
    assert.ok(Math.abs(values[i] - value) < 1e-5, `${values[i]}, not ${value}`);
  }
});

test('bad input is refused', () => {
  const options = { sigma: 0.2, count: 2, spacing: 0.25 };
  const { evaluate } = eigenfunctions(normalDensity, options);
  assert.throws(
    () => evaluate(tensor([[3, 0]])),
    /expected points within \[-2, 2\] × \[-1\.5, 1\.5\], got \(3, 0\) in row 0\. Use a larger box/,
  );
  assert.throws(
    () => evaluate(tensor([[1, 2, 3]])),
    /Eigenfunctions\.evaluate: expected points of two columns, got shape 1×3/,
  );
  assert.throws(() => evaluate(tensor([[NaN, 0]])), /expected finite numbers in points, got NaN at row 0, column 0/);
  assert.throws(() => eigenfunctions(normalDensity, { ...options, sigma: 0 }), /expected sigma above 0, got 0/);
  assert.throws(
    () => eigenfunctions(normalDensity, { ...options, spacing: 5 }),
    /expected a box with .* a spacing that fits into it, got/,
  );
  assert.throws(() => eigenfunctions(normalDensity, { ...options, cut: 1 }), /expected cut from 0 to below 1, got 1/);
  assert.throws(() => eigenfunctions(() => 0, options), /expected a density above 0 somewhere in the box, got 0/);
  assert.throws(() => eigenfunctions(() => NaN, options), /expected finite numbers in the density, got NaN/);
  assert.throws(
    () => eigenfunctions(normalDensity, { ...options, count: 1e6 }),
    /expected count to be at most \d+, the number of grid points above the cut, got 1000000/,
  );
});

test.run();
