/** Statistics of samples for the specs of data sets. */

/** The mean of xᵏ. */
export function moment(values: ArrayLike<number>, k: number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ** k;
  return sum / values.length;
}

export function offset(a: number, b: number): number {
  return Math.abs(a - b);
}
