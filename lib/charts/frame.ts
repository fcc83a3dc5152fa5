/** The axes of a chart as SVG, and the map from values to page coordinates. */

import type { Axis } from './figure.ts';
import type { Area } from './label-placement.ts';
import { type Scale, tickLabels } from './scale.ts';

/** The area of a panel inside its axes. */
export function plotArea(width: number, height: number): Area {
  return { left: 62, right: width - 14, top: 28, bottom: height - 44 };
}

/** The drawn axes, and the map from values to page coordinates. */
export interface Frame {
  readonly text: string;
  x(value: number): number;
  y(value: number): number;
}

export function drawFrame(x: Axis, y: Axis, xScale: Scale, yScale: Scale, width: number, height: number): Frame {
  const { left, right, top, bottom } = plotArea(width, height);
  const toPage = {
    x: (value: number) => left + xScale.at(value) * (right - left),
    y: (value: number) => bottom - yScale.at(value) * (bottom - top),
  };
  const labels = { x: tickLabels(xScale.ticks), y: tickLabels(yScale.ticks) };
  const lines = [
    ...xScale.ticks.map((tick, i) => {
      const at = round(toPage.x(tick));
      return `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/><text x="${at}" y="${bottom + 16}" text-anchor="middle">${labels.x[i]}</text>`;
    }),
    ...yScale.ticks.map((tick, i) => {
      const at = round(toPage.y(tick));
      return `<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text x="${left - 6}" y="${at + 4}" text-anchor="end">${labels.y[i]}</text>`;
    }),
  ];
  const titles =
    `<text x="${(left + right) / 2}" y="${height - 8}" text-anchor="middle">${escape(x.label)}</text>` +
    `<text transform="translate(14 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(y.label)}</text>`;
  return { text: lines.join('') + titles, ...toPage };
}

/** Escapes text for the content and the attributes of SVG and HTML. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Rounds to tenths of a unit. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
