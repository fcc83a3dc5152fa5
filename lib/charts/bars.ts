/** Bar charts as SVG, in the style of the other charts: the name at the left of each bar, its value at the right. */

import { escape, round } from './frame.ts';
import type { Axis, Color } from './figure.ts';
import { chartStyle } from './palette.ts';
import { scaleOf, tickLabels } from './scale.ts';

export interface Bar {
  readonly name: string;
  /** Drawn one after another, from the left. */
  readonly pieces: readonly { readonly name: string; readonly color: Color; readonly value: number }[];
  /** Written beside the end of the bar. */
  readonly text: string;
}

export interface BarChart {
  readonly title: string;
  /** Starts at 0, or at 1 if it is logarithmic. */
  readonly axis: Axis;
  readonly bars: readonly Bar[];
  /** The value at which a line crosses all bars. */
  readonly mark?: number;
}

const pageWidth = 1080;
const barHeight = 18;
const lineHeight = 26;
const charWidth = 6.9;
const places = { left: 330, right: pageWidth - 90 };

/** An SVG file with the charts below each other and one legend. */
export function drawBars(title: string, charts: readonly BarChart[]): string {
  const names = new Map<string, Color>();
  for (const { bars } of charts)
    for (const { pieces } of bars) for (const { name, color } of pieces) names.set(name, color);
  const legend = drawLegend(names);
  let top = legend.height;
  const parts = charts.map((chart) => {
    const part = `<g transform="translate(0 ${top})">${drawChart(chart)}</g>`;
    top += heightOf(chart);
    return part;
  });
  const style = `<style>${chartStyle}\n  svg { background: var(--page); } .chart .bar { fill: var(--ink); stroke: var(--page); stroke-width: 3px; paint-order: stroke; }</style>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${pageWidth} ${top}" role="img" aria-label="${escape(title)}">${style}<title>${escape(title)}</title>${legend.text}${parts.join('')}</svg>\n`;
}

function heightOf({ bars }: BarChart): number {
  return 34 + bars.length * lineHeight + 52;
}

function drawLegend(names: ReadonlyMap<string, Color>): { text: string; height: number } {
  if (names.size < 2) return { text: '', height: 8 };
  let left = 8;
  let top = 18;
  const parts = [...names].map(([name, color]) => {
    const width = 34 + charWidth * name.length;
    if (left + width > pageWidth) {
      left = 8;
      top += 22;
    }
    const at = left;
    left += width;
    return `<rect x="${at}" y="${top - 10}" width="14" height="12" fill="var(--${color})"/><text x="${at + 20}" y="${top}">${escape(name)}</text>`;
  });
  return { text: parts.join(''), height: top + 18 };
}

function drawChart({ title, axis, bars, mark }: BarChart): string {
  const start = axis.scale === 'log' ? 1 : 0;
  const totals = bars.map(({ pieces }) => pieces.reduce((sum, { value }) => sum + value, 0));
  const scale = scaleOf(axis, [start, ...totals, ...(mark === undefined ? [] : [mark])]);
  const from = scale.at(start);
  const place = (value: number): number =>
    places.left + ((scale.at(Math.max(value, start)) - from) / (1 - from)) * (places.right - places.left);
  const bottom = 34 + bars.length * lineHeight;
  const ticks = scale.ticks.filter((tick) => tick >= start);
  const names = tickLabels(ticks);
  const grid = ticks.map(
    (tick, i) =>
      `<line class="grid" x1="${round(place(tick))}" x2="${round(place(tick))}" y1="30" y2="${bottom}"/><text x="${round(place(tick))}" y="${bottom + 16}" text-anchor="middle">${names[i]}</text>`,
  );
  const lines = bars.map(({ name, pieces, text }, i) => {
    const top = 34 + i * lineHeight;
    let sum = 0;
    const rectangles = pieces.map(({ name: piece, color, value }) => {
      const left = place(sum);
      sum += value;
      const width = Math.max(0, place(sum) - left);
      return `<rect x="${round(left)}" y="${top}" width="${round(width)}" height="${barHeight}" fill="var(--${color})"><title>${escape(`${name}: ${piece}`)}</title></rect>`;
    });
    return {
      shape: `<text x="${places.left - 8}" y="${top + 13}" text-anchor="end">${escape(name)}</text>${rectangles.join('')}`,
      words: `<text class="bar" x="${round(place(sum)) + 6}" y="${top + 13}">${escape(text)}</text>`,
    };
  });
  const goal =
    mark === undefined
      ? ''
      : `<line x1="${round(place(mark))}" x2="${round(place(mark))}" y1="26" y2="${bottom}" stroke="var(--ink)" stroke-width="1.5" stroke-dasharray="5 4"/>`;
  return `<text class="title" x="8" y="18">${escape(title)}</text>${grid.join('')}${lines.map(({ shape }) => shape).join('')}${goal}${lines.map(({ words }) => words).join('')}<text x="${(places.left + places.right) / 2}" y="${bottom + 36}" text-anchor="middle">${escape(axis.label)}</text>`;
}
