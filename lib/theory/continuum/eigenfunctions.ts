/** The continuous limits of the eigenvectors of a Gaussian graph, computed on a grid in the plane. */

import { runSync } from '../../core/task.ts';
import { badKind, badValue, checkCount, checkFinite } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import type { Seed } from '../../core/random.ts';
import { lanczosSteps } from '../../linalg/lanczos/lanczos.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { evaluateSpline, type Grid, splineCoefficients } from './spline.ts';

/** The kernel, the number of functions, and the grid. */
export interface EigenfunctionOptions {
  /** The width of the kernel exp(−‖x−y‖²/(2σ²)). */
  readonly sigma: number;
  /** The number of functions, including the constant one. */
  readonly count: number;
  /** The rectangle covered by the grid: [left, right, bottom, top]. Default: [−2, 2, −1.5, 1.5]. */
  readonly box?: readonly [left: number, right: number, bottom: number, top: number];
  /** The spacing of the grid. Default: 0.02. */
  readonly spacing?: number;
  /** Grid points whose density is at most this times the largest density are left out. Default: 1e-6. */
  readonly cut?: number;
  /** Default: 0. */
  readonly seed?: Seed;
}

/** Eigenfunctions in the plane, with their eigenvalues. */
export interface Eigenfunctions {
  /** Descending; the first is 1 and belongs to the constant. */
  readonly values: Float64Array;
  readonly converged: boolean;
  /** The values at points n×2 within the box, n×count. Scaled so that ∫ψ²·d·p = 1, where d(x) = ∫ k(x, y)·p(y) dy. */
  evaluate(points: Tensor): Tensor<Float64Array>;
}

const rules: Rules<EigenfunctionOptions> = {
  sigma: 'number',
  count: 'number',
  box: 'array',
  spacing: 'number',
  cut: 'number',
  seed: 'seed',
};

/** The kernel is truncated at this many σ, where it falls to the machine epsilon. */
const cutoff = Math.sqrt(-2 * Math.log(Number.EPSILON));

/**
 * The limits of the eigenvectors of a Gaussian graph as the number of its points, drawn from the density p, goes to
 * infinity: the eigenfunctions of f ↦ ∫ k(x, y)·f(y)·p(y) dy / ∫ k(x, y)·p(y) dy, computed on a grid.
 */
export function eigenfunctions(
  density: (x: number, y: number) => number,
  options: EigenfunctionOptions,
): Eigenfunctions {
  if (typeof density !== 'function') throw badKind('eigenfunctions', 'a density, a function of x and y', density);
  checkOptions('eigenfunctions', options, rules);
  const { sigma, count, box = [-2, 2, -1.5, 1.5], spacing = 0.02, cut = 1e-6, seed = 0 } = options;
  checkCount('eigenfunctions', 'count', count, 1);
  if (!(sigma > 0)) throw badValue('eigenfunctions', 'sigma above 0', sigma);
  if (!(cut >= 0 && cut < 1)) throw badValue('eigenfunctions', 'cut from 0 to below 1', cut);
  const grid = makeGrid(box, spacing);
  const size = grid.cols * grid.rows;
  const weights = sampleDensity(density, grid, cut);
  const kernel = sampleKernel(sigma, spacing);

  // d = K·q, and the symmetric S = (q/d)^½·K·(q/d)^½ whose eigenvectors are (q·d)^½·ψ.
  const degrees = new Float64Array(size);
  const line = new Float64Array(size);
  convolve(grid, kernel, weights, line, degrees);
  const scaling = weights.map((weight, g) => (weight > 0 ? Math.sqrt(weight / degrees[g]) : 0));
  const scaled = new Float64Array(size);
  const inside = Int32Array.from(weights.keys()).filter((g) => weights[g] > 0);
  if (count > inside.length) {
    throw badValue(
      'eigenfunctions',
      `count to be at most ${inside.length}, the number of grid points above the cut`,
      count,
    );
  }
  const full = new Float64Array(size);
  const operator = {
    size: inside.length,
    apply(x: Float64Array, y: Float64Array): void {
      scaled.fill(0);
      for (const [i, g] of inside.entries()) scaled[g] = scaling[g] * x[i];
      convolve(grid, kernel, scaled, line, full);
      for (const [i, g] of inside.entries()) y[i] = scaling[g] * full[g];
    },
  };
  const { values, vectors, converged } = runSync(lanczosSteps(operator, { count, which: 'largest', seed }));

  // The operator extends ψ to the whole grid: ψ = K·(q·ψ)/(λ·d), which needs ψ only where q > 0.
  const splines = Array.from({ length: count }, (_, k) => {
    scaled.fill(0);
    for (const [i, g] of inside.entries()) scaled[g] = scaling[g] * vectors.data[i * count + k];
    convolve(grid, kernel, scaled, line, full);
    return splineCoefficients(
      grid,
      full.map((value, g) => (degrees[g] > 0 ? value / (values[k] * degrees[g]) : 0)),
    );
  });
  return { values, converged, evaluate: (points) => evaluate(grid, splines, points) };
}

