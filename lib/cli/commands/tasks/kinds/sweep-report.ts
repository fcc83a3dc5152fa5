/** The report of a sweep: a table of all runs as CSV, and a chart of their numbers over the first numeric option as SVG. */

import { drawFigure } from '../../../../charts/chart.ts';
import { type Axis, colors, type Curve, type LinePanel, makeSeries, type Series } from '../../../../charts/figure.ts';
import type { GridAxis, GridPoint } from './grid.ts';

/** The numbers of a run, by the name of the column. Null where the command reports none. */
export type Measures = Readonly<Record<string, number | boolean | null>>;

/** A run: the point of the grid, and its numbers, or why there are none. */
export interface SweepRun {
  readonly point: GridPoint;
  readonly measures: Measures;
  readonly problem: string;
}

/** One line for each run, with all options, all numbers, and the problem of a run that was refused. */
export function sweepTable(axes: readonly GridAxis[], measures: readonly string[], runs: readonly SweepRun[]): string {
  const header = ['run', ...axes.map(({ name }) => name), ...measures, 'problem'];
  const lines = runs.map(({ point, measures: numbers, problem }, i) => [
    String(i + 1),
    ...axes.map(({ name }) => point[name]),
    ...measures.map((name) => String(numbers[name] ?? '')),
    problem,
  ]);
  return [header, ...lines].map((line) => `${line.map(quote).join(',')}\n`).join('');
}

function quote(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** More numbers have no place in a chart. */
const mostPanels = 4;

/**
 * A panel for each number. The horizontal axis is the first option with several values that are all numbers, other than the
 * seed; without one, it counts the combinations. Each combination of the others is a series: the mean over seeds, from the
 * least to the greatest.
 */
export function sweepChart(
  title: string,
  axes: readonly GridAxis[],
  measures: readonly string[],
  runs: readonly SweepRun[],
): string {
  const varied = axes.filter(({ name, values }) => name !== 'seed' && values.length > 1);
  const across = varied.find(({ values }) => values.every((value) => value !== '' && Number.isFinite(Number(value))));
  const others = varied.filter((axis) => axis !== across);
  const shown = measures.filter((name) => runs.some(({ measures: numbers }) => typeof numbers[name] === 'number'));
  const panels = (shown.length === 0 ? measures : shown).slice(0, mostPanels).map((measure): LinePanel => ({
    kind: 'lines',
    title: measure,
    x: across ? axisOf(across) : { label: 'combination' },
    y: { label: measure },
    series: across ? curves(measure, across, others, runs) : marks(measure, varied, runs),
  }));
  return drawFigure({ name: 'chart', title, caption: '', panels }, true);
}

/** Logarithmic if the values are positive and each is at least 1.5 times the one before. */
function axisOf({ name, values }: GridAxis): Axis {
  const sorted = values.map(Number).toSorted((a, b) => a - b);
  const isGeometric =
    sorted.length > 2 && sorted.every((value, i) => value > 0 && (i === 0 || value >= 1.5 * sorted[i - 1]));
  return { label: name, scale: isGeometric ? 'log' : 'linear' };
}

function curves(measure: string, across: GridAxis, others: readonly GridAxis[], runs: readonly SweepRun[]): Series[] {
  const names = [...new Set(runs.map((run) => nameOf(run, others)))];
  const xs = [...new Set(across.values.map(Number))].toSorted((a, b) => a - b);
  return names.map((name, s) => {
    const at = xs.map((x) =>
      numbersOf(
        measure,
        runs.filter((run) => nameOf(run, others) === name && Number(run.point[across.name]) === x),
      ),
    );
    return makeSeries({ name, color: colors[s % colors.length], spread: 'bars' }, spreadOf(xs, at));
  });
}

function marks(measure: string, varied: readonly GridAxis[], runs: readonly SweepRun[]): Series[] {
  const names = [...new Set(runs.map((run) => nameOf(run, varied)))];
  return names.map((name, s) => {
    const at = [
      numbersOf(
        measure,
        runs.filter((run) => nameOf(run, varied) === name),
      ),
    ];
    return makeSeries({ name, color: colors[s % colors.length], spread: 'bars', marks: true }, spreadOf([s + 1], at));
  });
}

function nameOf({ point }: SweepRun, axes: readonly GridAxis[]): string {
  return axes.map(({ name }) => `${name} ${point[name]}`).join(', ') || 'all runs';
}

function numbersOf(measure: string, runs: readonly SweepRun[]): number[] {
  return runs.map(({ measures }) => measures[measure]).filter((value) => typeof value === 'number');
}

/** Mean, least and greatest. NaN where there is no number, which leaves a gap. */
function spreadOf(x: readonly number[], groups: readonly (readonly number[])[]): Curve {
  const sum = (group: readonly number[]): number => group.reduce((total, value) => total + value, 0);
  return {
    x,
    y: groups.map((group) => sum(group) / group.length),
    low: groups.map((group) => (group.length === 0 ? NaN : Math.min(...group))),
    high: groups.map((group) => (group.length === 0 ? NaN : Math.max(...group))),
  };
}
