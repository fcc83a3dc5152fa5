/** The table of the measurements of the demo, for the terminal and for the page. */

import type { Demo, Learned } from './run.ts';
import { formatMilliseconds, formatNumber } from '../../../charts/table.ts';

/** Rows of a name and one cell per method. */
export function demoRows({ eigenvalues, learned }: Demo): string[][] {
  const row = (name: string, cell: (one: Learned) => string): string[] => [name, ...learned.map(cell)];
  return [
    ...eigenvalues.flatMap((value, k) => [
      row(`eigenvalue ${k + 1} (exact: ${value.toFixed(5)})`, (one) => one.eigenvalues[k].toFixed(5)),
      row(`error of eigenvector ${k + 1}`, (one) => formatNumber(one.errors[k])),
    ]),
    row('accuracy on training points', (one) => one.accuracy.seen.toFixed(4)),
    row('accuracy on test points', (one) => one.accuracy.unseen.toFixed(4)),
    row('time', (one) => formatMilliseconds(1000 * one.seconds)),
  ];
}
