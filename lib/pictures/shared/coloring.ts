/** The coloring of points by a field: classes have colors and shapes, numbers have places on a color scale. */

import type { Color } from '../../charts/figure.ts';
import type { ClassField, Field, NumberArray, Picture } from './picture.ts';

/** The shapes of marks. */
export const markShapes = ['round', 'diamond', 'square', 'triangle'] as const;

export type MarkShape = (typeof markShapes)[number];

/** Points of one class, in one color and shape. */
export interface Group {
  readonly name: string;
  readonly count: number;
  readonly color: Color;
  readonly shape: MarkShape;
}

/** Points in groups. */
export interface Grouping {
  readonly kind: 'groups';
  readonly groups: readonly Group[];
  /** The group of each point. */
  readonly groupOf: Uint8Array;
}

/** Points along a color scale from `low` to `high`. */
export interface Shading {
  readonly kind: 'scale';
  readonly values: NumberArray;
  readonly low: number;
  readonly high: number;
  /** Whether there are values beyond the ends of the scale. They have the colors of its ends. */
  readonly hasLower: boolean;
  readonly hasHigher: boolean;
  /** The number of points without a value. They are pale. */
  readonly missing: number;
}

export type Coloring = Grouping | Shading;

/** The colors of classes. Two of them are alike only if there are more than ten classes, and then they differ in shape. */
const classColors = ['blue', 'orange', 'green', 'purple', 'sky', 'vermilion', 'yellow', 'wine', 'ink', 'gray'] as const;

/** The number of classes that differ in color or shape. */
export const mostGroups = classColors.length * markShapes.length;

/** The coloring by the field or the coordinate of this name. Null: all points alike. */
export function coloringBy(picture: Picture, name: string | null): Coloring {
  const field = picture.fields.find((one) => one.name === name);
  if (field && field.kind !== 'texts') return coloringOf(field);
  const coordinate = picture.coordinates.find((one) => one.name === name);
  if (coordinate) return shadingOf(coordinate.values);
  const all: Group = { name: 'all points', count: picture.rows, color: 'blue', shape: 'round' };
  return { kind: 'groups', groups: [all], groupOf: new Uint8Array(picture.rows) };
}

/** The names of the fields and coordinates that can color points. */
export function colorChoices({ fields, coordinates }: Picture): string[] {
  const names = [...fields.filter(({ kind }) => kind !== 'texts'), ...coordinates].map(({ name }) => name);
  return [...new Set(names)];
}

function coloringOf(field: Exclude<Field, { kind: 'texts' }>): Coloring {
  return field.kind === 'numbers' ? shadingOf(field.values) : groupingOf(field);
}

/** One group per class. If there are too many classes, the smallest ones are one pale group together. */
function groupingOf({ classes, codes }: ClassField): Grouping {
  const counts = new Int32Array(classes.length + 1);
  for (let i = 0; i < codes.length; i++) counts[codes[i]]++;
  const bySize = classes.map((_, code) => code).toSorted((a, b) => counts[b] - counts[a]);
  const own = new Set(bySize.slice(0, mostGroups));
  const groups: Group[] = [];
  const groupOfCode = new Uint8Array(classes.length + 1);
  for (const [code, name] of classes.entries()) {
    if (!own.has(code)) continue;
    const color = classColors[groups.length % classColors.length];
    const shape = markShapes[Math.floor(groups.length / classColors.length)];
    groupOfCode[code] = groups.length;
    groups.push({ name, count: counts[code], color, shape });
  }
  const others = bySize.slice(mostGroups);
  if (others.length > 0) {
    for (const code of others) groupOfCode[code] = groups.length;
    const count = others.reduce((sum, code) => sum + counts[code], 0);
    groups.push({ name: `${others.length} smaller classes`, count, color: 'pale', shape: 'round' });
  }
  const missing = counts[classes.length];
  if (missing > 0) {
    groupOfCode[classes.length] = groups.length;
    groups.push({ name: 'no value', count: missing, color: 'pale', shape: 'diamond' });
  }
  return { kind: 'groups', groups, groupOf: Uint8Array.from(codes, (code) => groupOfCode[code]) };
}

/** From the smallest to the largest value. Where the outermost percent of the values takes more room than all others, the scale leaves it out. */
function shadingOf(values: NumberArray): Shading {
  const sorted = Float64Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .toSorted();
  const at = (fraction: number): number => sorted[Math.round(fraction * (sorted.length - 1))] ?? 0;
  const [min, first, last, max] = [0, 0.01, 0.99, 1].map(at);
  const [hasLower, hasHigher] = [first - min, max - last].map((room) => last > first && room > last - first);
  const [low, high] = [hasLower ? first : min, hasHigher ? last : max];
  return { kind: 'scale', values, low, high, hasLower, hasHigher, missing: values.length - sorted.length };
}

/** The position of a value on the scale, from 0 to 1. NaN for no value. */
export function fractionOf({ low, high }: Pick<Shading, 'low' | 'high'>, value: number): number {
  return high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : Number.isNaN(value) ? NaN : 0.5;
}

/** Labels of the low end, the middle and the high end of the scale, rounded to a thousandth of its length. */
export function scaleLabels({ low, high, hasLower, hasHigher }: Shading): [low: string, middle: string, high: string] {
  const unit = 10 ** Math.floor(Math.log10((high - low || 1) / 100));
  const label = (value: number): string => String(Number((Math.round(value / unit) * unit).toPrecision(6)));
  const [first, middle, last] = [low, (low + high) / 2, high].map(label);
  return [hasLower ? `≤ ${first}` : first, middle, hasHigher ? `≥ ${last}` : last];
}

/** The diameter of a mark in pixels: large for few points, small for many. */
export function markSize(rows: number): number {
  return Math.max(2, Math.min(8, 8 * (150 / rows) ** 0.2));
}

/** The opacity of a mark. Where many points overlap, translucent ones show how dense they are. */
export function markOpacity(rows: number): number {
  return Math.max(0.4, Math.min(0.9, 1.6 * rows ** -0.1));
}
