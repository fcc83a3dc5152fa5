/** Pictures of a benchmark: the roofline chart with all products, and bars of what each matrix reaches. */

import { type BarChart, drawBars } from '../../charts/bars.ts';
import { drawFigure } from '../../charts/chart.ts';
import type { Color, LinePanel, Series, Shape } from '../../charts/figure.ts';
import { escape } from '../../charts/frame.ts';
import { htmlPage } from '../../charts/page.ts';
import { chartStyle, chartStyleFor } from '../../charts/palette.ts';
import { stackCharts } from '../../charts/stack.ts';
import { formatNumber } from '../../charts/table.ts';
import { checkChoice } from '../../core/check.ts';
import { type Precision, precisions } from '../../tensor/tensor.ts';
import type { MachineLimits } from '../machine/limits.ts';
import type { BenchmarkRow } from '../measure/measure-rows.ts';
import { type Mode, modes } from '../measure/operations.ts';
import { type Benchmark, checkBenchmark } from './benchmark.ts';
import { describeMachine, describeMatrix, formatBytes, modeNames } from './describe.ts';

const plotFormats = ['svg', 'html'] as const;
const plotThemes = ['auto', 'light', 'dark'] as const;

/** Draws a benchmark: as SVG, or as an HTML page with the tables. Default of `theme`: 'auto', that of the system. */
export function plotBenchmark(
  benchmark: Benchmark,
  format: (typeof plotFormats)[number],
  theme: (typeof plotThemes)[number] = 'auto',
): string {
  checkChoice('plotBenchmark', 'format', format, plotFormats);
  checkChoice('plotBenchmark', 'theme', theme, plotThemes);
  checkBenchmark('plotBenchmark', benchmark);
  const title = titleOf(benchmark);
  const charts = [drawRoofline(benchmark, title), drawShares(benchmark)].filter((chart) => chart !== null);
  const svg = stackCharts(title, charts).replaceAll(chartStyle, chartStyleFor(theme));
  if (format === 'svg') return svg;
  const { machine, limits, matrices } = benchmark;
  const tables = matrices.map((matrix) => `<pre>${escape(describeMatrix(matrix, limits.threads))}</pre>`);
  const body = `<h1>${escape(title)}</h1>\n${svg}\n<pre>${escape(describeMachine(machine, limits))}</pre>\n${tables.join('\n')}`;
  return htmlPage({ title: escape(title), style: `${chartStyleFor(theme)}${pageStyle}`, body });
}

const pageStyle = `
  body { max-width: 1080px; margin: 24px auto; padding: 0 16px; background: var(--page); color: var(--ink); font: 15px system-ui, sans-serif; }
  h1 { font-size: 20px; } svg { width: 100%; height: auto; } pre { overflow-x: auto; font-size: 12px; }`;

function titleOf({ matrices, machine }: Benchmark): string {
  const what = matrices.length === 1 ? matrices[0].name : `${matrices.length} matrices`;
  return `Sparse products: ${what} on ${machine.processor}`;
}

const styles: Readonly<Record<Mode, { readonly color: Color; readonly shape: Shape }>> = {
  plain: { color: 'orange', shape: 'diamond' },
  simd: { color: 'blue', shape: 'round' },
  threads: { color: 'green', shape: 'triangle' },
};

/** One panel per precision: rates of A·X in the given order over flops per byte, below the roofs of levels of memory. */
function drawRoofline({ matrices, limits }: Benchmark, title: string): string {
  const rows = matrices.flatMap((matrix) => matrix.rows.filter(isProduct));
  const panels = precisions
    .map((precision) => ({ precision, own: rows.filter((row) => row.precision === precision) }))
    .filter(({ own }) => own.length > 0)
    .map(({ precision, own }): LinePanel => {
      const intensities = own.map(({ flops, bytes }) => flops / bytes);
      const range = [0.7 * Math.min(...intensities), 1.5 * Math.max(...intensities)];
      return {
        kind: 'lines',
        title: `A·X, ${precision} precision`,
        x: { label: 'flops per byte', scale: 'log' },
        y: { label: 'GFLOP/s', scale: 'log' },
        series: [
          ...roofs(limits, precision, range),
          ...marksOf(own, limits.threads),
          ...(precision === 'single' ? cardMarks(matrices) : []),
        ],
      };
    });
  return drawFigure({ name: 'roofline', title, caption: '', panels }, true);
}

