/** How do numbers become columns on a terminal? */

import { formatNumber } from '../core/readable.ts';

export { formatMilliseconds, formatNumber } from '../core/readable.ts';

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

export function formatRatio(value: number): string {
  return `${formatNumber(value)}×`;
}

/** A few of many: `5, 3, 1`, or the first six and an ellipsis. */
export function formatList(items: readonly (number | string)[]): string {
  return items.length > 6 ? `${items.slice(0, 6).join(', ')}, …` : items.join(', ');
}