function evaluate(grid: Grid, splines: readonly Float64Array[], points: Tensor): Tensor<Float64Array> {
  const caller = 'Eigenfunctions.evaluate';
  if (points.shape.length !== 2 || points.cols !== 2) {
    throw badValue(caller, 'points of two columns', `shape ${points.shape.join('×')}`);
  }
  checkFinite(caller, 'points', points.data, 2);
  const [right, top] = [grid.left + (grid.cols - 1) * grid.spacing, grid.bottom + (grid.rows - 1) * grid.spacing];
  const result = zeros([points.rows, splines.length], 'double');
  for (let i = 0; i < points.rows; i++) {
    const x = points.data[2 * i];
    const y = points.data[2 * i + 1];
    if (x < grid.left || x > right || y < grid.bottom || y > top) {
      const rule = `points within [${grid.left}, ${right}] × [${grid.bottom}, ${top}]`;
      throw badValue(caller, rule, `(${x}, ${y}) in row ${i}`, 'Use a larger box.');
    }
    for (const [k, spline] of splines.entries()) {
      result.data[i * splines.length + k] = evaluateSpline(grid, spline, x, y);
    }
  }
  return result;
}

function makeGrid([left, right, bottom, top]: readonly [number, number, number, number], spacing: number): Grid {
  if (!(left < right && bottom < top && spacing > 0 && spacing <= Math.min(right - left, top - bottom))) {
    const got = `[${left}, ${right}] × [${bottom}, ${top}], spacing ${spacing}`;
    throw badValue('eigenfunctions', 'a box with left < right and bottom < top, and a spacing that fits into it', got);
  }
  const cols = Math.round((right - left) / spacing) + 1;
  const rows = Math.round((top - bottom) / spacing) + 1;
  return { left, bottom, spacing, cols, rows };
}

/** q = p·spacing² at the grid points, 0 where p is not above the cut. */
function sampleDensity(density: (x: number, y: number) => number, grid: Grid, cut: number): Float64Array {
  const { left, bottom, spacing, cols, rows } = grid;
  const weights = new Float64Array(cols * rows);
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < cols; i++)
      weights[j * cols + i] = density(left + i * spacing, bottom + j * spacing) * spacing ** 2;
  }
  checkFinite('eigenfunctions', 'the density', weights, cols);
  const largest = weights.reduce((best, weight) => Math.max(best, weight), 0);
  if (largest === 0)
    throw badValue('eigenfunctions', 'a density above 0 somewhere in the box', 0, 'Move or enlarge the box.');
  return weights.map((weight) => (weight > cut * largest ? weight : 0));
}

/** exp(−(i·spacing)²/(2σ²)) for i = 0, 1, …, up to the cutoff. */
function sampleKernel(sigma: number, spacing: number): Float64Array {
  const length = Math.floor((cutoff * sigma) / spacing) + 1;
  return Float64Array.from({ length }, (_, i) => Math.exp(-((i * spacing) ** 2) / (2 * sigma * sigma)));
}

/** out = K·values. The Gaussian kernel is separable, so that rows and columns are convolved one after the other. */
function convolve(grid: Grid, kernel: Float64Array, values: Float64Array, line: Float64Array, out: Float64Array): void {
  const { cols, rows } = grid;
  line.fill(0);
  for (let j = 0; j < rows; j++) {
    const row = j * cols;
    for (let i = 0; i < cols; i++) {
      const value = values[row + i];
      if (value === 0) continue;
      const low = Math.max(0, i - kernel.length + 1);
      const high = Math.min(cols - 1, i + kernel.length - 1);
      for (let t = low; t < i; t++) line[row + t] += value * kernel[i - t];
      for (let t = i; t <= high; t++) line[row + t] += value * kernel[t - i];
    }
  }
  out.fill(0);
  for (let j = 0; j < rows; j++) {
    const low = Math.max(0, j - kernel.length + 1);
    const high = Math.min(rows - 1, j + kernel.length - 1);
    for (let t = low; t <= high; t++) {
      const factor = kernel[Math.abs(j - t)];
      for (let i = 0; i < cols; i++) out[j * cols + i] += factor * line[t * cols + i];
    }
  }
}
