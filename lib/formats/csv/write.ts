/** Writes points as CSV: a header, then one point per line with its id first and its label last. */

import { badKind, checkFinite } from '../../core/check.ts';
import { checkOptions, defined, type Rules } from '../../core/options.ts';
import { compress, concatenate } from '../bytes/compression.ts';
import { type Separator, separators } from './layout.ts';
import { checkDataset, type Dataset } from '../dataset.ts';
import { shortestDigits } from '../../core/digits.ts';

/** The separator, header and compression of the text. */
export interface CsvWriteOptions {
  /** Default: ','. */
  readonly separator?: Separator;
  /** Writes the names of the columns on the first line: those of the data set, or id, x0, x1, …, label. Default: true. */
  readonly header?: boolean;
  /** Default: false. */
  readonly gzip?: boolean;
}

const streamRules = {
  separator: separators,
  header: 'boolean',
} as const satisfies Rules<Omit<CsvWriteOptions, 'gzip'>>;
const writeRules: Rules<CsvWriteOptions> = { ...streamRules, gzip: 'boolean' };

const defaults = { separator: ',', header: true, gzip: false } as const;

/**
 * The bytes of a CSV file. Numbers have the fewest digits that read back as the same bits. Labels are written by name if they
 * have names.
 */
export async function writeCsv(source: Omit<Dataset, 'name'>, options: CsvWriteOptions = {}): Promise<Uint8Array> {
  checkOptions('writeCsv', options, writeRules);
  const pieces = csvPieces('writeCsv', source, options);
  return (options.gzip ?? defaults.gzip) ? compress('gzip', pieces) : concatenate([...pieces]);
}

/** `writeCsv` piece by piece and not compressed, for files too large for memory. */
export function streamCsv(
  source: Omit<Dataset, 'name'>,
  options: Omit<CsvWriteOptions, 'gzip'> = {},
): Generator<Uint8Array<ArrayBuffer>> {
  checkOptions('streamCsv', options, streamRules);
  return csvPieces('streamCsv', source, options);
}

const pieceLength = 1 << 16;

function csvPieces(
  caller: string,
  source: Omit<Dataset, 'name'>,
  options: CsvWriteOptions,
): Generator<Uint8Array<ArrayBuffer>> {
  const { separator, header } = { ...defaults, ...defined(options) };
  if (typeof source !== 'object' || source === null) throw badKind(caller, 'a data set', source);
  const { points } = checkDataset(caller, { name: '', ...source });
  checkFinite(caller, 'points', points.data, points.cols);
  return linesOf(source, separator, header);
}

function* linesOf(
  source: Omit<Dataset, 'name'>,
  separator: Separator,
  header: boolean,
): Generator<Uint8Array<ArrayBuffer>> {
  const { points, labels, labelNames, ids } = source;
  const encoder = new TextEncoder();
  const digits = shortestDigits[points.precision];
  const names = labelNames?.map((name) => escape(name, separator));
  const { rows, cols, data } = points;
  let text = header ? `${headerOf(source, separator)}\n` : '';
  for (let i = 0; i < rows; i++) {
    if (ids) text += escape(ids[i], separator) + separator;
    for (let j = 0; j < cols; j++) text += (j > 0 ? separator : '') + digits(data[i * cols + j]);
    if (labels) text += separator + (names ? names[labels[i]] : labels[i]);
    text += '\n';
    if (text.length < pieceLength) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

function headerOf(source: Omit<Dataset, 'name'>, separator: string): string {
  const { points, columnNames, ids, idColumn = 'id', labels, labelColumn = 'label' } = source;
  const names = columnNames ?? Array.from({ length: points.cols }, (_, j) => `x${j}`);
  const all = [...(ids ? [idColumn] : []), ...names, ...(labels ? [labelColumn] : [])];
  return all.map((name) => escape(name, separator)).join(separator);
}

/**
 * Quotes a field if it is empty, contains separators, quotes, tabs or line ends, or begins or ends in a way that a reader
 * would misread: with blanks, '#' or a byte order mark.
 */
function escape(text: string, separator: string): string {
  const plain = text !== '' && !/["\r\n\t]|^[\s#\ufeff]|\s$/.test(text) && !text.includes(separator);
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
}
