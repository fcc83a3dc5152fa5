/** The page of the demo: inline SVG pictures for light and dark mode, without scripts. */

import { htmlPage } from '../../../charts/page.ts';
import type { Demo, Scene } from './run.ts';
import { demoRows } from './table.ts';

const style = `
  :root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --page: #ffffff; --card: #f6f8fa; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --page: #0d1117; --card: #151b23; }
  }
  body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: var(--page); color: var(--ink);
         font: 16px/1.5 system-ui, sans-serif; }
  h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
  p { color: var(--soft); max-width: 46rem; }
  .row { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
  figure { margin: 0; padding: .75rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
  figcaption { font-size: .85rem; color: var(--soft); }
  svg { display: block; width: 100%; height: auto; } .wide svg { min-width: 34rem; }
  table { border-collapse: collapse; } .wide { overflow-x: auto; }
  th, td { padding: .3rem .9rem; border-bottom: 1px solid var(--line); text-align: right; font-variant-numeric: tabular-nums; }
  th:first-child, td:first-child { text-align: left; padding-left: 0; } th { font-weight: 600; }
  .a { color: #0f7fbf; } .b { color: #d9660a; }
  text { fill: var(--soft); font: 11px system-ui, sans-serif; } .axis { stroke: var(--line); }`;

export function drawPage(demo: Demo): string {
  const { learned, curve } = demo;
  const sections = learned.map(
    (one) => `<h2>${one.name}</h2>
<div class="row">
${figure(plotPoints(one.test, byLabel), 'Test points, colored by moon')}
${figure(plotPoints(one.test, byCoordinate(one.test)), 'The same points, colored by their first learned coordinate')}
${figure(plotEmbedding(one.test), 'The second learned coordinate against the first, colored by moon')}
</div>`,
  );
  const body = `<h1>Learned embeddings of two moons</h1>
<p>A graph connects points that are near each other. Its leading eigenvectors separate the moons. Each method below learned
a function that maps any point to these coordinates. The pictures show test points, which were not used for training.</p>
${table(demo)}
${sections.join('\n')}
${curve.length > 1 ? `<h2>SpecNet2 over epochs</h2>\n${figure(plotCurve(demo), 'Fraction of training points assigned to the right moon; dashed: regression on landmarks, which has no epochs', 'wide')}` : ''}`;
  return htmlPage({ title: 'specnet: two moons', style, body });
}

/** A wide figure scrolls on a narrow screen, so that its text stays readable. */
function figure(picture: string, caption: string, layout?: 'wide'): string {
  const labeled = picture.replace('<svg ', `<svg role="img" aria-label="${caption}" `);
  return `<figure>${layout ? `<div class="${layout}">${labeled}</div>` : labeled}<figcaption>${caption}</figcaption></figure>`;
}

