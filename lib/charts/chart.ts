/** How does a figure become a picture? SVG written by hand: lines with bands, clouds of points, matrices. No script, no network. */

import type {
  Axis,
  CloudPanel,
  Colour,
  Figure,
  LinePanel,
  MatrixPanel,
  Panel,
  Series,
  ShadedPanel,
  Shape,
} from './figure.ts';
import { type Room, spreadOut } from './names.ts';
import { dotsAt, lineThrough, type Point, tenths, uprightsAt } from './path.ts';
import { chartStyle, ramp } from './palette.ts';
import { type Scale, scaleOf, tickTexts } from './scale.ts';

const pageWidth = 1080;
const legendLine = 22;

/** `whole`: a file of its own, with its style; else for a page that has `chartStyle`. */
export function drawFigure(figure: Figure, whole: boolean): string {
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
  const style = whole ? `<style>${chartStyle}\n  svg { background: var(--page); }</style>` : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${pageWidth} ${total}" role="img" aria-label="${escape(figure.title)}">${style}<title>${escape(figure.title)}</title>${legend.text}${cells.join('')}</svg>`;
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function columnsFor(panels: number): number {
  if (panels <= 3) return panels;
  if (panels === 4) return 2;
  return panels % 3 === 0 && panels <= 6 ? 3 : 4;
}

interface Entry {
  readonly name: string;
  readonly colour: Colour;
  readonly dash: NonNullable<Series['dash']>;
  /** Null for a line. */
  readonly shape: Shape | null;
  readonly broad?: boolean | undefined;
}

/** Each name once, however many panels show it. */
function legendOf(panels: readonly Panel[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const panel of panels) {
    if (panel.kind === 'lines') {
      for (const { name, colour, dash = 'solid', marks, shape = 'round', broad } of panel.series) {
        entries.set(name, { name, colour, dash, shape: marks ? shape : null, broad });
      }
    } else if (panel.kind === 'cloud') {
      for (const { name, colour } of panel.clouds) {
        entries.set(name, { name, colour, dash: 'solid', shape: 'round' });
      }
    }
  }
  return [...entries.values()];
}

function drawLegend(entries: readonly Entry[]): { text: string; height: number } {
  if (entries.length < 2) return { text: '', height: 0 };
  let [left, top] = [8, 14];
  const parts = entries.map(({ name, colour, dash, shape, broad }) => {
    const width = 46 + 6.9 * name.length;
    if (left + width > pageWidth) [left, top] = [8, top + legendLine];
    const at = left;
    left += width;
    const sign = shape
      ? `<path d="${markAt(shape, at + 12, top)}" ${markPaint(colour, dash)}/>`
      : `<line x1="${at}" x2="${at + 24}" y1="${top}" y2="${top}" stroke="var(--${colour})" ${broad ? 'stroke-width="6" opacity="0.45"' : 'stroke-width="2.5"'}${dashes(dash)}/>`;
    return `${sign}<text x="${at + 30}" y="${top + 4}">${escape(name)}</text>`;
  });
  return { text: parts.join(''), height: top + legendLine };
}

function dashes(dash: Series['dash'], unit = 1): string {
  const lengths = { solid: null, dashed: [7, 4], dotted: [2, 4] }[dash ?? 'solid'];
  return lengths ? ` stroke-dasharray="${lengths.map((length) => length * unit).join(' ')}"` : '';
}

function drawPanel(panel: Panel, width: number, height: number): string {
  const { left, right } = roomIn(width, height);
  const middle = panel.kind === 'matrix' ? width / 2 : (left + right) / 2;
  const title = `<text class="title" x="${middle}" y="18" text-anchor="middle">${escape(panel.title)}</text>`;
  if (panel.kind === 'matrix') return title + drawMatrix(panel, width);
  if (panel.kind === 'lines') return title + drawLines(panel, width, height);
  return title + drawCloud(panel, width, height);
}

/** The inside of the axes of a panel. */
function roomIn(width: number, height: number): Room {
  return { left: 62, right: width - 14, top: 28, bottom: height - 44 };
}

/** The axes, and from values to places between them. */
interface Frame {
  readonly text: string;
  x(value: number): number;
  y(value: number): number;
}

function drawFrame(x: Axis, y: Axis, across: Scale, up: Scale, width: number, height: number): Frame {
  const { left, right, top, bottom } = roomIn(width, height);
  const place = {
    x: (value: number) => left + across.at(value) * (right - left),
    y: (value: number) => bottom - up.at(value) * (bottom - top),
  };
  const names = { across: tickTexts(across.ticks), up: tickTexts(up.ticks) };
  const lines = [
    ...across.ticks.map((tick, i) => {
      const at = round(place.x(tick));
      return `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/><text x="${at}" y="${bottom + 16}" text-anchor="middle">${names.across[i]}</text>`;
    }),
    ...up.ticks.map((tick, i) => {
      const at = round(place.y(tick));
      return `<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text x="${left - 6}" y="${at + 4}" text-anchor="end">${names.up[i]}</text>`;
    }),
  ];
  const labels =
    `<text x="${(left + right) / 2}" y="${height - 8}" text-anchor="middle">${escape(x.label)}</text>` +
    `<text transform="translate(14 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(y.label)}</text>`;
  return { text: lines.join('') + labels, ...place };
}

function drawLines({ x, y, series }: LinePanel, width: number, height: number): string {
  const across = scaleOf(
    x,
    series.flatMap((one) => one.x),
  );
  const up = scaleOf(
    y,
    series.flatMap((one) => [...one.y, ...(one.low ?? []), ...(one.high ?? [])]),
  );
  const frame = drawFrame(x, y, across, up, width, height);
  const bands = series.map((one, i) => drawSpread(one, frame, up, i / series.length));
  const dotted = series.filter(({ dash }) => dash === 'dotted');
  const curves = series.map((one) =>
    one.marks ? drawMarks(one, frame) : drawCurve(one, frame, dashesOf(one, dotted)),
  );
  return frame.text + bands.join('') + curves.join('');
}

/** Dotted curves take turns, so that those on one level are all in sight. In tenths. */
function dashesOf(one: Series, dotted: readonly Series[]): string {
  const turn = dotted.indexOf(one);
  if (turn < 0 || dotted.length === 1) return dashes(one.dash, 10);
  return ` stroke-dasharray="30 ${50 * dotted.length - 30}" stroke-dashoffset="${-50 * turn}"`;
}

/** Gaps where a value cannot be shown. */
function drawCurve({ colour, broad, x, y }: Series, frame: Frame, dash: string): string {
  const path = lineThrough(y.map((value, i) => [frame.x(x[i]), frame.y(value)]));
  return `<path ${tenths} d="${path}" fill="none" stroke="var(--${colour})" ${broad ? 'stroke-width="60" opacity="0.45"' : 'stroke-width="20"'} stroke-linejoin="round"${dash}/>`;
}

function drawMarks({ colour, dash, shape = 'round', x, y }: Series, frame: Frame): string {
  const points = y.map((value, i): Point => [frame.x(x[i]), frame.y(value)]);
  const marks = points.filter((point) => point.every(Number.isFinite)).map(([left, top]) => markAt(shape, left, top));
  return `<path d="${marks.join('')}" ${markPaint(colour, dash)}/>`;
}

/** Around a place, about nine wide. */
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

/** Dashed means hollow. */
function markPaint(colour: Colour, dash: Series['dash']): string {
  return dash === 'dashed' ? `fill="none" stroke="var(--${colour})" stroke-width="2.5"` : `fill="var(--${colour})"`;
}

/** `turn`, from 0 to 1: where between two places of bars those of this curve stand. */
function drawSpread({ colour, x, low, high, spread = 'band' }: Series, frame: Frame, up: Scale, turn: number): string {
  if (!low || !high || low.every((value, i) => value === high[i])) return '';
  const down = (value: number): number => frame.y(Math.max(value, up.from)); // a band that leaves the axis ends at its edge
  if (spread === 'bars') {
    const every = Math.max(1, Math.round(x.length / 15));
    const first = every - 1 - Math.floor(turn * every);
    const places = x.flatMap((_, i) => (i % every === first ? [i] : []));
    const bars = uprightsAt(places.map((i) => [frame.x(x[i]), down(low[i]), down(high[i])]));
    return `<path ${tenths} d="${bars}" stroke="var(--${colour})" stroke-width="15" opacity="0.7"/>`;
  }
  const there = x.map((value, i): Point => [frame.x(value), down(high[i])]);
  const back = x.map((value, i): Point => [frame.x(value), down(low[i])]).toReversed();
  const points = [...there, ...back].filter((point) => point.every(Number.isFinite));
  return `<path ${tenths} d="${lineThrough(points)}z" fill="var(--${colour})" opacity="0.18"/>`;
}

function drawCloud(panel: CloudPanel | ShadedPanel, width: number, height: number): string {
  const clouds =
    panel.kind === 'cloud' ? panel.clouds.map((one) => ({ ...one, paint: `var(--${one.colour})` })) : shades(panel);
  const [xs, ys] = [clouds.flatMap(({ x }) => x), clouds.flatMap(({ y }) => y)];
  let [across, up] = [scaleOf(panel.x, xs), scaleOf(panel.y, ys)];
  if (panel.square) [across, up] = squared(panel, across, up, (width - 76) / (height - 72));
  const frame = drawFrame(panel.x, panel.y, across, up, width, height);
  const size = Math.min(3, Math.max(1.6, 90 / Math.sqrt(xs.length)));
  const dots = clouds.map(({ x, y, paint }) => {
    const path = dotsAt(x.map((value, i) => [frame.x(value), frame.y(y[i])]));
    return `<path ${tenths} d="${path}" stroke="${paint}" stroke-width="${Math.round(10 * size)}" stroke-linecap="round" fill="none" opacity="0.8"/>`;
  });
  const names = panel.kind === 'cloud' && panel.named ? drawNames(panel, frame, roomIn(width, height)) : '';
  return frame.text + dots.join('') + names;
}

/** At the medians, or beside them where another name stands there. */
function drawNames({ clouds }: CloudPanel, frame: Frame, room: Room): string {
  const there = clouds.filter(({ x }) => x.length > 0);
  const letters = there.reduce((most, { name }) => Math.max(most, name.length), 1);
  const places = spreadOut(
    there.map(({ x, y }) => [frame.x(median(x)), frame.y(median(y))]),
    [10 * letters, 13],
    room,
  );
  return there
    .map(
      ({ name }, i) =>
        `<text class="name" text-anchor="middle" x="${round(places[i][0])}" y="${round(places[i][1] + 5)}">${escape(name)}</text>`,
    )
    .join('');
}

/** The narrower axis is widened until one unit is as long on both. */
function squared(panel: CloudPanel | ShadedPanel, across: Scale, up: Scale, aspect: number): [Scale, Scale] {
  const [w, h] = [across.to - across.from, up.to - up.from];
  const widen = (axis: Axis, { from, to }: Scale, length: number): Scale =>
    scaleOf(axis, [(from + to - length) / 2, (from + to + length) / 2]);
  return w / h < aspect ? [widen(panel.x, across, h * aspect), up] : [across, widen(panel.y, up, w / aspect)];
}

function shades({ px, py, shade }: ShadedPanel): { x: number[]; y: number[]; paint: string }[] {
  const least = shade.reduce((best, value) => Math.min(best, value), Infinity);
  const most = shade.reduce((best, value) => Math.max(best, value), -Infinity);
  const groups = ramp.map((_, step) => ({ x: [] as number[], y: [] as number[], paint: `var(--ramp${step})` }));
  for (const [i, value] of shade.entries()) {
    const share = most > least ? (value - least) / (most - least) : 0;
    const group = groups[Math.min(ramp.length - 1, Math.floor(share * ramp.length))];
    group.x.push(px[i]);
    group.y.push(py[i]);
  }
  return groups;
}

/** Positive entries blue, negative orange, the stronger the larger; in steps, each of which is one path of strokes as high as a row. */
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

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
