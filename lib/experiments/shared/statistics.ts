/** Statistics over replicas: means, deviations and power laws. Also rounds numbers for JSON. */

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The sample standard deviation, with n − 1 in the denominator. 0 for one value. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1));
}

/** Applies a statistic to each position of several lists, up to the length of the shortest list. */
export function overReplicas(
  lists: readonly (readonly number[])[],
  of: (values: readonly number[]) => number,
): number[] {
  const length = Math.min(...lists.map((list) => list.length));
  return Array.from({ length }, (_, i) => of(lists.map((list) => list[i])));
}

/** The exponent p of the power law |y| ∝ xᵖ, by a least-squares line through (log x, log |y|). */
export function powerLawExponent(x: readonly number[], y: readonly number[]): number {
  const [a, b] = [x.map(Math.log), y.map((value) => Math.log(Math.abs(value)))];
  const [meanA, meanB] = [mean(a), mean(b)];
  let [numerator, denominator] = [0, 0];
  for (const [i, value] of a.entries()) {
    numerator += (value - meanA) * (b[i] - meanB);
    denominator += (value - meanA) ** 2;
  }
  return numerator / denominator;
}

/** The last `count` values, or all if there are fewer. */
export function tail(values: readonly number[], count: number): readonly number[] {
  return values.slice(-count);
}

/** Rounds to significant digits, for JSON. Eight digits are more than any figure shows, and take half the bytes. */
export function roundDigits(values: ArrayLike<number>, digits = 8): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(digits)));
}

/** Rounds to milliseconds, the resolution of thread clocks. */
export function roundSeconds(seconds: number): number {
  return Math.round(1000 * seconds) / 1000;
}
