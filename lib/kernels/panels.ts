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
 * x ← the solution of Ly = x for a panel L of `columns` columns with unit diagonal: x[0 … columns−1] becomes y, and the rest of
 * x[rows] is reduced by L·y. What is on and above the diagonal of L is not read. 2·rows·columns flops.
 */
export function solvePanel(rows: number, columns: number, panel: Float64Array, x: Float64Array): void {
  for (let j = 0; j < columns; j++) {
    const factor = x[j];
    for (let i = j + 1; i < rows; i++) x[i] -= factor * panel[j * rows + i];
  }
}

/** The same for Lᵀ: x[0 … columns−1] becomes the solution of Lᵀy = x, where the rest of x[rows] is known and left alone. */
export function solvePanelTransposed(rows: number, columns: number, panel: Float64Array, x: Float64Array): void {
  for (let j = columns - 1; j >= 0; j--) {
    let sum = x[j];
    for (let i = j + 1; i < rows; i++) sum -= panel[j * rows + i] * x[i];
    x[j] = sum;
  }
}

/** The plain twins, as in the table of all other kernels. */
export const plainPanels = { subtractOuter, solvePanel, solvePanelTransposed };

export type PanelKernels = typeof plainPanels;
