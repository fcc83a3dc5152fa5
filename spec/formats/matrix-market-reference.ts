/** A reference reader of Matrix Market files, line by line with strings, to compare the fast reader with. */

import type { Entry } from './mutations.ts';

export interface ReferenceMatrix {
  readonly rows: number;
  readonly cols: number;
  /** In the order of the file. A mirrored entry follows its original. */
  readonly entries: readonly Entry[];
}

const wholeNumber = /^\d+$/;
const decimalNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?$/;

/** Null for a file that must be rejected. */
export function referenceRead(text: string, maxDimension: number): ReferenceMatrix | null {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const banner = lines[0]
    .toLowerCase()
    .trim()
    .split(/[ \t]+/);
  if (banner.length !== 5 || banner[0] !== '%%matrixmarket' || banner[1] !== 'matrix') return null;
  const [, , format, field, symmetry] = banner;
  if (!['coordinate', 'array'].includes(format)) return null;
  if (!['real', 'double', 'integer', 'unsigned-integer', 'pattern'].includes(field)) return null;
  if (!['general', 'symmetric', 'skew-symmetric'].includes(symmetry)) return null;
  if (field === 'pattern' && (format === 'array' || symmetry === 'skew-symmetric')) return null;
  const content = lines
    .slice(1)
    .map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((line) => line !== '' && !line.startsWith('%'))
    .map((line) => line.split(/[ \t]+/));
  const sizes = content[0];
  if (!sizes || sizes.length !== (format === 'array' ? 2 : 3) || !sizes.every((size) => wholeNumber.test(size)))
    return null;
  const [rows, cols] = sizes.map(Number);
  if (rows > maxDimension || cols > maxDimension || (symmetry !== 'general' && rows !== cols)) return null;
  const places = format === 'array' ? arrayPlaces(rows, cols, symmetry) : null;
  const lineCount = places ? places.length : Number(sizes[2]);
  if (content.length - 1 !== lineCount) return null;

  const entries: Entry[] = [];
  const sides = new Set<number>();
  for (const [k, words] of content.slice(1).entries()) {
    if (words.length !== (places ? 1 : field === 'pattern' ? 2 : 3)) return null;
    if (!places && !(wholeNumber.test(words[0]) && wholeNumber.test(words[1]))) return null;
    const [row, column] = places ? places[k] : [Number(words[0]) - 1, Number(words[1]) - 1];
    if (row < 0 || row >= rows || column < 0 || column >= cols) return null;
    const number = words[words.length - 1];
    const value = field === 'pattern' ? 1 : decimalNumber.test(number) ? Number(number.replace(/d/i, 'e')) : NaN;
    if (!Number.isFinite(value) || (/integer/.test(field) && !Number.isInteger(value))) return null;
    if (symmetry === 'skew-symmetric' && row === column) return null;
    if (symmetry !== 'general' && row !== column) sides.add(Math.sign(row - column));
    if (sides.size > 1) return null;
    if (places && value === 0) continue;
    entries.push([row, column, value]);
    if (symmetry !== 'general' && row !== column)
      entries.push([column, row, symmetry === 'symmetric' ? value : -value]);
  }
  return { rows, cols, entries };
}

function arrayPlaces(rows: number, cols: number, symmetry: string): [row: number, column: number][] {
  const places: [number, number][] = [];
  for (let j = 0; j < cols; j++) {
    const first = symmetry === 'general' ? 0 : symmetry === 'symmetric' ? j : j + 1;
    for (let i = first; i < rows; i++) places.push([i, j]);
  }
  return places;
}
