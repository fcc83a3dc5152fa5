/** Numbers and durations for display, rounded. */

/** Three significant digits. Uses an exponent only below 10⁻³ and from 10⁶ on. */
export function formatNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1e6 || magnitude < 1e-3) return value.toExponential(2);
  return magnitude >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** A duration given in milliseconds, shown in s, ms or µs. */
export function formatMilliseconds(value: number): string {
  if (value >= 1000) return `${formatNumber(value / 1000)} s`;
  return value >= 1 ? `${formatNumber(value)} ms` : `${formatNumber(value * 1000)} µs`;
}
