/** Lines of delimited text that are no rows: comments, frames around a table, and headers that are repeated. */

import { space } from '../../bytes/decimal.ts';
import { isNumber, splitRecord } from '../../csv/fields.ts';

const [hash, percent, semicolon] = [35, 37, 59];

/**
 * The byte that begins comments, −1 for none. '#' does, unless most lines begin with it, as in a column of colors such as #ff0000. '%'
 * and ';' do if the first line begins with them, and no line below the comments contains them.
 */
export function detectComment(bytes: Uint8Array, end: number): number {
  let [lines, commented, spaced] = [0, 0, 0];
  for (let at = 0; at < end; at = bytes.indexOf(10, at) + 1) {
    if (bytes[at] === 10 || bytes[at] === 13) continue;
    lines++;
    if (bytes[at] !== hash) continue;
    commented++;
    if (bytes[at + 1] === space) spaced++;
  }
  if (commented > 0 && (commented <= lines / 2 || lines === spaced)) return hash;
  const [first] = bytes;
  if (first !== percent && first !== semicolon) return -1;
  let below = 0;
  while (below < end && bytes[below] === first) below = bytes.indexOf(10, below) + 1;
  const next = bytes.indexOf(first, below);
  return below < end && (next < 0 || next >= end) ? first : -1;
}

/** The names in a comment directly above the first record, as numpy writes them; null if there are none. */
export function commentedNames(
  bytes: Uint8Array,
  end: number,
  comment: number,
  { delimiter, width }: { readonly delimiter: string; readonly width: number },
): string[] | null {
  let names: string[] | null = null;
  for (let at = 0; at < end && bytes[at] === comment; at = bytes.indexOf(10, at) + 1) {
    const record = splitRecord(bytes, at + 1, end, true, delimiter.charCodeAt(0));
    const isHeader = typeof record === 'object' && 'fields' in record && record.fields.length === width;
    names = isHeader && !record.fields.some(isNumber) ? record.fields : null;
  }
  return names;
}

/** Whether a line frames a table that a database printed: +----+----+, or a count of rows below it. */
export function isFrame(fields: readonly string[], delimiter: string): boolean {
  if (delimiter !== '|' && delimiter !== ' ') return false;
  return /^([-+=|: ]*[-=]{2}[-+=|: ]*|\(\d+ rows?\))$/.test(fields.join(delimiter));
}

/** Whether a line repeats the names of the columns, as in files that were joined. */
export function repeatsHeader(fields: readonly string[], names: readonly string[]): boolean {
  // The marker of the encoding begins each of such files.
  const isName = (text: string, column: number): boolean => text.replace(/^\ufeff/, '').trim() === names[column];
  return names.length > 1 && fields.length === names.length && fields.every(isName) && !names.some(isNumber);
}
