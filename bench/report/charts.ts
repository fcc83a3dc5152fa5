/** The charts of a run. Each is drawn from the rows of one or two groups, if they were measured. */

import { drawFigure } from '../../lib/charts/chart.ts';
import { type Color, colors, type LinePanel, type Series } from '../../lib/charts/figure.ts';
import { formatMilliseconds, formatNumber } from '../../lib/charts/table.ts';
import { type Bar, type BarChart, drawBars } from '../../lib/charts/bars.ts';
import { cFlavours } from '../competitors/c-loop.ts';
import type { TimeFigures } from '../quality/section.ts';
import type { Report } from './report.ts';
import type { Row } from './row.ts';

/** SVG texts by file name. */
export function chartsOf(report: Report): Record<string, string> {
  const { groups, quality } = report;
  const rows = (name: keyof Report['groups']): readonly Row[] => groups[name]?.rows ?? [];
  const charts: Record<string, string | null> = {
    'profile.svg': profileChart(rows('profile')),
    'kernels.svg': kernelChart(rows('dense'), rows('sparse')),
    'training.svg': trainingChart(rows('train')),
    'growth.svg': growthChart(rows('growth')),
    'steady.svg': steadyChart(rows('steady')),
    'quality.svg': qualityChart(quality.map(({ title, figures }) => ({ title, figures: figures as TimeFigures }))),
  };
  return Object.fromEntries(Object.entries(charts).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Colors of the parts of a step by the prefix of their names, so that all layers of one kind share a color. */
const partColors: readonly (readonly [string, Color])[] = [
  ['neighborhood', 'yellow'],
  ['gather', 'orange'],
  ['forward', 'blue'],
  ['moments', 'purple'],
  ['gradient', 'wine'],
  ['backward', 'green'],
  ['optimizer', 'vermilion'],
  ['tape', 'sky'],
  ['chain', 'sky'],
  ['rest', 'gray'],
];

function profileChart(rows: readonly Row[]): string | null {
  if (rows.length === 0) return null;
  const loads = [...new Set(rows.map(({ size }) => size))];
  const bars: Bar[] = loads.flatMap((size) => {
    const own = rows.filter((row) => row.size === size);
    const [whole] = own;
    const measured = partColors.filter(([name]) => rows.some(({ kernel }) => kernel.startsWith(name)));
    const pieces = measured.map(([name, color]) => ({
      name,
      color,
      value: own.filter(({ kernel }) => kernel.startsWith(name)).reduce((sum, { share = 0 }) => sum + share, 0),
    }));
    return [{ name: size, pieces, text: formatMilliseconds(whole.ours.time) }];
  });
  const axis = { label: 'per cent of a step on one thread', include: [100] };
  return drawBars('Where the time of a training step goes', [{ title: 'Parts of a training step', axis, bars }]);
}

const productColors: Readonly<Record<string, Color>> = {
  A·B: 'blue',
  Aᵀ·B: 'sky',
  A·Bᵀ: 'purple',
  S·X: 'green',
  Sᵀ·X: 'yellow',
};

function kernelChart(dense: readonly Row[], sparse: readonly Row[]): string | null {
  const bar = ({ kernel, size }: Row, percent: number): Bar =>
    barOf(`${kernel} ${size}`, kernel, productColors[kernel] ?? 'gray', percent, ' %');
  const peaks = dense.flatMap((row) => (row.percentOfPeak === null ? [] : [bar(row, row.percentOfPeak)]));
  const [flavour] = cFlavours;
  const loops = sparse.flatMap((row) => {
    const found = row.others[flavour];
    return found && 'ratio' in found ? [bar(row, 100 * found.ratio)] : [];
  });
  return drawAll('Kernels against the machine', [
    { title: 'Dense products', axis: { label: 'per cent of the 128-bit ceiling' }, bars: peaks, mark: 90 },
    {
      title: 'Sparse products',
      axis: { label: 'per cent of the speed of a C loop in 128-bit intrinsics' },
      bars: loops,
      mark: 80,
    },
  ]);
}

function barOf(name: string, piece: string, color: Color, value: number, unit: string): Bar {
  return { name, pieces: [{ name: piece, color, value }], text: formatNumber(value) + unit };
}

/** Draws the charts that have at least one bar. Null if there are none. */
function drawAll(title: string, charts: readonly BarChart[]): string | null {
  const shown = charts.filter(({ bars }) => bars.length > 0);
  return shown.length > 0 ? drawBars(title, shown) : null;
}

const rivalColors: Readonly<Record<string, Color>> = {
  'tfjs-wasm': 'orange',
  'tfjs-cpu': 'vermilion',
  '1 thread': 'blue',
};

/** How many times as long as ours the competitors take. */
function trainingChart(rows: readonly Row[]): string | null {
  const bars = (kernel: string): Bar[] =>
    rows
      .filter((row) => row.kernel === kernel)
      .flatMap(({ size, others }) =>
        Object.entries(others).flatMap(([rival, found]) =>
          'ratio' in found
            ? [barOf(size.replace(/, \d[\d-]*,/, ','), rival, rivalColors[rival] ?? 'gray', found.ratio, '×')]
            : [],
        ),
      );
  return drawAll('Training steps against others', [
    {
      title: 'The same step in tfjs',
      axis: { label: 'times as long as ours', scale: 'log' },
      bars: bars('step'),
      mark: 10,
    },
    {
      title: 'The same step on one thread',
      axis: { label: 'times as long as on two', include: [1] },
      bars: bars('step, 2 threads'),
      mark: 1.6,
    },
  ]);
}

/** One panel per parameter that grows: times in the upper row, memory in the lower row. */
function growthChart(rows: readonly Row[]): string | null {
  if (rows.length === 0) return null;
  const ways = [...new Set(rows.map(({ kernel }) => kernel.split(', by ')[1]))];
  const names = [...new Set(rows.map(({ kernel }) => kernel.split(', by ')[0]))];
  const panel = (way: string, label: string, value: (row: Row) => number, include: number[]): LinePanel => ({
    kind: 'lines',
    title: `by ${way}`,
    x: { label: way, scale: 'log' },
    y: { label, scale: 'log', include },
    series: names.flatMap((name, i): Series[] => {
      const own = rows.filter(({ kernel }) => kernel === `${name}, by ${way}`);
      if (own.length === 0) return [];
      const dash = name.startsWith('network') ? 'dashed' : 'solid';
      return [{ name, color: colors[i], dash, x: own.map(({ at }) => at!), y: own.map(value) }];
    }),
  });
  const panels = [
    ...ways.map((way) => panel(way, 'µs a step', ({ ours }) => 1000 * ours.time, [1, 1000])),
    ...ways.map((way) => panel(way, 'resident MiB', ({ bytes = NaN }) => bytes / 2 ** 20, [100, 1000])),
  ];
  return `${drawFigure({ name: 'growth', title: 'How a neighbor step grows', caption: '', panels }, true)}\n`;
}

function steadyChart(rows: readonly Row[]): string | null {
  const steps = rows.filter(({ at }) => at !== undefined);
  if (steps.length === 0) return null;
  const loads = [...new Set(steps.map(({ size }) => size.replace(/, to \d+$/, '')))];
  const panel = (title: string, label: string, value: (row: Row, first: Row) => number): LinePanel => ({
    kind: 'lines',
    title,
    x: { label: 'steps', include: [0] },
    y: { label, include: [0] },
    series: loads.map((name, i) => {
      const own = steps.filter(({ size }) => size.startsWith(name));
      return { name, color: colors[i], x: own.map(({ at }) => at!), y: own.map((row) => value(row, own[0])) };
    }),
  });
  const panels = [
    panel('steps per second', 'of the first stretch', (row, first) => first.ours.time / row.ours.time),
    panel('heap after collection', 'MiB', ({ bytes = NaN }) => bytes / 2 ** 20),
  ];
  return `${drawFigure({ name: 'steady', title: 'Steps over a long training', caption: '', panels }, true)}\n`;
}

/** The eigensolver has no gap: a vertical line marks the time at which it finishes. */
function qualityChart(sections: readonly { title: string; figures: TimeFigures }[]): string | null {
  if (sections.length === 0) return null;
  const panels = sections.map(({ title, figures: { lines, trace } }): LinePanel => {
    const direct = lines[lines.length - 1];
    const gaps = [...lines.slice(0, -1), ...trace].map(({ gap }) => gap);
    const others = lines.slice(0, -1).filter(({ name }) => !name.startsWith('SpecNet2'));
    return {
      kind: 'lines',
      title: title.split(',')[0],
      x: { label: 'seconds of processor time', scale: 'log' },
      y: { label: title.startsWith('MNIST') ? 'f2 − f2*' : 'error', scale: 'log' },
      series: [
        {
          name: 'SpecNet2 neighbor, as in the paper',
          color: 'vermilion',
          x: trace.map(({ seconds }) => seconds),
          y: trace.map(({ gap }) => gap),
        },
        ...['Ritz head', 'regression'].map((name, i): Series => {
          const own = others.filter((line) => line.name.startsWith(name));
          return {
            name,
            color: i === 0 ? 'blue' : 'green',
            marks: true,
            shape: i === 0 ? 'round' : 'square',
            x: own.map(({ seconds }) => seconds),
            y: own.map(({ gap }) => gap),
          };
        }),
        {
          name: 'direct eigensolver, exact',
          color: 'ink',
          dash: 'dashed',
          x: [direct.seconds, direct.seconds],
          y: [Math.min(...gaps), Math.max(...gaps)],
        },
      ],
    };
  });
  return `${drawFigure({ name: 'quality', title: 'Time to quality', caption: '', panels }, true)}\n`;
}
