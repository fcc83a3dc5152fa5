/** What do several replicas say together? Means, spreads, slopes; and numbers rounded for JSON. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** With n − 1 below, and 0 for one value. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** Entry by entry over lists, which may be of different lengths: as far as the shortest goes. */
export function overReplicas(
  lists: readonly (readonly number[])[],
  of: (values: readonly number[]) => number,
): number[] {
  const length = Math.min(...lists.map((list) => list.length));
  return Array.from({ length }, (_, i) => of(lists.map((list) => list[i])));
}

/** Of the straight line through (log x, log y), by least squares: the power with which y grows. */
export function power(x: readonly number[], y: readonly number[]): number {
  const [a, b] = [x.map(Math.log), y.map((value) => Math.log(Math.abs(value)))];
  const [middleA, middleB] = [mean(a), mean(b)];
  let [above, below] = [0, 0];
  for (const [i, value] of a.entries()) {
    above += (value - middleA) * (b[i] - middleB);
    below += (value - middleA) ** 2;
  }
  return above / below;
}

/** The last so many, or all where there are fewer. */
export function tail(values: readonly number[], count: number): readonly number[] {
  return values.slice(-count);
}

/** To so many digits, for JSON: eight are more than any figure shows, and half the bytes. */
export function shortened(values: ArrayLike<number>, digits = 8): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(digits)));
}

/** Seconds to the millisecond, below which clocks of threads tell nothing. */
export function rounded(seconds: number): number {
  return Math.round(1000 * seconds) / 1000;
}
