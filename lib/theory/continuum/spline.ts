/** Interpolation by bicubic splines on a regular grid. */

/** A grid of cols×rows points with the given spacing from (left, bottom). Values are stored row by row, x fastest. */
export interface Grid {
  readonly left: number;
  readonly bottom: number;
  readonly spacing: number;
  readonly cols: number;
  readonly rows: number;
}

/** The coefficients of the cubic B-splines whose sum interpolates these values. The normal derivative is 0 at the edges. */
export function splineCoefficients({ cols, rows }: Grid, values: Float64Array): Float64Array {
  const coefficients = values.slice();
  for (let j = 0; j < rows; j++) filterLine(coefficients, j * cols, 1, cols);
  for (let i = 0; i < cols; i++) filterLine(coefficients, i, cols, rows);
  return coefficients;
}

/** The value of the spline at (x, y), which must lie within the grid. */
export function evaluateSpline(grid: Grid, coefficients: Float64Array, x: number, y: number): number {
  const { left, bottom, spacing, cols, rows } = grid;
  const u = (x - left) / spacing;
  const v = (y - bottom) / spacing;
  const i = Math.max(0, Math.min(cols - 2, Math.floor(u)));
  const j = Math.max(0, Math.min(rows - 2, Math.floor(v)));
  let sum = 0;
  for (let b = -1; b <= 2; b++) {
    const row = mirror(j + b, rows) * cols;
    let line = 0;
    for (let a = -1; a <= 2; a++) line += basis(u - i - a) * coefficients[row + mirror(i + a, cols)];
    sum += basis(v - j - b) * line;
  }
  return sum;
}

/** The cubic B-spline: 2/3 at 0, 1/6 at ±1, and 0 for |t| ≥ 2. */
function basis(t: number): number {
  const s = Math.abs(t);
  if (s >= 2) return 0;
  return s >= 1 ? (2 - s) ** 3 / 6 : 2 / 3 - s * s * (1 - s / 2);
}

/** Coefficients are reflected at the edges. */
function mirror(index: number, count: number): number {
  if (index < 0) return Math.min(-index, count - 1);
  return index < count ? index : Math.max(0, 2 * (count - 1) - index);
}

/** Solves (c[i−1] + 4c[i] + c[i+1])/6 = value[i] with reflected ends in place, a tridiagonal system, by elimination. */
function filterLine(data: Float64Array, from: number, stride: number, count: number): void {
  if (count < 2) return;
  const ratios = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const at = from + i * stride;
    const lower = i === 0 ? 0 : i === count - 1 ? 2 : 1;
    const upper = i === 0 ? 2 : 1;
    const pivot = 4 - (i > 0 ? lower * ratios[i - 1] : 0);
    ratios[i] = upper / pivot;
    data[at] = (6 * data[at] - (i > 0 ? lower * data[at - stride] : 0)) / pivot;
  }
  for (let i = count - 2; i >= 0; i--) data[from + i * stride] -= ratios[i] * data[from + (i + 1) * stride];
}