function table(demo: Demo): string {
  const line = ([name, ...cells]: string[]): string =>
    `<tr><td>${name[0].toUpperCase()}${name.slice(1)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  const rows = demoRows(demo).map(line);
  const head = `<tr><th></th>${demo.learned.map(({ name }) => `<th>${name}</th>`).join('')}</tr>`;
  return `<div class="wide"><table>\n${head}\n${rows.join('\n')}\n</table></div>`;
}

const [width, height, margin] = [360, 260, 12];

/** The color of point i. */
type Paint = (i: number, scene: Scene) => string;

const byLabel: Paint = (i, { labels }) => `class="${labels[i] === 0 ? 'a' : 'b'}" fill="currentColor"`;

/** A ramp from blue through gray to orange. The sign of a coordinate is arbitrary, so it is chosen to make the first moon blue. */
function byCoordinate({ embedding, labels }: Scene): Paint {
  let [largest, sum] = [0, 0];
  for (const [i, label] of labels.entries()) {
    const value = embedding.data[i * embedding.cols];
    largest = Math.max(largest, Math.abs(value));
    sum += label === 0 ? value : -value;
  }
  const sign = sum > 0 ? -1 : 1;
  const [cold, middle, warm] = [
    [15, 127, 191],
    [140, 140, 140],
    [217, 102, 10],
  ];
  return (i) => {
    const level = largest === 0 ? 0 : (sign * embedding.data[i * embedding.cols]) / largest;
    const end = level < 0 ? cold : warm;
    const mixed = middle.map((part, c) => Math.round(part + Math.abs(level) * (end[c] - part)));
    return `fill="rgb(${mixed.join(' ')})"`;
  };
}

/** A scatter plot of the points themselves. */
function plotPoints(scene: Scene, paint: Paint): string {
  return scatter(scene, scene.points.data, scene.points.cols, paint, true);
}

/** A scatter plot of the learned coordinates. */
function plotEmbedding(scene: Scene): string {
  return scatter(scene, scene.embedding.data, scene.embedding.cols, byLabel, false);
}

/** Plots the first two of `cols` columns. `square`: use the same scale on both axes. */
function scatter(scene: Scene, data: ArrayLike<number>, cols: number, paint: Paint, square: boolean): string {
  const [x, y] = [0, 1].map((j) => rangeOf(data, cols, j));
  const scales = [(width - 2 * margin) / (x.to - x.from || 1), (height - 2 * margin) / (y.to - y.from || 1)];
  const [xScale, yScale] = square ? scales.map(() => Math.min(...scales)) : scales;
  const dots = Array.from(scene.labels, (_, i) => {
    const left = width / 2 + xScale * (data[i * cols] - (x.from + x.to) / 2);
    const top = height / 2 - yScale * (data[i * cols + 1] - (y.from + y.to) / 2);
    return `<circle cx="${left.toFixed(1)}" cy="${top.toFixed(1)}" r="1.6" ${paint(i, scene)}/>`;
  });
  return `<svg viewBox="0 0 ${width} ${height}">${dots.join('')}</svg>`;
}

function rangeOf(data: ArrayLike<number>, cols: number, j: number): { from: number; to: number } {
  let [from, to] = [Infinity, -Infinity];
  for (let at = j; at < data.length; at += cols) {
    from = Math.min(from, data[at]);
    to = Math.max(to, data[at]);
  }
  return { from, to };
}

/** The accuracy over epochs. The axis runs from 0.5, which is chance, to 1. */
function plotCurve({ curve, learned: [regression] }: Demo): string {
  const [wide, high, left] = [720, 220, 44];
  const xOf = (epoch: number): number => left + ((wide - left - margin) * (epoch - 1)) / (curve.length - 1);
  const yOf = (accuracy: number): number => margin + (high - 34 - margin) * (1 - (accuracy - 0.5) / 0.5);
  const marks = [0.5, 0.75, 1].map(
    (level) =>
      `<line class="axis" x1="${left}" x2="${wide - margin}" y1="${yOf(level)}" y2="${yOf(level)}"/>` +
      `<text x="${left - 8}" y="${yOf(level) + 4}" text-anchor="end">${level.toFixed(2)}</text>`,
  );
  const ends = [1, curve.length].map(
    (epoch) => `<text x="${xOf(epoch)}" y="${high - 12}" text-anchor="middle">${epoch}</text>`,
  );
  const path = curve.map(({ epoch, accuracy }) => `${xOf(epoch).toFixed(1)},${yOf(accuracy).toFixed(1)}`).join(' ');
  const level = yOf(regression.accuracy.seen).toFixed(1);
  return `<svg viewBox="0 0 ${wide} ${high}">${marks.join('')}${ends.join('')}
<text x="${(left + wide - margin) / 2}" y="${high - 12}" text-anchor="middle">epoch</text>
<line class="a" stroke="currentColor" stroke-width="2" stroke-dasharray="5 4" x1="${left}" x2="${wide - margin}" y1="${level}" y2="${level}"/>
<polyline class="b" fill="none" stroke="currentColor" stroke-width="2" points="${path}"/></svg>`;
}
