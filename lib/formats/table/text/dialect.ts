/** The dialect of delimited text, from its first records: delimiter, comments, lines before the table, and header. */

import { badValue } from '../../../core/check.ts';
import { isNumber, quote, skipBlankOrComment, splitRecord } from '../../csv/fields.ts';
import { isDate } from '../columns/dates.ts';
import { belowUnits, findNames, namesOf, type Records } from './header.ts';
import { commentedNames, detectComment, isFrame } from './lines.ts';
import { type Decimal, decimalEvidence, looksNumeric, unquoted } from '../columns/notation.ts';
import { type Delimiter, isDelimiter } from '../delimiter.ts';
import { count, listNames, type Wording } from '../wording.ts';

/** Options of the user about the text. */
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
  /** The byte that encloses fields. */
  readonly quote: number;
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
  const declared = declaredDelimiter(bytes);
  const possible = declared ? [declared] : detectionOrder;
  const candidates = (delimiter === 'auto' ? possible : [delimiter]).map((character) =>
    splitHead(bytes, end, final, character, comment),
  );
  const chosen = candidates.reduce((a, b) => (isBetter(b, a) ? b : a));
  const quoted = inSingleQuotes(chosen) ? splitHead(bytes, end, final, chosen.delimiter, comment, singleQuote) : chosen;
  const best = quoted.problem ? chosen : quoted;
  if (best.records.length === 0) {
    if (best.problem)
      throw badValue(wording.caller, best.problem.expected, best.problem.got, 'A quote may be unclosed.');
    throw badValue(wording.caller, 'a table with at least one row', comment < 0 ? 'an empty file' : 'comments only');
  }
  if (declared && best.records.length === 1) {
    throw badValue(
      wording.caller,
      'a table with at least one row',
      'a line that states the delimiter, and nothing else',
    );
  }
  if (!declared) return layoutOf(wording, best, comment, options, commentedNames(bytes, end, comment, best));
  const layout = layoutOf(wording, { ...best, records: best.records.slice(1) }, comment, options, null);
  return { ...layout, skip: layout.skip + 1 };
}

const singleQuote = 39;

/** Whether the first record has nothing but fields in single quotes. */
function inSingleQuotes({ records }: Head): boolean {
  return records.length > 1 && records[0].every((text) => unquoted(text) !== text);
}

/** The delimiter in a first line such as `sep=;`, by which Excel knows it; null without such a line. */
function declaredDelimiter(bytes: Uint8Array): Delimiter | null {
  const begin = new TextDecoder('latin1').decode(bytes.subarray(0, 16));
  const stated = /^"?sep=(.)"?[,;]*\r?\n/i.exec(begin)?.[1];
  return stated !== undefined && isDelimiter(stated) ? stated : null;
}

/** The first of equally good delimiters is chosen. */
const detectionOrder: readonly Delimiter[] = ['\t', ';', '|', ',', ' ', '^', '~', '\u0001', '\u001f'];

/** The number of records that determine the dialect. */
const headRecords = 200;

interface Head extends Records {
  readonly delimiter: Delimiter;
  readonly quote: number;
  /** The fraction of records with `width` fields. */
  readonly agreement: number;
  /** The fraction of numbers and dates among the cells. */
  readonly typed: number;
  /** What stopped the reading, if a record is broken. */
  readonly problem: { readonly expected: string; readonly got: string } | null;
}

function splitHead(
  bytes: Uint8Array,
  end: number,
  final: boolean,
  delimiter: Delimiter,
  comment: number,
  mark = quote,
): Head {
  const separator = delimiter.charCodeAt(0);
  const records: string[][] = [];
  let problem: Head['problem'] = null;
  for (let at = 0; at < end && records.length < headRecords;) {
    const skipped = skipBlankOrComment(bytes, at, separator, comment);
    if (skipped >= 0) {
      at = skipped;
      continue;
    }
    const record = splitRecord(bytes, at, end, final, separator, mark);
    if (record === 'incomplete') break;
    if ('expected' in record) {
      problem = record;
      break;
    }
    if (!isFrame(record.fields, delimiter)) records.push(record.fields);
    at = record.next;
  }
  const width = mode(records.map(({ length }) => length));
  const body = records.slice(1).filter(({ length }) => length === width);
  const cells = body.flat();
  const typed = cells.filter((text) => looksNumeric(text) || isDate(text)).length / Math.max(1, cells.length);
  const agreement = records.filter(({ length }) => length === width).length / Math.max(1, records.length);
  return { delimiter, quote: mark, records, width, agreement, typed, problem };
}

