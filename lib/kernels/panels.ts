/**
 * Kernels on the dense panels of a sparse LDLᵀ factorization, in Float64. A panel is stored by columns: column k begins at
 * k·stride. A family of its own, so that only factorizations load the SIMD twins.
 */

/** Columns are updated in groups of this many, each from the row of its first column on. */
export const group = 4;

/**
 * out[i, j] −= Σₖ a[i, k]·pivots[k]·a[j, k] for j < columns and i = j − j mod 4 … rows − 1, so that up to three numbers above the
 * diagonal change too; a[rows×inner] and out[rows×columns] begin columns every `stride` and `outStride` numbers. Terms are subtracted
 * one by one in the order of k. columns ≤ rows. About 2·inner·columns·(rows − columns/2) flops.
 */
export function subtractOuter(
  rows: number,
  columns: number,
  inner: number,
  stride: number,
  a: Float64Array,
  pivots: Float64Array,
  outStride: number,
  out: Float64Array,
): void {
  for (let j = 0; j < columns; j++) {
    for (let i = j - (j % group); i < rows; i++) {
      let sum = out[j * outStride + i];
      for (let k = 0; k < inner; k++) sum -= a[k * stride + i] * (pivots[k] * a[k * stride + j]);
      out[j * outStride + i] = sum;
    }
  }
}

/**
 * Eliminates the columns of a panel[height×columns], columns ≤ height, which begin every `stride` numbers: panel ← L, without its
 * diagonal, and pivots ← D, so that LDLᵀ has the first columns of the symmetric matrix that was there. The diagonal keeps D; up to
 * three numbers above it change too, as in `subtractOuter`. No pivoting: a pivot of 0 makes numbers that are not finite. About
 * columns²·(height − columns/3) flops.
 */
export function eliminatePanel(
  height: number,
  columns: number,
  stride: number,
  panel: Float64Array,
  pivots: Float64Array,
): void {
  for (let j = 0; j < columns; j++) {
    const at = j * stride;
    const first = j - (j % group);
    for (let k = 0; k < j; k++) {
      const factor = pivots[k] * panel[k * stride + j];
      for (let i = k < first ? first : j; i < height; i++) panel[at + i] -= factor * panel[k * stride + i];
    }
    pivots[j] = panel[at + j];
    for (let i = j + 1; i < height; i++) panel[at + i] /= pivots[j];
  }
}

/**
 * Adds the lower triangle of an update[size×size] of a child to the panel[height×columns] and to the update[m×m], m = height − columns, of its
 * parent: row and column i of the child are row and column places[i] of both together. Places ascend. size²/2 additions.
 */
export function extendAdd(
  size: number,
  places: Int32Array,
  source: Float64Array,
  columns: number,
  height: number,
  panel: Float64Array,
  update: Float64Array,
): void {
  const below = height - columns;
  for (let j = 0; j < size; j++) {
    const isInside = places[j] < columns;
    const target = isInside ? panel : update;
    const offset = isInside ? places[j] * height : (places[j] - columns) * below - columns;
    for (let i = j; i < size; i++) target[offset + places[i]] += source[j * size + i];
  }
}

/** The arguments of a solve with the panels of a factor. */
type Solve = (
  count: number,
  first: Int32Array,
  heights: Int32Array,
  rows: Int32Array,
  panels: Float64Array,
  x: Float64Array,
  work: Float64Array,
) => void;

/**
 * x ← L⁻¹x for a factor of `count` panels, one after the other in `panels`. Panel s has columns first[s] … first[s+1]−1 and heights[s]
 * rows: those of its columns, then as many of `rows` as there are below, ascending. The diagonal of L is 1; what is on and above
 * it is not read. `work` has as many numbers as the tallest panel has rows, and is overwritten. 2 flops for each entry of L.
 */
export const solveLower: Solve = (count, first, heights, rows, panels, x, work) => {
  for (let s = 0, at = 0, begin = 0; s < count; s++) {
    const columns = first[s + 1] - first[s];
    const below = heights[s] - columns;
    work.fill(0, 0, below);
    for (let j = 0; j < columns; j++, at += heights[s]) {
      const factor = x[first[s] + j];
      for (let i = j + 1; i < columns; i++) x[first[s] + i] -= factor * panels[at + i];
      for (let i = 0; i < below; i++) work[i] += factor * panels[at + columns + i];
    }
    for (let i = 0; i < below; i++) x[rows[begin + i]] -= work[i];
    begin += below;
  }
};

/** x ← L⁻ᵀx for the same factor. */
export const solveUpper: Solve = (count, first, heights, rows, panels, x, work) => {
  let [begin, at] = [0, 0];
  for (let s = 0; s < count; s++) {
    begin += heights[s] - (first[s + 1] - first[s]);
    at += heights[s] * (first[s + 1] - first[s]);
  }
  for (let s = count - 1; s >= 0; s--) {
    const columns = first[s + 1] - first[s];
    const below = heights[s] - columns;
    begin -= below;
    for (let i = 0; i < below; i++) work[i] = x[rows[begin + i]];
    for (let j = columns - 1; j >= 0; j--) {
      at -= heights[s];
      let sum = 0;
      for (let i = 0; i < below; i++) sum += panels[at + columns + i] * work[i];
      for (let i = j + 1; i < columns; i++) sum += panels[at + i] * x[first[s] + i];
      x[first[s] + j] -= sum;
    }
  }
};

/** The plain twins, as in the table of all other kernels. */
export const plainPanels = { subtractOuter, eliminatePanel, extendAdd, solveLower, solveUpper };

export type PanelKernels = typeof plainPanels;
