/** Draws figures as SVG: lines with bands, scatter plots and matrices. The SVG has no scripts and no external references. */

import type {
  Axis,
  CloudPanel,
  Color,
  Figure,
  LinePanel,
  MatrixPanel,
  Panel,
  Series,
  ShadedPanel,
  Shape,
} from './figure.ts';
import { drawFrame, escape, type Frame, plotArea, round } from './frame.ts';
import { type Area, placeLabels } from './label-placement.ts';
import { dotsAt, lineThrough, type Point, tenths, verticalLines } from './path.ts';
import { chartStyle, ramp } from './palette.ts';
import { type Scale, scaleOf } from './scale.ts';

const pageWidth = 1080;
const legendLine = 22;

/** An SVG element. `standalone`: include the style sheet, for a file; otherwise the page must contain `chartStyle`. */
export function drawFigure(figure: Figure, standalone: boolean): string {
  const { panels } = figure;
  const columns = columnsFor(panels.length);
  const width = pageWidth / columns;
  const height = panels.every(({ kind }) => kind === 'matrix')
    ? width
    : Math.round(width * (columns === 1 ? 0.42 : columns === 4 ? 0.86 : 0.72));
  const legend = drawLegend(legendOf(panels));
  const rows = Math.ceil(panels.length / columns);
  const cells = panels.map((panel, i) => {
    const [left, top] = [(i % columns) * width, legend.height + Math.floor(i / columns) * height];
    return `<g transform="translate(${left} ${top})">${drawPanel(panel, width, height)}</g>`;
  });
  const total = legend.height + rows * height;
  const style = standalone ? `<style>${chartStyle}\n  svg { background: var(--page); }</style>` : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${pageWidth} ${total}" role="img" aria-label="${escape(figure.title)}">${style}<title>${escape(figure.title)}</title>${legend.text}${cells.join('')}</svg>`;
}

function columnsFor(panels: number): number {
  if (panels <= 3) return panels;
  if (panels === 4) return 2;
  return panels % 3 === 0 && panels <= 6 ? 3 : 4;
}

interface LegendEntry {
  readonly name: string;
  readonly color: Color;
  readonly dash: NonNullable<Series['dash']>;
  /** Null for a line. */
  readonly shape: Shape | null;
  readonly broad?: boolean | undefined;
}

/** The entries of the legend: each name once. */
function legendOf(panels: readonly Panel[]): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (const panel of panels) {
    if (panel.kind === 'lines') {
      for (const { name, color, dash = 'solid', marks, shape = 'round', broad } of panel.series) {
        entries.set(name, { name, color, dash, shape: marks ? shape : null, broad });
      }
    } else if (panel.kind === 'cloud') {
      for (const { name, color } of panel.clouds) {
        entries.set(name, { name, color, dash: 'solid', shape: 'round' });
      }
    }
  }
  return [...entries.values()];
}

function drawLegend(entries: readonly LegendEntry[]): { text: string; height: number } {
  if (entries.length < 2) return { text: '', height: 0 };
  let [left, top] = [8, 14];
  const parts = entries.map(({ name, color, dash, shape, broad }) => {
    const width = 46 + 6.9 * name.length;
    if (left + width > pageWidth) [left, top] = [8, top + legendLine];
    const at = left;
    left += width;
    const symbol = shape
      ? `<path d="${markAt(shape, at + 12, top)}" ${markPaint(color, dash)}/>`
      : `<line x1="${at}" x2="${at + 24}" y1="${top}" y2="${top}" stroke="var(--${color})" ${broad ? 'stroke-width="6" opacity="0.45"' : 'stroke-width="2.5"'}${dashes(dash)}/>`;
    return `${symbol}<text x="${at + 30}" y="${top + 4}">${escape(name)}</text>`;
  });
  return { text: parts.join(''), height: top + legendLine };
}

function dashes(dash: Series['dash'], unit = 1): string {
  const lengths = { solid: null, dashed: [7, 4], dotted: [2, 4] }[dash ?? 'solid'];
  return lengths ? ` stroke-dasharray="${lengths.map((length) => length * unit).join(' ')}"` : '';
}

function drawPanel(panel: Panel, width: number, height: number): string {
  const { left, right } = plotArea(width, height);
  const middle = panel.kind === 'matrix' ? width / 2 : (left + right) / 2;
  const title = `<text class="title" x="${middle}" y="18" text-anchor="middle">${escape(panel.title)}</text>`;
  if (panel.kind === 'matrix') return title + drawMatrix(panel, width);
  if (panel.kind === 'lines') return title + drawLines(panel, width, height);
  return title + drawCloud(panel, width, height);
}

