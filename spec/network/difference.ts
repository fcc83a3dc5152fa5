/** Numerical derivatives by one entry. */

/** A central difference of `value`, which reads the data. Restores the data afterwards. */
export function centralDifference(data: Float32Array | Float64Array, index: number, value: () => number): number {
  const step = 1e-5;
  const middle = data[index];
  data[index] = middle + step;
  const high = value();
  data[index] = middle - step;
  const low = value();
  data[index] = middle;
  return (high - low) / (2 * step);
}
