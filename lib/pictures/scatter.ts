/** A still scatter plot of two coordinates as SVG, with a legend. Every point is drawn. */

import { drawFrame, escape, type Frame, round } from '../charts/frame.ts';
import { chartStyleFor } from '../charts/palette.ts';
import { dotsAt, type Point, tenths } from '../charts/path.ts';
import { scaleOf } from '../charts/scale.ts';
import { rampAt, sequential, type Theme } from '../charts/sequential.ts';
import {
  coloringBy,
  type Coloring,
  type Group,
  markOpacity,
  markSize,
  scaleLabels,
  type Shading,
  fractionOf,
} from './shared/coloring.ts';
import { outlineOf } from './shared/mark.ts';
import { drawOrder } from './shared/draw-order.ts';
import { axisValues, type Picture } from './shared/picture.ts';

const [plotWidth, plotHeight, legendWidth, titleHeight] = [680, 560, 220, 30];
const legendLine = 20;

/** Points are drawn in this many rounds, in each of them one path per color, so that no class covers the others. */
const rounds = 8;

/** The number of colors that a scale of numbers is divided into. */
const scaleSteps = 24;

/** The text of an SVG file. */
export function drawScatter(picture: Picture, theme: Theme | 'auto'): string {
  const coloring = coloringBy(picture, picture.colorBy);
  const hasLegend = coloring.kind === 'scale' || coloring.groups.length > 1;
  const legend = hasLegend ? drawLegend(coloring, picture.colorBy ?? '') : { text: '', height: 0 };
  const [x, y] = axisValues(picture, picture.axes);
  const axes = { x: { label: x.name }, y: { label: y.name } };
  const scales = [scaleOf(axes.x, Array.from(x.values)), scaleOf(axes.y, Array.from(y.values))] as const;
  const frame = drawFrame(axes.x, axes.y, ...scales, plotWidth, plotHeight);
  const size = [plotWidth + (hasLegend ? legendWidth : 0), titleHeight + Math.max(plotHeight, legend.height)];
  const title = escape(picture.title);
  const style = `${chartStyleFor(theme)}\n  ${scaleStyle(theme)}\n  svg { background: var(--page); }`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${size.join(' ')}" width="${size[0]}" height="${size[1]}" role="img" aria-label="${title}">` +
    `<style>${style}</style><title>${title}</title><text class="title" x="16" y="20">${title}</text>` +
    `<g transform="translate(0 ${titleHeight - 14})">${frame.text}${drawPoints(picture, coloring, frame, x.values, y.values)}</g>` +
    `<g transform="translate(${plotWidth + 8} ${titleHeight + 14})">${legend.text}</g></svg>\n`
  );
}

/** One path for the points of each color in each round. */
function drawPoints(picture: Picture, coloring: Coloring, frame: Frame, x: Float32Array, y: Float32Array): string {
  const order = drawOrder(picture.rows);
  const size = markSize(picture.rows) * 0.75;
  const opacity = markOpacity(picture.rows).toFixed(2);
  const paths: string[] = [];
  for (let r = 0; r < rounds; r++) {
    const from = Math.floor((r * order.length) / rounds);
    const to = Math.floor(((r + 1) * order.length) / rounds);
    const points = new Map<string, Point[]>();
    for (const row of order.subarray(from, to)) {
      const key = keyOf(coloring, row);
      const list = points.get(key) ?? [];
      list.push([frame.x(x[row]), frame.y(y[row])]);
      points.set(key, list);
    }
    for (const [key, list] of points) paths.push(drawMarks(coloring, key, list, size, opacity));
  }
  return paths.join('');
}

/** The group of a point, or its step on the color scale. */
function keyOf(coloring: Coloring, row: number): string {
  if (coloring.kind === 'groups') return String(coloring.groupOf[row]);
  const fraction = fractionOf(coloring, coloring.values[row]);
  return Number.isNaN(fraction) ? 'none' : String(Math.min(scaleSteps - 1, Math.floor(fraction * scaleSteps)));
}

function drawMarks(coloring: Coloring, key: string, points: readonly Point[], size: number, opacity: string): string {
  const group = coloring.kind === 'groups' ? coloring.groups[Number(key)] : null;
  const color = group ? `var(--${group.color})` : key === 'none' ? 'var(--pale)' : `var(--scale${key})`;
  if (!group || group.shape === 'round') {
    return `<path ${tenths} d="${dotsAt(points)}" stroke="${color}" stroke-width="${Math.round(10 * size)}" stroke-linecap="round" fill="none" opacity="${opacity}"/>`;
  }
  const marks = points.map(([a, b]) => `M${round(a)} ${round(b)}${outlineOf(group.shape, size)}`);
  return `<path d="${marks.join('')}" fill="${color}" opacity="${opacity}"/>`;
}

function drawLegend(coloring: Coloring, name: string): { text: string; height: number } {
  const heading = `<text class="title" x="0" y="4">${shorten(name)}</text>`;
  const legend = coloring.kind === 'groups' ? drawGroups(coloring.groups) : drawBar(coloring);
  return { text: heading + legend.text, height: legend.height + 40 };
}

function drawGroups(groups: readonly Group[]): { text: string; height: number } {
  const lines = groups.map(({ name, count, color, shape }, i) => {
    const y = (i + 1) * legendLine + 4;
    return `<path d="M6 ${y - 4}${outlineOf(shape, 10)}" fill="var(--${color})"/><text x="18" y="${y}">${shorten(name)} <tspan opacity="0.7">(${count})</tspan></text>`;
  });
  return { text: lines.join(''), height: (groups.length + 1) * legendLine };
}

/** A color bar with the ends and round numbers between them. */
function drawBar(shading: Shading): { text: string; height: number } {
  const [top, height] = [20, 200];
  const steps = Array.from({ length: scaleSteps }, (_, step) => {
    const y = top + ((scaleSteps - 1 - step) * height) / scaleSteps;
    return `<rect x="0" y="${round(y)}" width="16" height="${round(height / scaleSteps + 0.5)}" fill="var(--scale${step})"/>`;
  });
  const { missing } = shading;
  const texts = scaleLabels(shading).map(
    (label, i) => `<text x="22" y="${top + height * (1 - i / 2) + 4}">${label}</text>`,
  );
  const none =
    missing > 0
      ? `<circle cx="8" cy="${top + height + 20}" r="5" fill="var(--pale)"/><text x="22" y="${top + height + 24}">no value (${missing})</text>`
      : '';
  return { text: steps.join('') + texts.join('') + none, height: top + height + (missing > 0 ? 34 : 10) };
}

/** The colors of the scale as CSS variables. */
function scaleStyle(theme: Theme | 'auto'): string {
  const rule = (shown: Theme): string => {
    const colors = Array.from({ length: scaleSteps }, (_, step) => {
      const color = rampAt(sequential[shown], step / (scaleSteps - 1));
      return `--scale${step}: rgb(${color.join(' ')});`;
    });
    return `:root { ${colors.join(' ')} }`;
  };
  if (theme !== 'auto') return rule(theme);
  return `${rule('light')}\n  @media (prefers-color-scheme: dark) { ${rule('dark')} }`;
}

/** Escaped text that fits into the legend. A longer one ends in an ellipsis and has its full text as a title. */
function shorten(text: string): string {
  const most = 22;
  if (text.length <= most) return escape(text);
  return `<title>${escape(text)}</title>${escape(text.slice(0, most - 1))}…`;
}