function drawLines({ x, y, series }: LinePanel, width: number, height: number): string {
  const xScale = scaleOf(
    x,
    series.flatMap((one) => one.x),
  );
  const yScale = scaleOf(
    y,
    series.flatMap((one) => [...one.y, ...(one.low ?? []), ...(one.high ?? [])]),
  );
  const frame = drawFrame(x, y, xScale, yScale, width, height);
  const bands = series.map((one, i) => drawSpread(one, frame, yScale, i / series.length));
  const dotted = series.filter(({ dash }) => dash === 'dotted');
  const curves = series.map((one) =>
    one.marks ? drawMarks(one, frame) : drawCurve(one, frame, dashesOf(one, dotted)),
  );
  return frame.text + bands.join('') + curves.join('');
}

/** The dash pattern, in tenths. Dotted curves are interleaved, so that curves that coincide are all visible. */
function dashesOf(one: Series, dotted: readonly Series[]): string {
  const index = dotted.indexOf(one);
  if (index < 0 || dotted.length === 1) return dashes(one.dash, 10);
  return ` stroke-dasharray="30 ${50 * dotted.length - 30}" stroke-dashoffset="${-50 * index}"`;
}

/** A curve with gaps at values that the axes cannot show. */
function drawCurve({ color, broad, x, y }: Series, frame: Frame, dash: string): string {
  const path = lineThrough(y.map((value, i) => [frame.x(x[i]), frame.y(value)]));
  return `<path ${tenths} d="${path}" fill="none" stroke="var(--${color})" ${broad ? 'stroke-width="60" opacity="0.45"' : 'stroke-width="20"'} stroke-linejoin="round"${dash}/>`;
}

function drawMarks({ color, dash, shape = 'round', x, y }: Series, frame: Frame): string {
  const points = y.map((value, i): Point => [frame.x(x[i]), frame.y(value)]);
  const marks = points.filter((point) => point.every(Number.isFinite)).map(([left, top]) => markAt(shape, left, top));
  return `<path d="${marks.join('')}" ${markPaint(color, dash)}/>`;
}

/** The outlines of marks relative to their center, about nine units wide. */
const outlines: Record<Shape, string> = {
  round: 'm-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z',
  square: 'm-4 -4h8v8h-8z',
  diamond: 'm0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z',
  triangle: 'm0 -5l5.5 9h-11z',
  cross: 'm-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z',
};

function markAt(shape: Shape, x: number, y: number): string {
  return `M${round(x)} ${round(y)}${outlines[shape]}`;
}

/** Marks of dashed series are hollow. */
function markPaint(color: Color, dash: Series['dash']): string {
  return dash === 'dashed' ? `fill="none" stroke="var(--${color})" stroke-width="2.5"` : `fill="var(--${color})"`;
}

/** The band or the error bars of a series. `offset`, from 0 to 1, shifts its bars relative to those of other series. */
function drawSpread(
  { color, x, low, high, spread = 'band' }: Series,
  frame: Frame,
  yScale: Scale,
  offset: number,
): string {
  if (!low || !high || low.every((value, i) => value === high[i])) return '';
  const clippedY = (value: number): number => frame.y(Math.max(value, yScale.from)); // clip bands at the edge of the axis
  if (spread === 'bars') {
    const every = Math.max(1, Math.round(x.length / 15));
    const first = every - 1 - Math.floor(offset * every);
    const indices = x.flatMap((_, i) => (i % every === first ? [i] : []));
    const bars = verticalLines(indices.map((i) => [frame.x(x[i]), clippedY(low[i]), clippedY(high[i])]));
    return `<path ${tenths} d="${bars}" stroke="var(--${color})" stroke-width="15" opacity="0.7"/>`;
  }
  const upper = x.map((value, i): Point => [frame.x(value), clippedY(high[i])]);
  const lower = x.map((value, i): Point => [frame.x(value), clippedY(low[i])]).toReversed();
  const points = [...upper, ...lower].filter((point) => point.every(Number.isFinite));
  return `<path ${tenths} d="${lineThrough(points)}z" fill="var(--${color})" opacity="0.18"/>`;
}

