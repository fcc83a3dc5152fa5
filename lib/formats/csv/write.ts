/** How are points written as CSV? A header, then one point a line, its label last. */

import { badKind, checkChoice, checkFinite } from '../../core/check.ts';
import { join, pack } from '../bytes/compression.ts';
import { type Separator, separators } from './layout.ts';
import { type Dataset, joined } from '../dataset.ts';
import { shortestDigits } from '../../core/digits.ts';

/** How the text is laid out, and whether it is packed. */
export interface CsvWriteOptions {
  readonly separator?: Separator;
  /** Names of the columns on the first line: the data set's, or x0, x1, …, and label. */
  readonly header?: boolean;
  readonly gzip?: boolean;
}

const defaults = { separator: ',', header: true, gzip: false } as const;

/** Numbers have the fewest digits that read back as the same bits. Labels are written by name if they have names. */
export async function writeCsv(source: Omit<Dataset, 'name'>, options: CsvWriteOptions = {}): Promise<Uint8Array> {
  const pieces = csvPieces('writeCsv', source, options);
  return (options.gzip ?? defaults.gzip) ? pack('gzip', pieces) : join([...pieces]);
}

/** The same a piece at a time, not packed, for what is too large to hold. */
export function streamCsv(
  source: Omit<Dataset, 'name'>,
  options: Omit<CsvWriteOptions, 'gzip'> = {},
): Generator<Uint8Array<ArrayBuffer>> {
  return csvPieces('streamCsv', source, options);
}

const pieceLength = 1 << 16;

function csvPieces(
  caller: string,
  source: Omit<Dataset, 'name'>,
  options: CsvWriteOptions,
): Generator<Uint8Array<ArrayBuffer>> {
  const { separator, header } = { ...defaults, ...options };
  checkChoice(caller, 'separator', separator, separators);
  if (typeof source !== 'object' || source === null) throw badKind(caller, 'a data set', source);
  const { points } = joined(caller, { name: '', ...source });
  checkFinite(caller, 'points', points.data, points.cols);
  return linesOf(source, separator, header);
}

function* linesOf(
  { points, labels, labelNames, columnNames }: Omit<Dataset, 'name'>,
  separator: Separator,
  header: boolean,
): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const digits = shortestDigits[points.precision];
  const names = labelNames?.map((name) => escape(name, separator));
  const { rows, cols, data } = points;
  let text = header ? `${headerOf(cols, columnNames, labels !== undefined, separator)}\n` : '';
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) text += (j > 0 ? separator : '') + digits(data[i * cols + j]);
    if (labels) text += separator + (names ? names[labels[i]] : labels[i]);
    text += '\n';
    if (text.length < pieceLength) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

function headerOf(
  cols: number,
  columnNames: readonly string[] | undefined,
  labelled: boolean,
  separator: string,
): string {
  const names = columnNames ?? Array.from({ length: cols }, (_, j) => `x${j}`);
  return [...names, ...(labelled ? ['label'] : [])].map((name) => escape(name, separator)).join(separator);
}

/** In quotes where a reader could mistake it: separators, quotes, line ends, blanks at its ends, a comment's sign, nothing. */
function escape(text: string, separator: string): string {
  const plain = text !== '' && !/["\r\n\t]|^[\s#\ufeff]|\s$/.test(text) && !text.includes(separator);
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
}
