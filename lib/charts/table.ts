/** Text tables for the terminal, and short formats of numbers and lists. */

import { formatNumber } from '../core/readable.ts';

export { formatMilliseconds, formatNumber } from '../core/readable.ts';

/** A table with a header. The first `left` columns are left-aligned, the others right-aligned. Default of `left`: 2. */
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

export function formatRatio(value: number): string {
  return `${formatNumber(value)}×`;
}

/** A list such as `5, 3, 1`. Of more than six items, the first six and an ellipsis. */
export function formatList(items: readonly (number | string)[]): string {
  return items.length > 6 ? `${items.slice(0, 6).join(', ')}, …` : items.join(', ');
}
