/** `node --import tsx bench/large/document.ts`: draws the recorded growth, and puts its tables into docs/growth.md, between their marks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawFigure } from '../../lib/charts/chart.ts';
import type { Color, LinePanel, Series, Shape } from '../../lib/charts/figure.ts';
import { formatNumber, formatRatio } from '../../lib/charts/table.ts';
import { table } from '../report/document-tables.ts';
import { fillMarks } from '../report/marks.ts';
import { mebibytes } from '../report/row.ts';
import type { Run, Solver, Task } from './runs.ts';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
export const growthPath = `${docs}growth.md`;
export const growthChartPath = `${docs}growth/growth.svg`;

/** What `npm run bench:large -- --record` has put together. */
export interface Recorded {
  readonly machine: string;
  readonly runs: readonly Run[];
}

export function recordedRuns(): Recorded {
  return JSON.parse(readFileSync(`${docs}growth/runs.json`, 'utf8')) as Recorded;
}

const styles: Record<Solver, { readonly color: Color; readonly shape: Shape }> = {
  specnet: { color: 'blue', shape: 'round' },
  'scikit-learn': { color: 'orange', shape: 'square' },
  lanczos: { color: 'green', shape: 'triangle' },
};

/** The fastest call of a run. */
function timeOf({ seconds }: Run): number {
  return Math.min(...seconds);
}

function growing(runs: readonly Run[], by: Solver): Run[] {
  return runs.filter((run) => run.task === 'model' && run.data === 'Swiss roll' && run.by === by);
}

/**
 * The exponent p of the best line through (log(n·log n), log t): time grows as (n·log n)^p. One means as fast as n·log n, and less
 * means slower.
 */
export function growthExponent(runs: readonly Run[]): number {
  const x = runs.map(({ n }) => Math.log(n * Math.log(n)));
  const y = runs.map((run) => Math.log(timeOf(run)));
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [xMean, yMean] = [mean(x), mean(y)];
  const slope = (other: readonly number[], center: number): number =>
    x.reduce((sum, value, i) => sum + (value - xMean) * (other[i] - center), 0);
  return slope(y, yMean) / slope(x, xMean);
}

/** Seconds, memory and errors by the number of points. The dashed line grows as n·log n from the first time on. */
export function growthChart({ runs }: Recorded): string {
  const ours = growing(runs, 'specnet');
  const both = (value: (run: Run) => number): Series[] =>
    (['specnet', 'scikit-learn'] as const).flatMap((by): Series[] => {
      const own = growing(runs, by);
      const curve = { name: by, ...styles[by], x: own.map(({ n }) => n), y: own.map(value) };
      return own.length === 0 ? [] : [curve, { ...curve, marks: true }];
    });
  const [first] = ours;
  const line = ours.map(({ n }) => (timeOf(first) * n * Math.log(n)) / (first.n * Math.log(first.n)));
  const x = { label: 'points', scale: 'log' } as const;
  const sizes = ours.map(({ n }) => n);
  const panels: LinePanel[] = [
    {
      kind: 'lines',
      title: 'From points to a model',
      x,
      y: { label: 'seconds', scale: 'log' },
      series: [{ name: 'n·log n', color: 'gray', dash: 'dashed', x: sizes, y: line }, ...both(timeOf)],
    },
    {
      kind: 'lines',
      title: 'Memory',
      x,
      y: { label: 'peak, MiB', scale: 'log' },
      series: both(({ peak }) => peak / 2 ** 20),
    },
    {
      kind: 'lines',
      title: 'Distance from the eigenvectors',
      x,
      y: { label: 'largest angle, degrees', include: [0] },
      series: [
        { name: 'specnet', color: 'blue', x: sizes, y: ours.map(({ found }) => found.angle ?? NaN), marks: true },
      ],
    },
  ];
  const title = 'Time, memory and accuracy by the number of points';
  return `${drawFigure({ name: 'growth', title, caption: '', panels }, true)}\n`;
}

const seconds = (value: number): string => formatNumber(value);
const count = (value: number): string => value.toLocaleString('en-US');

/** The tables of the document by name. */
const tables: Record<string, (recorded: Recorded) => string> = {
  machine: ({ machine, runs }) => `${[machine, ...new Set(runs.map(({ version }) => version))].join('; ')}.`,
  growth: ({ runs }) => {
    const ours = growing(runs, 'specnet');
    const rows = ours.map(({ n, found, processor, peak, ...run }) => [
      count(n),
      seconds(timeOf({ n, found, processor, peak, ...run })),
      seconds(run.seconds[0]),
      seconds(Math.min(...processor)),
      mebibytes(peak),
      String(found.landmarks),
      found.gap?.toExponential(1) ?? '–',
      found.angle === undefined ? '–' : `${found.angle.toFixed(2)}°`,
      found.error === undefined ? '–' : `${(100 * found.error).toFixed(0)} %`,
    ]);
    const header = [
      'points',
      's',
      's, first call',
      's, processor',
      'peak',
      'landmarks',
      'gap of f2',
      'angle',
      'error of 1 − λ',
    ];
    return `${table(header, rows)}\n\nThe time grows as (n·log n)^${growthExponent(ours).toFixed(2)}.`;
  },
  model: ({ runs }) => comparison(runs, 'model', 'scikit-learn'),
  pairs: ({ runs }) => comparison(runs, 'pairs', 'scikit-learn'),
  products: ({ runs }) => {
    const rows = runs.flatMap(({ task, data, n, by, found, processor, peak }) =>
      task !== 'pairs' || by === 'scikit-learn'
        ? []
        : [
            [
              `${data}, ${count(n)}`,
              by === 'lanczos' ? 'Lanczos' : (found.solver ?? ''),
              String(found.products),
              String(found.coarseProducts ?? '–'),
              seconds(Math.min(...processor)),
              mebibytes(peak),
            ],
          ],
    );
    return table(['graph', 'solver', 'products, 1e-8', 'products, 1e-5', 's, processor', 'peak'], rows);
  },
};

/** Cases that were measured by us and by another, with how many times as long and as much memory the other took. */
function comparison(runs: readonly Run[], task: Task, rival: Solver): string {
  const rows = runs.flatMap((ours) => {
    if (ours.task !== task || ours.by !== 'specnet') return [];
    const other = runs.find(
      (run) => run.task === task && run.data === ours.data && run.n === ours.n && run.by === rival,
    );
    if (!other) return [];
    return [
      [
        `${ours.data}, ${count(ours.n)}`,
        seconds(timeOf(ours)),
        seconds(timeOf(other)),
        formatRatio(timeOf(other) / timeOf(ours)),
        mebibytes(ours.peak),
        mebibytes(other.peak),
        formatRatio(other.peak / ours.peak),
      ],
    ];
  });
  return table(['data', 's', `s, ${rival}`, 'ratio', 'peak', `peak, ${rival}`, 'ratio'], rows);
}

/** The document with the recorded tables between its marks. */
export function withGrowth(text: string, recorded: Recorded): Promise<string> {
  return fillMarks(text, growthPath, (name) => {
    if (!(name in tables)) throw new RangeError(`withGrowth: expected the name of figures, got ${name}.`);
    return tables[name](recorded);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const recorded = recordedRuns();
  writeFileSync(growthChartPath, growthChart(recorded));
  writeFileSync(growthPath, await withGrowth(readFileSync(growthPath, 'utf8'), recorded));
}
