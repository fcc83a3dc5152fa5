/** The header of delimited text: the names of columns, lines above them, and lines of units below them. */

import { isNumber } from '../../csv/fields.ts';
import { isMissing, looksNumeric } from '../columns/notation.ts';

/** The first records of a file, and the number of fields that most of them have. */
export interface Records {
  readonly records: readonly (readonly string[])[];
  readonly width: number;
}

/** The names of the columns, as far as there are any, and the rows below them. */
export interface Names {
  readonly names: readonly string[];
  readonly isNamed: boolean;
  readonly width: number;
  /** The number of lines above the header or the first row. */
  readonly skipped: number;
  readonly sample: readonly (readonly string[])[];
}

export function findNames(head: Records, header: boolean | 'auto', commented: readonly string[] | null): Names {
  const { width } = head;
  const isTitle = titleTest(head);
  const skipped = Math.max(
    0,
    // Data loggers of Campbell begin with a line about themselves.
    head.records.findIndex((record) => record.length === width && record[0] !== 'TOA5' && !isTitle(record)),
  );
  const records = head.records.slice(skipped);
  const above = skipped > 0 ? head.records[skipped - 1] : [];
  const isAbove = skipped > 0 && above.length === width - 1 && !above.some(isNumber);
  if (header !== false && isAbove && !detectHeader(records)) {
    // Either every row ends with a delimiter, or R has omitted the name of the column of row names.
    const isTrailing = records.every((record) => (record[width - 1] ?? '') === '');
    const names = isTrailing ? above : ['', ...above];
    return { names, isNamed: true, width: names.length, skipped: skipped - 1, sample: records };
  }
  const title = isFromSklearn(above, width) ? 0 : isFromSklearn(records[0], width) ? 1 : -1;
  if (header === 'auto' && title >= 0) {
    const names = Array.from({ length: width }, (_, k) => (k < width - 1 ? `x${k}` : 'label'));
    return { names, isNamed: false, width, skipped: skipped + title, sample: records.slice(title) };
  }
  if (header === true || (header === 'auto' && detectHeader(records))) {
    return { names: records[0], isNamed: true, width, skipped, sample: records.slice(1) };
  }
  // Cells of a spreadsheet that were merged name groups of columns, above their names.
  const [top, ...rest] = records;
  if (header === 'auto' && top.includes('') && rest.length > 1 && !rest[0].includes('') && detectHeader(rest)) {
    return { names: rest[0], isNamed: true, width, skipped: skipped + 1, sample: rest.slice(1) };
  }
  const names = header === 'auto' && commented ? commented : [];
  return { names, isNamed: names.length > 0, width, skipped, sample: records };
}

/** Spreadsheets pad the lines above a table with delimiters: one word or none, where most records have three cells or more. */
function titleTest({ records, width }: Records): (record: readonly string[]) => boolean {
  const cellsOf = (record: readonly string[]): string[] => record.filter((text) => text !== '');
  const counts = records.map((record) => cellsOf(record).length).toSorted((a, b) => a - b);
  if (width < 3 || counts[counts.length >>> 1] < 3) return () => false;
  return (record) => cellsOf(record).length < 2 && !cellsOf(record).some(looksNumeric);
}

/** The rows below lines of units or descriptions: words in two columns or more, where all other rows have numbers. */
export function belowUnits(sample: readonly (readonly string[])[]): readonly (readonly string[])[] {
  for (let lines = 1; lines <= mostUnitLines && lines + fewestRows <= sample.length; lines++) {
    const rows = sample.slice(lines);
    const isNumeric = rows[0].map((_, column) => {
      const cells = rows.map((record) => record[column] ?? '').filter((text) => !isMissing(text));
      return cells.length > 0 && cells.every(looksNumeric);
    });
    const above = sample.slice(0, lines).map((record) => record.filter((_, column) => isNumeric[column]));
    const areWords = above.every((cells) => cells.filter((text) => !isMissing(text)).length > 1);
    if (areWords && !above.flat().some(looksNumeric)) return rows;
  }
  return sample;
}

