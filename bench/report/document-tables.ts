/**
 * Tables of docs/performance.md that are not simply the rows of a group: one column per load, or per value of a growing
 * parameter.
 */

import { formatMilliseconds } from '../../lib/charts/table.ts';
import { mebibytes, type Row } from './row.ts';

/** A Markdown table. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** One column per load. The layers of a part are added up. */
export function profileTable(rows: readonly Row[]): string {
  const loads = distinct(rows.map(({ size }) => size));
  const whole = new Set(['step', 'step, watched']);
  const parts = distinct(rows.map(withoutLayer).filter((part) => !whole.has(part)));
  const cell = (size: string, part: string): string => {
    const own = rows.filter((row) => row.size === size && withoutLayer(row) === part);
    const time = own.reduce((sum, { ours }) => sum + ours.time, 0);
    const share = own.reduce((sum, row) => sum + (row.share ?? 0), 0);
    return own.length === 0 ? '–' : `${formatMilliseconds(time)}, ${share.toFixed(1)} %`;
  };
  const step = (size: string, threads: 1 | 2): string => {
    const found = rows.find((row) => row.size === size && row.kernel === 'step');
    const other = found?.others['2 threads'];
    if (threads === 1) return found ? formatMilliseconds(found.ours.time) : '–';
    return other && 'ratio' in other ? formatMilliseconds(other.time) : '–';
  };
  const layers = rows.filter(({ kernel }) => / \d+→\d+$/.test(kernel));
  const inDetail = loads.map((size) => {
    const own = layers
      .filter((row) => row.size === size)
      .map(({ kernel, ours }) => `${kernel} ${formatMilliseconds(ours.time)}`);
    return `- ${size}: ${own.join(', ')}.`;
  });
  return [
    table(
      ['part', ...loads],
      [
        ...parts.map((part) => [part].concat(loads.map((size) => cell(size, part)))),
        ['step, one thread', ...loads.map((size) => step(size, 1))],
        ['step, two threads', ...loads.map((size) => step(size, 2))],
      ],
    ),
    'Layer by layer, on one thread:',
    inDetail.join('\n'),
  ].join('\n\n');
}

/** One table per parameter that grows. */
export function growthTables(rows: readonly Row[]): string {
  const courses = distinct(rows.map(({ kernel }) => kernel.split(', by ')[1]));
  return courses
    .map((way) => {
      const own = rows.filter(({ kernel }) => kernel.endsWith(`, by ${way}`));
      const values = distinct(own.map(({ at }) => at));
      const names = distinct(own.map(({ kernel }) => kernel));
      const cell = (name: string, at: number | undefined): string => {
        const found = own.find((row) => row.kernel === name && row.at === at);
        return found ? `${formatMilliseconds(found.ours.time)}, ${mebibytes(found.bytes ?? NaN)}` : '–';
      };
      return table(
        [way, ...values.map(String)],
        names.map((name) => [name.split(', by ')[0]].concat(values.map((value) => cell(name, value)))),
      );
    })
    .join('\n\n');
}

export function steadyTable(rows: readonly Row[]): string {
  const steps = rows.filter(({ at }) => at !== undefined);
  const ends = distinct(steps.map(({ at }) => at));
  const loads = distinct(steps.map(({ size }) => size.replace(/, to \d+$/, '')));
  const cells = ends.map((end) => {
    const each = loads.flatMap((load) => {
      const found = steps.find(({ at, size }) => at === end && size.startsWith(load));
      return found ? [formatMilliseconds(found.ours.time), mebibytes(found.bytes ?? NaN)] : ['–', '–'];
    });
    return [String(end)].concat(each);
  });
  return table(['steps until', ...loads.flatMap((load) => [load, 'heap'])], cells);
}

function withoutLayer({ kernel }: Row): string {
  return kernel.replace(/ \d+→\d+$/, '');
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
