/** Colors of points: by label, or along a scale that is readable with color blindness. */

import { rampAt, type Rgb, sequential, type Theme } from '../../../lib/charts/sequential.ts';
import type { Scene } from '../protocol.ts';
import type { Settings } from '../settings.ts';
import { element } from '../../../lib/pictures/browser/element.ts';

/** Ten distinguishable colors, each with a contrast of at least 3:1 to both backgrounds. */
export const kinds: readonly Rgb[] = [
  [14, 162, 194],
  [228, 119, 34],
  [124, 92, 252],
  [45, 169, 93],
  [229, 72, 110],
  [179, 144, 35],
  [94, 129, 244],
  [178, 98, 52],
  [209, 90, 207],
  [110, 128, 145],
];

/** A group for every point, and the names of the groups. */
export interface Groups {
  readonly labels: Int32Array;
  readonly names: readonly string[];
}

/** The groups that color the points: their labels, or the clusters that were found. */
export function groupsOf(scene: Scene, color: Settings['color'], clusters: Int32Array | null): Groups | null {
  if (color === 'label') return scene.labels && { labels: scene.labels, names: scene.labelNames };
  if (color !== 'cluster' || !clusters) return null;
  const count = clusters.reduce((most, cluster) => Math.max(most, cluster + 1), 0);
  return { labels: clusters, names: Array.from({ length: count }, (_, cluster) => `cluster ${cluster + 1}`) };
}

/** Four bytes per point. `coordinates`: the two learned numbers of each point. */
export function colorsOf(
  scene: Scene,
  color: Settings['color'],
  groups: Groups | null,
  coordinates: Float32Array | null,
  theme: Theme,
): Uint8Array {
  const { size, along } = scene;
  const result = new Uint8Array(4 * size);
  const put = (i: number, [red, green, blue]: Rgb): void => {
    result[4 * i] = red;
    result[4 * i + 1] = green;
    result[4 * i + 2] = blue;
    result[4 * i + 3] = 255;
  };
  if (groups) {
    for (let i = 0; i < size; i++) put(i, kinds[groups.labels[i] % kinds.length]);
    return result;
  }
  const column = color === 'second' ? 1 : 0;
  const values = color === 'label' && along ? along : everySecond(coordinates ?? scene.places, size, column);
  const [low, high] = rangeOf(values);
  const width = high - low || 1;
  for (let i = 0; i < size; i++) put(i, rampAt(sequential[theme], (values[i] - low) / width));
  return result;
}

/** The legend of the colors of groups, if they have names. */
export function legendOf(groups: Groups | null): HTMLElement[] {
  if (!groups || groups.names.length > kinds.length) return [];
  return groups.names.map((name, label) => {
    const entry = element('li');
    const dot = element('i');
    dot.style.background = `rgb(${kinds[label].join(' ')})`;
    entry.append(dot, name);
    return entry;
  });
}

function everySecond(pairs: Float32Array, size: number, column: number): Float32Array {
  const stride = pairs.length / size;
  return Float32Array.from({ length: size }, (_, i) => pairs[i * stride + column]);
}

function rangeOf(values: Float32Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  return [low, high];
}