const mostUnitLines = 3;
const fewestRows = 4;

/** Data files of scikit-learn begin with the numbers of rows and of coordinates and the names of the classes. */
function isFromSklearn(first: readonly string[], width: number): boolean {
  const [rows = '', columns, ...classes] = first;
  return /^\d+$/.test(rows) && columns === String(width - 1) && classes.length > 1 && !classes.some(looksNumeric);
}

/** Whether the first record names the columns: it has a word above numbers, or only words. */
function detectHeader(records: readonly (readonly string[])[]): boolean {
  const [first, ...body] = records;
  const isWord = first.map((text) => !looksNumeric(text) && !isMissing(text));
  if (!isWord.includes(true)) return areNumberedNames(first, body);
  const isNumeric = first.map((_, column) => {
    const cells = body.map((record) => record[column] ?? '').filter((text) => !isMissing(text));
    return cells.length > 0 && cells.filter(looksNumeric).length > cells.length / 2;
  });
  if (isWord.some((word, column) => word && isNumeric[column])) return true;
  const numbers = first.filter((_, column) => !isWord[column] && isNumeric[column]);
  // Words above words: a header, unless numbers stand beside them. Years in a row are names too.
  const isRising = numbers.length > 2 && numbers.every((text, k) => Number(text) === Number(numbers[0]) + k);
  if (numbers.length > 0) return isRising;
  return new Set(first).size === first.length && !body.slice(0, 20).some((record) => record.join() === first.join());
}

/** Fewer even numbers over columns of whole numbers may be a row. */
const fewestNumberedNames = 8;

/**
 * Whether a first record of whole numbers names the columns: years, wavelengths, or the numbers that pandas gives to columns without
 * names. They rise evenly, no other row does, and there are many of them or the numbers below are not whole.
 */
function areNumberedNames(first: readonly string[], body: readonly (readonly string[])[]): boolean {
  const risesEvenly = (record: readonly string[]): boolean => {
    const numbers = record.slice(record[0] === '' ? 1 : 0).map((text) => (/^\d+$/.test(text) ? Number(text) : NaN));
    const step = numbers[1] - numbers[0];
    return numbers.length > 2 && step > 0 && numbers.every((number, k) => number === numbers[0] + k * step);
  };
  if (body.length < 2 || !risesEvenly(first) || body.some(risesEvenly)) return false;
  const cells = body.flat().filter((text) => !isMissing(text));
  return first.length >= fewestNumberedNames || cells.filter((text) => !/^-?\d+$/.test(text)).length > cells.length / 2;
}

/** The largest number of notes on columns that were renamed. */
const mostRenamed = 4;

/** One name for every column. Unnamed columns are called index, if they are the first, or x1, x2, …; a repeated name gets a number. */
export function namesOf(given: readonly string[], width: number, notes: string[]): string[] {
  const names: string[] = [];
  /** Names, and the number with which the next copy of each is tried. */
  const taken = new Map<string, number>();
  let renamed = 0;
  for (let column = 0; column < width; column++) {
    // pandas and R do not name the column of row names.
    const fallback = column === 0 && given.length > 0 ? 'index' : `x${column}`;
    const wanted = given[column]?.trim() || fallback;
    let name = wanted;
    for (let copy = taken.get(wanted) ?? 2; taken.has(name); copy++) {
      name = `${wanted}.${copy}`;
      taken.set(wanted, copy + 1);
    }
    if (name !== wanted && ++renamed <= mostRenamed) {
      notes.push(`The name '${wanted}' occurs again: column ${column + 1} is called '${name}'.`);
    }
    taken.set(name, 2);
    names.push(name);
  }
  if (renamed > mostRenamed) notes.push(`${renamed - mostRenamed} more columns have a name that occurs again.`);
  return names;
}
