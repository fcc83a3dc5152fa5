/**
 * `node --import tsx docs/build/pictures.ts`: draws the pictures of docs/guide/how-it-works.md and docs/guide/plots.md from
 * results of the library.
 */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { twoMoons } from '../../datasets/moons.ts';
import { plotDigits } from './digits-plot.ts';
import { buildGraph, SpectralEmbedding, spectrum, tensor } from '../../lib/index.ts';

const [width, height] = [420, 270];
const folder = fileURLToPath(new URL('../guide/pictures/', import.meta.url));
const { points, labels } = twoMoons({ n: 500, seed: 1 });
const recipe = { kind: 'gaussian', sigma: 0.15, threshold: 0.08 } as const;
const graph = await buildGraph(points, recipe);

const left = (x: number): number => width / 2 + 125 * x;
const top = (y: number): number => height / 2 - 125 * y;
const place = (i: number): [string, string] => [
  left(points.data[2 * i]).toFixed(1),
  top(points.data[2 * i + 1]).toFixed(1),
];

/** A color from blue through gray to orange, for −1 to 1. */
function diverging(share: number): string {
  const end = share < 0 ? [14, 140, 198] : [240, 120, 30];
  const mix = end.map((part) => Math.round(150 + Math.min(1, Math.abs(share)) * (part - 150)));
  return `#${mix.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function dots(color: (i: number) => string): string {
  const groups = new Map<string, string[]>();
  for (let i = 0; i < points.rows; i++) {
    const [cx, cy] = place(i);
    const list = groups.get(color(i)) ?? [];
    list.push(`M${cx} ${cy}h0`);
    groups.set(color(i), list);
  }
  return [...groups].map(([fill, list]) => `<path stroke="${fill}" d="${list.join('')}"/>`).join('');
}

function picture(name: string, wide: number, content: string): void {
  const style = 'fill="none" stroke-width="4.4" stroke-linecap="round"';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${height}" ${style}>${content}</svg>\n`;
  writeFileSync(`${folder}${name}.svg`, svg);
}

// The graph.
const edges: string[] = [];
let seen = 0;
for (let i = 0; i < graph.size; i++) {
  for (let e = graph.weights.starts[i]; e < graph.weights.starts[i + 1]; e++) {
    const j = graph.weights.columns[e];
    if (j > i && seen++ % 9 === 0) edges.push(`M${place(i).join(' ')}L${place(j).join(' ')}`);
  }
}
const lines = `<path stroke="#8a97a8" stroke-opacity=".3" stroke-width=".7" d="${edges.join('')}"/>`;
picture('graph', width, lines + dots((i) => (labels![i] === 0 ? '#0ea5c6' : '#f58025')));

// Its eigenvectors. Colors are quantized, so that points of one color share a path.
const { vectors } = await spectrum(graph, { count: 3 });
const stepped = (value: number): string => diverging(Math.round(value * 6) / 6);
const colored = [1, 2].map((k) => {
  const column = Array.from({ length: points.rows }, (_, i) => vectors.data[3 * i + k]);
  const largest = Math.max(...column.map(Math.abs));
  return `<g transform="translate(${(k - 1) * width} 0)">${dots((i) => stepped(column[i] / largest))}</g>`;
});
picture('eigenvectors', 2 * width, colored.join(''));

// The learned function on a grid, and the points that it was learned from.
const fitted = await new SpectralEmbedding({ components: 1, graph: recipe, seed: 1 }).fit(points);
const side = 6;
const [columns, rows] = [width / side, height / side];
const grid = Array.from({ length: columns * rows }, (_, p) => [
  (((p % columns) + 0.5) * side - width / 2) / 125,
  (height / 2 - (Math.floor(p / columns) + 0.5) * side) / 125,
]);
const values = [...fitted.transform(tensor(grid)).data];
const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const cells = new Map<string, string[]>();
for (const [p, value] of values.entries()) {
  const fill = stepped(value / largest);
  const list = cells.get(fill) ?? [];
  list.push(`M${(p % columns) * side} ${Math.floor(p / columns) * side}h${side}v${side}h-${side}z`);
  cells.set(fill, list);
}
const squares = [...cells].map(([fill, list]) => `<path fill="${fill}" stroke="none" d="${list.join('')}"/>`);
const overlay = `<g stroke-opacity=".55" stroke-width="2.5">${dots(() => '#10151f')}</g>`;
picture('function', width, `<g opacity=".85">${squares.join('')}</g>${overlay}`);

// An embedding as plotEmbedding draws it.
writeFileSync(`${folder}plot.svg`, await plotDigits({ format: 'svg', axes: ['psi1', 'psi3'] }));