function drawCloud(panel: CloudPanel | ShadedPanel, width: number, height: number): string {
  const clouds =
    panel.kind === 'cloud' ? panel.clouds.map((one) => ({ ...one, paint: `var(--${one.color})` })) : shadeGroups(panel);
  const [xs, ys] = [clouds.flatMap(({ x }) => x), clouds.flatMap(({ y }) => y)];
  let [xScale, yScale] = [scaleOf(panel.x, xs), scaleOf(panel.y, ys)];
  if (panel.square) [xScale, yScale] = equalizeScales(panel, xScale, yScale, (width - 76) / (height - 72));
  const frame = drawFrame(panel.x, panel.y, xScale, yScale, width, height);
  const size = Math.min(3, Math.max(1.6, 90 / Math.sqrt(xs.length)));
  const dots = clouds.map(({ x, y, paint }) => {
    const path = dotsAt(x.map((value, i) => [frame.x(value), frame.y(y[i])]));
    return `<path ${tenths} d="${path}" stroke="${paint}" stroke-width="${Math.round(10 * size)}" stroke-linecap="round" fill="none" opacity="0.8"/>`;
  });
  const names = panel.kind === 'cloud' && panel.labeled ? drawCloudNames(panel, frame, plotArea(width, height)) : '';
  return frame.text + dots.join('') + names;
}

/** The names of the clouds at their medians, or next to them if another name is there. */
function drawCloudNames({ clouds }: CloudPanel, frame: Frame, area: Area): string {
  const nonempty = clouds.filter(({ x }) => x.length > 0);
  const letters = nonempty.reduce((most, { name }) => Math.max(most, name.length), 1);
  const centers = placeLabels(
    nonempty.map(({ x, y }) => [frame.x(median(x)), frame.y(median(y))]),
    [10 * letters, 13],
    area,
  );
  return nonempty
    .map(
      ({ name }, i) =>
        `<text class="name" text-anchor="middle" x="${round(centers[i][0])}" y="${round(centers[i][1] + 5)}">${escape(name)}</text>`,
    )
    .join('');
}

/** Widens the narrower axis until one unit has the same length on both axes. */
function equalizeScales(panel: CloudPanel | ShadedPanel, xScale: Scale, yScale: Scale, aspect: number): [Scale, Scale] {
  const [w, h] = [xScale.to - xScale.from, yScale.to - yScale.from];
  const widen = (axis: Axis, { from, to }: Scale, length: number): Scale =>
    scaleOf(axis, [(from + to - length) / 2, (from + to + length) / 2]);
  return w / h < aspect ? [widen(panel.x, xScale, h * aspect), yScale] : [xScale, widen(panel.y, yScale, w / aspect)];
}

/** Groups the points by the steps of the color ramp. */
function shadeGroups({ px, py, shade }: ShadedPanel): { x: number[]; y: number[]; paint: string }[] {
  const min = shade.reduce((best, value) => Math.min(best, value), Infinity);
  const max = shade.reduce((best, value) => Math.max(best, value), -Infinity);
  const groups = ramp.map((_, step) => ({ x: [] as number[], y: [] as number[], paint: `var(--ramp${step})` }));
  for (const [i, value] of shade.entries()) {
    const fraction = max > min ? (value - min) / (max - min) : 0;
    const group = groups[Math.min(ramp.length - 1, Math.floor(fraction * ramp.length))];
    group.x.push(px[i]);
    group.y.push(py[i]);
  }
  return groups;
}

/** Positive entries are blue, negative ones orange; the opacity grows with the magnitude, in steps. Each step is one path. */
function drawMatrix({ size, values, seen }: MatrixPanel, width: number): string {
  const [left, top, side] = [16, 28, width - 32];
  const cell = side / size;
  const largest = values.reduce((best, value) => Math.max(best, Math.abs(value)), 0) || 1;
  const paintOf = (p: number): string => {
    const strength = Math.ceil((5 * Math.abs(values[p])) / largest) / 5;
    if (strength === 0) return '';
    return `stroke="var(--${values[p] > 0 ? 'blue' : 'orange'})" opacity="${(strength * (seen[p] ? 1 : 0.14)).toFixed(2)}"`;
  };
  const paths = new Map<string, string>();
  for (let p = 0, end = 0; p < values.length; p = end) {
    const paint = paintOf(p);
    const row = Math.floor(p / size);
    for (end = p + 1; end < (row + 1) * size && paintOf(end) === paint;) end++;
    if (paint !== '') paths.set(paint, `${paths.get(paint) ?? ''}M${p % size} ${row}h${end - p}`);
  }
  const frame = `<rect x="${left}" y="${top}" width="${round(side)}" height="${round(side)}" fill="none" class="grid"/>`;
  const strokes = [...paths].map(([paint, path]) => `<path ${paint} d="${path}"/>`);
  return `${frame}<g transform="translate(${left} ${round(top + cell / 2)}) scale(${cell})">${strokes.join('')}</g>`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
