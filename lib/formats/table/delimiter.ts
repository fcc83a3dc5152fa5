/** The character between the fields of a text. */

import { badKind, badValue } from '../../core/check.ts';

/** One character between fields, such as ',' or '^'. ' ' is any run of blanks. */
export type Delimiter = string;

/** Whether a text can stand between fields: an ASCII character that is in no word, number or quoted field. */
export function isDelimiter(text: string): boolean {
  return /^[\0-\x7f]$/.test(text) && !/[\w"'.+\-\r\n]/.test(text);
}

/** The delimiter that the first lines contain equally often, or a semicolon if there is none. */
export function likelyDelimiter(lines: readonly (string | null)[]): Delimiter {
  const some = lines.filter((line) => line !== null).slice(0, 20);
  const times = (line: string, mark: string): number => line.split(mark).length - 1;
  const marks = [...new Set(some[0] ?? '')].filter((mark) => !/[ ()[\]{}]/.test(mark) && isDelimiter(mark));
  return marks.find((mark) => some.every((line) => times(line, mark) === times(some[0], mark))) ?? ';';
}

/** Refuses anything but a delimiter or 'auto'. */
export function checkDelimiter(caller: string, name: string, value: unknown): void {
  if (typeof value !== 'string') throw badKind(caller, `${name} to be a character`, value);
  if (value === 'auto' || isDelimiter(value)) return;
  const expected = `${name} to be 'auto' or one ASCII character that is no letter, digit, quote, sign or point`;
  throw badValue(caller, expected, `'${value}'`, 'Replace longer ones in the file by one character.');
}
