/** A sample of the points of a training. */

/** The largest number of points in a sample. */
const most = 1024;

/** The numbers of up to 1024 of `size` points, evenly spaced among all. */
export function evenlySpaced(size: number): Int32Array {
  const count = Math.min(size, most);
  return Int32Array.from({ length: count }, (_, i) => Math.floor((i * size) / count));
}