function isProduct({ operation, order }: BenchmarkRow): boolean {
  return operation === 'multiply' && order === 'given';
}

/** The roofs of the fastest and of the slowest level, with one thread and with all. */
function roofs({ bandwidth, peak, threads }: MachineLimits, precision: Precision, range: readonly number[]): Series[] {
  const lines: [threads: 'one' | 'all', color: Color][] = [['one', 'ink']];
  if (threads > 1) lines.push(['all', 'gray']);
  return lines.flatMap(([count, color]) =>
    [bandwidth[0], bandwidth.at(-1)!].map((level, k): Series => {
      const limit = peak[precision][count];
      const ridge = limit / level[count];
      const x = [range[0], ridge, range[1]].filter((at) => at >= range[0] && at <= range[1]);
      const who = count === 'one' ? '1 thread' : `${threads} threads`;
      return {
        name: `limit, ${formatBytes(level.bytes)}, ${who}`,
        color,
        dash: k === 0 ? 'dashed' : 'solid',
        x,
        y: x.map((at) => Math.min(limit, at * level[count])),
      };
    }),
  );
}

function marksOf(rows: readonly BenchmarkRow[], threads: number): Series[] {
  return modes.flatMap((mode): Series[] => {
    const own = rows.filter((row) => row.mode === mode);
    if (own.length === 0) return [];
    const x = own.map(({ flops, bytes }) => flops / bytes);
    return [{ name: modeNames(threads)[mode], ...styles[mode], marks: true, x, y: own.map(({ gflops }) => gflops) }];
  });
}

/** The rates of the graphics card, which is not below these roofs. */
function cardMarks(matrices: Benchmark['matrices']): Series[] {
  const rows = matrices.flatMap(({ webgpu }) => webgpu?.rows ?? []);
  if (rows.length === 0) return [];
  const [x, y] = [rows.map(({ intensity }) => intensity), rows.map(({ gflops }) => gflops)];
  return [{ name: 'WebGPU', color: 'purple', shape: 'square', marks: true, x, y }];
}

/** Bars of the share of the roofline, for the fewest and the most columns up to eight, in single precision if it was measured. */
function drawShares({ matrices, limits }: Benchmark): string | null {
  const rows = matrices.flatMap((matrix) => matrix.rows.filter(isProduct));
  const precision = precisions.find((each) => rows.some((row) => row.precision === each));
  const widths = [...new Set(rows.map(({ columns }) => columns))].toSorted((a, b) => a - b);
  const shown = new Set([widths[0], widths.findLast((width) => width <= 8) ?? widths[0]]);
  const charts = [...shown].map((columns): BarChart => ({
    title: `A·X, ${columns} column${columns === 1 ? '' : 's'}, ${precision} precision, in the given order`,
    axis: { label: 'per cent of the roofline, the fastest mode', include: [0, 100] },
    mark: 100,
    bars: matrices.flatMap((matrix) => {
      const own = matrix.rows.filter((row) => isProduct(row) && row.precision === precision && row.columns === columns);
      if (own.length === 0) return [];
      const best = own.reduce((a, b) => (b.time.median < a.time.median ? b : a));
      const mode = modeNames(limits.threads)[best.mode];
      const pieces = [{ name: mode, color: styles[best.mode].color, value: 100 * best.share }];
      const text = `${Math.round(100 * best.share)} %, ${formatNumber(best.gflops)} GFLOP/s`;
      return [{ name: matrix.name, pieces, text }];
    }),
  }));
  return rows.length === 0 ? null : drawBars('How near each matrix comes to the roofline', charts);
}
