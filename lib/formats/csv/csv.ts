/** Reads CSV files block by block, so that the whole text is never in memory. */

import { badKind, badValue } from '../../core/check.ts';
import { checkOptions, defined, type Rules } from '../../core/options.ts';
import { lineFeed } from '../bytes/decimal.ts';
import { type Precision, precisions } from '../../tensor/tensor.ts';
import { type ByteSource, openSource, textPieces } from '../bytes/byte-source.ts';
import { type ColumnOptions, columnRules, type Separator, separators } from './layout.ts';
import { CsvParser } from './parser.ts';
import type { Dataset } from '../dataset.ts';

/** The separator and comments of the text, the roles of its columns, and the precision of its numbers. */
export interface CsvReadOptions extends ColumnOptions {
  /** The name of the data set. Default: 'csv'. */
  readonly name?: string;
  /** Default: 'single'. Numbers are correctly rounded to doubles, and from there to singles. */
  readonly precision?: Precision;
  /** ' ' is any run of blanks. Default: 'auto', which detects the separator from the first record. */
  readonly separator?: Separator | 'auto';
  /** Lines that begin with this character are skipped; null for none. Default: '#'. */
  readonly comment?: string | null;
  /** The limit on the decompressed bytes of a gzip file, which may be a thousand times larger. Default: 2²⁸, 256 MiB. */
  readonly maxBytes?: number;
}

export const csvReadRules = {
  ...columnRules,
  name: 'string',
  precision: precisions,
  separator: ['auto', ...separators],
  comment: checkComment,
  maxBytes: 'number',
} as const satisfies Rules<CsvReadOptions>;

const defaults = { name: 'csv', precision: 'single', separator: 'auto', header: 'auto', comment: '#' } as const;

/**
 * Points from UTF-8 text or its gzip, one point per record. Fields may be enclosed in double quotes and then contain
 * separators, line ends and doubled quotes. Every field outside of the label column and the ignored columns must be a finite
 * number. Errors name the line and column.
 */
export async function readCsv(source: ByteSource, options: CsvReadOptions = {}): Promise<Dataset> {
  checkOptions('readCsv', options, csvReadRules);
  const pieces = textPieces('readCsv', await openSource('readCsv', source), options.maxBytes);
  return readCsvPieces('readCsv', pieces, options);
}

/** `readCsv` of decompressed pieces. Errors name `caller`. For this folder only. */
export async function readCsvPieces(
  caller: string,
  pieces: AsyncIterable<Uint8Array>,
  options: CsvReadOptions,
): Promise<Dataset> {
  const all = { ...defaults, ...defined(options) };
  const comment = all.comment === null ? -1 : all.comment.charCodeAt(0);
  const parser = new CsvParser(caller, comment, all.separator, all.precision, all);
  await readBlocks(caller, pieces, parser);
  return parser.finish(all.name);
}

/**
 * Feeds the pieces to a parser in blocks that begin with a whole record. `read` gets bytes 0 … end−1, with a line feed at
 * bytes[end], and returns the offset at which it stopped. For this folder only.
 */
export async function readBlocks(
  caller: string,
  pieces: AsyncIterable<Uint8Array>,
  parser: { read(bytes: Uint8Array, end: number, final: boolean): number },
): Promise<void> {
  let block = new Uint8Array(firstLength + 1);
  let filled = 0;
  for await (const piece of pieces) {
    for (let taken = 0; taken < piece.length;) {
      const part = piece.subarray(taken, taken + block.length - 1 - filled);
      block.set(part, filled);
      filled += part.length;
      taken += part.length;
      if (filled < block.length - 1) continue;
      block[filled] = lineFeed;
      const used = parser.read(block, filled, false);
      block.copyWithin(0, used, filled);
      filled -= used;
      if (used === 0 || block.length <= defaultLength) block = doubleBlock(caller, block);
    }
  }
  block[filled] = lineFeed;
  parser.read(block, filled, true);
}

/** The block starts small for small files. It doubles up to the default length, and further for records that need it. */
const firstLength = 1 << 13;
const defaultLength = 1 << 18;

/** Longer records are refused, so that an unclosed quote does not fill the memory. */
const maxRecordBytes = 1 << 24;

function doubleBlock(caller: string, block: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (block.length > maxRecordBytes) {
    const got = `more than ${block.length - 1}`;
    throw badValue(caller, `records of at most ${maxRecordBytes} bytes`, got, 'A quote may be unclosed.');
  }
  const larger = new Uint8Array(2 * (block.length - 1) + 1);
  larger.set(block);
  return larger;
}

function checkComment(caller: string, name: string, comment: string | null): void {
  if (comment === null) return;
  const expected = `${name} to be null or one character other than a quote or one that begins a number`;
  if (typeof comment !== 'string') throw badKind(caller, expected, comment);
  if (!/^[!-~]$/.test(comment) || /["\d.+-]/.test(comment)) throw badValue(caller, expected, comment);
}
