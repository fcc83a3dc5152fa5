/** How do many long vectors meet one? In Float64 throughout: the vectors are rows of `a`, without gaps. */

/** Columns that `combineRows` works on at a time: 40 rows of them fill a third of the second-level cache. */
export const band = 512;

/** out[r] = row r of a[rows×n]·x. 2·rows·n flops. */
export function rowDots(rows: number, n: number, a: Float64Array, x: Float64Array, out: Float64Array): void {
  for (let r = 0, at = 0; r < rows; r++) {
    let sum = 0;
    for (let i = 0; i < n; i++, at++) sum += a[at] * x[i];
    out[r] = sum;
  }
}

/** x −= Σᵣ factors[r]·row r of a[rows×n], in place; x is none of the rows. 2·rows·n flops. */
export function subtractRows(rows: number, n: number, factors: Float64Array, a: Float64Array, x: Float64Array): void {
  for (let r = 0, at = 0; r < rows; r++) for (let i = 0; i < n; i++, at++) x[i] -= factors[r] * a[at];
}

/** How many numbers `combineRows` needs as room. */
export function combineWork(kept: number): number {
  return 4 * Math.ceil(kept / 4) * band;
}

/**
 * Row j of a[rows×n] ← Σᵢ factors[i·rows + j]·row i for j < kept ≤ rows, in place; the rows beyond are left as they were.
 * `work` has `combineWork(kept)` numbers whose contents are lost. 2·n·rows·kept flops.
 */
export function combineRows(
  rows: number,
  kept: number,
  n: number,
  factors: Float64Array,
  a: Float64Array,
  work: Float64Array,
): void {
  for (let from = 0; from < n; from += band) {
    const width = Math.min(band, n - from);
    work.fill(0, 0, kept * band);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < kept; j++) {
        const factor = factors[i * rows + j];
        for (let c = 0; c < width; c++) work[j * band + c] += factor * a[i * n + from + c];
      }
    }
    for (let j = 0; j < kept; j++) a.set(work.subarray(j * band, j * band + width), j * n + from);
  }
}
