/** `node --import tsx bench/quality/moments-document.ts`: draws the recorded errors of moments, and puts them into docs/embedding.md, between its marks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawFigure } from '../../lib/charts/chart.ts';
import type { LinePanel, Style } from '../../lib/charts/figure.ts';
import { table } from '../report/document-tables.ts';
import { fillMarks } from '../report/marks.ts';
import type { MomentErrors, MomentPart } from './moments.ts';
import type { Section } from './section.ts';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
export const embeddingPath = `${docs}embedding.md`;
export const momentsChartPath = `${docs}embedding/moments.svg`;

/** The recorded run: what `npm run bench -- quality moments --json` printed. */
export function recordedMoments(): Section {
  const [section] = JSON.parse(readFileSync(`${docs}embedding/moments.json`, 'utf8')) as Section[];
  return section;
}

const styles: Record<MomentPart, Style> = {
  tracked: { name: 'tracked', color: 'vermilion', shape: 'square' },
  corrected: { name: 'corrected', color: 'blue', shape: 'round' },
};

/** The mean error, the noise around it and both together, by batch. */
export function momentsChart({ figures }: Pick<Section, 'figures'>): string {
  const errors = figures as readonly MomentErrors[];
  const panel = (title: string, of: (line: MomentErrors, part: MomentPart) => number): LinePanel => ({
    kind: 'lines',
    title,
    x: { label: 'batch', scale: 'log' },
    y: { label: 'relative to ‖YᵀDY‖', scale: 'log', include: errors.flatMap(everyError) },
    series: (['tracked', 'corrected'] as const).flatMap((part) => {
      const curve = { x: errors.map(({ batch }) => batch), y: errors.map((line) => of(line, part)) };
      return [
        { ...styles[part], ...curve },
        { ...styles[part], ...curve, marks: true },
      ];
    }),
  });
  const panels = [
    panel('Bias: the mean error', ({ bias }, part) => bias[part]),
    panel('Noise: its standard deviation', noiseOf),
    panel('Distance: both together', ({ distance }, part) => distance[part]),
  ];
  const title = 'Errors of the moments in the middle of a training on MNIST';
  return `${drawFigure({ name: 'moments', title, caption: '', panels }, true)}\n`;
}

/** What remains of the distance without the mean error. */
function noiseOf({ distance, bias }: MomentErrors, part: MomentPart): number {
  return Math.sqrt(distance[part] ** 2 - bias[part] ** 2);
}

/** All panels have the same axis. */
function everyError(line: MomentErrors): number[] {
  const { distance, bias } = line;
  return (['tracked', 'corrected'] as const).flatMap((part) => [distance[part], bias[part], noiseOf(line, part)]);
}

export function withMoments(text: string, { header, rows }: Section): Promise<string> {
  return fillMarks(text, embeddingPath, (name) => {
    if (name !== 'moments') throw new RangeError(`withMoments: expected the name of figures, got ${name}.`);
    return table(header, rows);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const section = recordedMoments();
  writeFileSync(momentsChartPath, momentsChart(section));
  writeFileSync(embeddingPath, await withMoments(readFileSync(embeddingPath, 'utf8'), section));
}