/**
 * Whether split `a` is better than split `b`. Criteria, most important first: it makes columns; the first record has as many
 * fields as most; a row has more numbers and dates; no record is broken; more records have the same number of fields.
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

function layoutOf(
  wording: Wording,
  head: Head,
  comment: number,
  options: DialectOptions,
  commented: readonly string[] | null,
): Dialect {
  const { decimal = 'auto' } = options;
  const found = findNames(head, options.header ?? 'auto', commented);
  const { skipped, names: given, width, isNamed } = found;
  const sample = isNamed ? belowUnits(found.sample) : found.sample;
  const notes =
    skipped > 0 ? [`${count(skipped, 'line')} before the table ${skipped === 1 ? 'was' : 'were'} skipped.`] : [];
  if (isNamed && given.every((text) => text === '' || isNumber(text)) && options.header !== true) {
    const remedy = `If they are a row, pass ${wording.option('header', 'false')}.`;
    notes.push(`The numbers in the first line are names, since they rise evenly. ${remedy}`);
  }
  const units = found.sample.slice(0, found.sample.length - sample.length);
  if (units.length > 0) {
    const cells = units.flat().filter((text) => text !== '');
    notes.push(`${count(units.length, 'line')} below the header skipped, without numbers: ${listNames(cells)}.`);
  }
  const { mark, doubtful } =
    decimal === 'auto' ? detectDecimal(sample, head.delimiter) : { mark: decimal, doubtful: undefined };
  if (mark === ',' && decimal === 'auto') {
    notes.push(`Numbers have a decimal comma. If not, pass ${wording.option('decimal', '.')}.`);
  }
  if (doubtful !== undefined) {
    const remedy = `If it separates thousands, pass ${wording.option('decimal', ',')}.`;
    notes.push(`The point in numbers such as ${doubtful} is read as a decimal point. ${remedy}`);
  }
  return {
    delimiter: head.delimiter,
    quote: head.quote,
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

/** In a file with commas as delimiters, at least this fraction of the cells of a column has a decimal comma, if any has. */
const leastCommas = 0.1;

/** The cells of every column that are not empty. */
function columnsOf(sample: readonly (readonly string[])[]): string[][] {
  const width = Math.max(0, ...sample.map(({ length }) => length));
  return Array.from({ length: width }, (_, k) => sample.flatMap((row) => (row[k] ? [row[k]] : [])));
}

/**
 * The decimal mark of the majority of cells that can be read in one way only. If there is no such cell, the comma, provided
 * that semicolons separate the fields and the numbers have commas. `doubtful`: a number whose point may separate thousands, in
 * a file with semicolons.
 */
function detectDecimal(
  sample: readonly (readonly string[])[],
  delimiter: Delimiter,
): { mark: Decimal; doubtful?: string | undefined } {
  const certain = { '.': 0, ',': 0 };
  const either: Record<Decimal, string[]> = { '.': [], ',': [] };
  for (const cells of columnsOf(sample)) {
    const commas = cells.filter((text) => decimalEvidence(text) === ',').length;
    const numeric = cells.filter((text) => looksNumeric(text)).length;
    // Beside commas as delimiters, a few such cells in a column are lists, "6,7", as are those beside other texts: "6,7" and "1.5,-2".
    const areLists =
      delimiter === ',' && (commas < leastCommas * cells.length || numeric < (1 - leastCommas) * cells.length);
    for (const text of cells) {
      const evidence = decimalEvidence(text);
      if (evidence === 'either') either[text.includes(',') ? ',' : '.'].push(text);
      else if (evidence === '.' || (evidence === ',' && !areLists)) certain[evidence]++;
    }
  }
  if (certain[','] > certain['.']) return { mark: ',' };
  if (certain['.'] > 0 || delimiter !== ';') return { mark: '.' };
  return either['.'].length === 0 && either[','].length > 0 ? { mark: ',' } : { mark: '.', doubtful: either['.'][0] };
}

function mode(lengths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const length of lengths) counts.set(length, (counts.get(length) ?? 0) + 1);
  let best = 0;
  for (const [length, times] of counts) if (times > (counts.get(best) ?? 0)) best = length;
  return best;
}
