/** What did the demonstration measure, in rows? For the terminal and for the page. */

import type { Demo, Learned } from './run.ts';
import { formatMilliseconds, formatNumber } from '../../../charts/table.ts';

/** The name of what was measured, then a cell for each of what was learned. */
export function demoRows({ eigenvalues, learned }: Demo): string[][] {
  const row = (name: string, cell: (one: Learned) => string): string[] => [name, ...learned.map(cell)];
  return [
    ...eigenvalues.flatMap((value, k) => [
      row(`eigenvalue ${k + 1} (exactly ${value.toFixed(5)})`, (one) => one.eigenvalues[k].toFixed(5)),
      row(`error of eigenvector ${k + 1}`, (one) => formatNumber(one.errors[k])),
    ]),
    row('moons told apart, points of fit', (one) => one.accuracy.seen.toFixed(4)),
    row('moons told apart, points never seen', (one) => one.accuracy.unseen.toFixed(4)),
    row('time', (one) => formatMilliseconds(1000 * one.seconds)),
  ];
}
