/** How are numbers written for people? Rounded, and in the unit that fits. */

/** Three significant digits, without an exponent where a person can do without. */
export function formatNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1e6 || magnitude < 1e-3) return value.toExponential(2);
  return magnitude >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** A duration given in milliseconds. */
export function formatMilliseconds(value: number): string {
  if (value >= 1000) return `${formatNumber(value / 1000)} s`;
  return value >= 1 ? `${formatNumber(value)} ms` : `${formatNumber(value * 1000)} µs`;
}
