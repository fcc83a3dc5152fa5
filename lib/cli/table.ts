/** How do numbers become columns on a terminal? */

/** Rows of text under a header: the first columns, two unless said, to the left and figures to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], left = 2): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column < left ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** Three significant digits, without an exponent where a person can do without. */
export function formatNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1e6 || magnitude < 1e-3) return value.toExponential(2);
  return magnitude >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** A duration given in milliseconds, in the unit that fits. */
export function formatMilliseconds(value: number): string {
  if (value >= 1000) return `${formatNumber(value / 1000)} s`;
  return value >= 1 ? `${formatNumber(value)} ms` : `${formatNumber(value * 1000)} µs`;
}

export function formatRatio(value: number): string {
  return `${formatNumber(value)}×`;
}

/** A few of many: `5, 3, 1`, or the first six and an ellipsis. */
export function formatList(items: readonly (number | string)[]): string {
  return items.length > 6 ? `${items.slice(0, 6).join(', ')}, …` : items.join(', ');
}
