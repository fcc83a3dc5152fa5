/** Columns whose values rise or fall by the same amount in every row, as row numbers and ids do. */

/** The rounding of numbers that were added up or stored in single precision, relative to the largest. */
const stepRounding = 2 ** -22;

/** The difference from each of `count` values to the next, if it is the same for all up to rounding; else 0. `first` is the place of the first. */
export function constantStep(
  values: ArrayLike<number>,
  first = 0,
  stride = 1,
  count = Math.ceil((values.length - first) / stride),
): number {
  const [start, last] = [values[first], values[first + (count - 1) * stride]];
  const step = (last - start) / (count - 1);
  const tolerance = Math.min(Math.abs(step) / 8, stepRounding * Math.max(Math.abs(start), Math.abs(last)));
  for (let k = 0, at = first; k < count; k++, at += stride) {
    if (!(Math.abs(values[at] - (start + k * step)) <= tolerance)) return 0;
  }
  return count > 1 ? step : 0;
}
