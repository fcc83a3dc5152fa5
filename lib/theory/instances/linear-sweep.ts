/** A sweep of SpecNet1 without orthogonalization: Z_B ← (1 − 2α)Z_B + 2αD⁻¹WZ, batch after batch. */

/** The entries of D⁻¹WZ by row and column, for the current Z. */
export type RandomWalk = (z: Float64Array) => (row: number, column: number) => number;

/** The rows after the sweep, in a new array. All rows of a batch are updated at once. */
export function linearSweep(
  walk: RandomWalk,
  width: number,
  start: Float64Array,
  batches: readonly Int32Array[],
  step: number,
): Float64Array {
  const z = start.slice();
  for (const batch of batches) {
    const entry = walk(z);
    const moved = new Float64Array(batch.length * width);
    for (let p = 0; p < moved.length; p++) {
      const row = batch[Math.floor(p / width)];
      moved[p] = (1 - 2 * step) * z[row * width + (p % width)] + 2 * step * entry(row, p % width);
    }
    for (let i = 0; i < batch.length; i++) z.set(moved.subarray(i * width, (i + 1) * width), batch[i] * width);
  }
  return z;
}
