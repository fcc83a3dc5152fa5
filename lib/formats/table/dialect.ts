/** The dialect of delimited text, from its first records: delimiter, comments, lines before the table, and header. */

import { badValue } from '../../core/check.ts';
import { space } from '../bytes/decimal.ts';
import { isNumber, skipBlankOrComment, splitRecord } from '../csv/fields.ts';
import { isDate } from './dates.ts';
import { type Decimal, decimalEvidence, isMissing, looksNumeric } from './notation.ts';
import { count, type Wording } from './wording.ts';

export const delimiters = [',', ';', '\t', '|', ' '] as const;

/** The character between fields. ' ' is any run of blanks. */
export type Delimiter = (typeof delimiters)[number];

/** What the user says about the text. */
export interface DialectOptions {
  /** ' ' is any run of blanks. Default: 'auto', the delimiter that gives all lines the same number of fields. */
  readonly delimiter?: Delimiter | 'auto';
  /** The decimal mark. Default: 'auto', which recognizes a decimal comma and says so. */
  readonly decimal?: Decimal | 'auto';
  /** Whether the first record names the columns. Default: 'auto', which means yes if it has words above numbers. */
  readonly header?: boolean | 'auto';
}

export interface Dialect {
  readonly delimiter: Delimiter;
  /** The byte that begins a comment, −1 for none. */
  readonly comment: number;
  /** The number of records before the first row: the header and lines above it. */
  readonly skip: number;
  /** One name for every column. */
  readonly names: readonly string[];
  readonly hasHeader: boolean;
  readonly decimal: Decimal;
  /** Whether single columns may use the other decimal mark. */
  readonly isDecimalOpen: boolean;
  /** The first rows, without the header. */
  readonly sample: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/** The dialect of a text from its first bytes. `bytes[end]` is a line feed. `final`: these are all bytes. */
export function detectDialect(
  wording: Wording,
  bytes: Uint8Array,
  end: number,
  final: boolean,
  options: DialectOptions,
): Dialect {
  const comment = detectComment(bytes, end);
  const { delimiter = 'auto' } = options;
  const candidates = (delimiter === 'auto' ? detectionOrder : [delimiter]).map((character) =>
    splitHead(bytes, end, final, character, comment),
  );
  const best = candidates.reduce((a, b) => (isBetter(b, a) ? b : a));
  if (best.records.length === 0) {
    if (best.problem)
      throw badValue(wording.caller, best.problem.expected, best.problem.got, 'A quote may be unclosed.');
    throw badValue(wording.caller, 'a table with at least one row', comment < 0 ? 'an empty file' : 'comments only');
  }
  return layoutOf(wording, best, comment, options, commentedNames(bytes, end, best));
}

/** The names in a comment directly above the first record, as numpy writes them; null if there are none. */
function commentedNames(bytes: Uint8Array, end: number, { delimiter, width }: Head): string[] | null {
  const hash = 35;
  let names: string[] | null = null;
  for (let at = 0; at < end && bytes[at] === hash; at = bytes.indexOf(10, at) + 1) {
    const record = splitRecord(bytes, at + 1, end, true, delimiter.charCodeAt(0));
    const isHeader = typeof record === 'object' && 'fields' in record && record.fields.length === width;
    names = isHeader && !record.fields.some(isNumber) ? record.fields : null;
  }
  return names;
}

/** Of equally good delimiters, the first is chosen. */
const detectionOrder: readonly Delimiter[] = ['\t', ';', '|', ',', ' '];

/** The number of records that determine the dialect. */
const headRecords = 200;

interface Head {
  readonly delimiter: Delimiter;
  readonly records: readonly (readonly string[])[];
  /** The number of fields that most records have, and the fraction of records that have it. */
  readonly width: number;
  readonly agreement: number;
  /** The fraction of numbers and dates among the cells. */
  readonly typed: number;
  /** What stopped the reading, if a record is broken. */
  readonly problem: { readonly expected: string; readonly got: string } | null;
}

function splitHead(bytes: Uint8Array, end: number, final: boolean, delimiter: Delimiter, comment: number): Head {
  const separator = delimiter.charCodeAt(0);
  const records: string[][] = [];
  let problem: Head['problem'] = null;
  for (let at = 0; at < end && records.length < headRecords;) {
    const skipped = skipBlankOrComment(bytes, at, separator, comment);
    if (skipped >= 0) {
      at = skipped;
      continue;
    }
    const record = splitRecord(bytes, at, end, final, separator);
    if (record === 'incomplete') break;
    if ('expected' in record) {
      problem = record;
      break;
    }
    records.push(record.fields);
    at = record.next;
  }
  const width = mode(records.map(({ length }) => length));
  const body = records.slice(1).filter(({ length }) => length === width);
  const cells = body.flat();
  const typed = cells.filter((text) => looksNumeric(text) || isDate(text)).length / Math.max(1, cells.length);
  const agreement = records.filter(({ length }) => length === width).length / Math.max(1, records.length);
  return { delimiter, records, width, agreement, typed, problem };
}

/**
 * Whether one way to split is better than another. Most important first: it makes columns, the first record has as many
 * fields as the others, it finds more numbers and dates in a row, nothing is broken, and rows agree.
 */
function isBetter(a: Head, b: Head): boolean {
  const merit = ({ delimiter, records, width, agreement, typed, problem }: Head): number[] => {
    const isSpace = delimiter === ' ';
    const splits = width > 1 && agreement >= (records.length < 10 && !isSpace ? 0.5 : 0.8);
    // Words with blanks between them are not columns. Neither are a number and its unit.
    const isTable = splits && (!isSpace || typed > 0.5);
    const isWhole = records[0]?.length === width;
    return [isTable, isWhole, typed * width - (isSpace ? 1 : 0), problem === null, agreement, width].map(Number);
  };
  const [left, right] = [merit(a), merit(b)];
  const differing = left.findIndex((value, k) => Math.abs(value - right[k]) > 1e-9);
  return differing >= 0 && left[differing] > right[differing];
}

/** '#' begins comments, unless most lines begin with it, as a column of colors does. */
function detectComment(bytes: Uint8Array, end: number): number {
  const hash = 35;
  let [lines, commented, spaced] = [0, 0, 0];
  for (let at = 0; at < end; at = bytes.indexOf(10, at) + 1) {
    if (bytes[at] === 10 || bytes[at] === 13) continue;
    lines++;
    if (bytes[at] !== hash) continue;
    commented++;
    if (bytes[at + 1] === space) spaced++;
  }
  return commented > 0 && (commented <= lines / 2 || lines === spaced) ? hash : -1;
}

function layoutOf(
  wording: Wording,
  head: Head,
  comment: number,
  options: DialectOptions,
  commented: readonly string[] | null,
): Dialect {
  const { decimal = 'auto' } = options;
  const { skipped, names: given, sample, width, isNamed } = findNames(head, options.header ?? 'auto', commented);
  const notes =
    skipped > 0 ? [`${count(skipped, 'line')} before the table ${skipped === 1 ? 'was' : 'were'} skipped.`] : [];
  const mark = decimal === 'auto' ? detectDecimal(sample, head.delimiter) : decimal;
  if (mark === ',' && decimal === 'auto') {
    notes.push(`Numbers have a decimal comma. If not, pass ${wording.option('decimal', '.')}.`);
  }
  return {
    delimiter: head.delimiter,
    comment,
    skip: head.records.length - sample.length,
    names: namesOf(given, width, notes),
    hasHeader: isNamed,
    decimal: mark,
    isDecimalOpen: decimal === 'auto',
    sample,
    notes,
  };
}

/** The names of the columns, as far as there are any, and the rows below them. */
interface Names {
  readonly names: readonly string[];
  readonly isNamed: boolean;
  readonly width: number;
  /** The number of lines above the header or the first row. */
  readonly skipped: number;
  readonly sample: readonly (readonly string[])[];
}

function findNames(head: Head, header: boolean | 'auto', commented: readonly string[] | null): Names {
  const { width } = head;
  const skipped = Math.max(
    0,
    head.records.findIndex(({ length }) => length === width),
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
  const names = header === 'auto' && commented ? commented : [];
  return { names, isNamed: names.length > 0, width, skipped, sample: records };
}

/** Data files of scikit-learn begin with the numbers of rows and of coordinates and the names of the classes. */
function isFromSklearn(first: readonly string[], width: number): boolean {
  const [rows = '', columns, ...classes] = first;
  return /^\d+$/.test(rows) && columns === String(width - 1) && classes.length > 1 && !classes.some(looksNumeric);
}

/** Whether the first record names the columns: it has a word above numbers, or only words. */
function detectHeader(records: readonly (readonly string[])[]): boolean {
  const [first, ...body] = records;
  const isWord = first.map((text) => !looksNumeric(text) && !isMissing(text));
  if (!isWord.includes(true)) return false;
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

/** The decimal mark of most cells that allow one reading only. If none does, a semicolon suggests the comma. */
function detectDecimal(sample: readonly (readonly string[])[], delimiter: Delimiter): Decimal {
  const votes = { '.': 0, ',': 0, either: 0 };
  for (const text of sample.flat()) {
    const evidence = decimalEvidence(text);
    if (evidence)
      votes[evidence === 'either' && !text.includes(',') ? '.' : evidence] += evidence === 'either' ? 1e-6 : 1;
  }
  if (votes[','] > votes['.']) return ',';
  return votes['.'] === 0 && votes.either > 0 && delimiter === ';' ? ',' : '.';
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

function mode(lengths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const length of lengths) counts.set(length, (counts.get(length) ?? 0) + 1);
  let best = 0;
  for (const [length, times] of counts) if (times > (counts.get(best) ?? 0)) best = length;
  return best;
}
