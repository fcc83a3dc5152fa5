/** How are CSV files read? As pieces come in, a block at a time, so that a file's text is never held as a whole. */

import { badValue, checkChoice } from '../../core/check.ts';
import { lineFeed } from '../bytes/decimal.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { type ByteSource, unpackedPieces } from '../bytes/byte-source.ts';
import { type ColumnOptions, type Separator, separators } from './layout.ts';
import { CsvParser } from './parser.ts';
import type { Dataset } from '../dataset.ts';

/** How the text is divided into fields, and what becomes of them. */
export interface CsvReadOptions extends ColumnOptions {
  /** Name of the data set. */
  readonly name?: string;
  /** 'single' unless said otherwise. Numbers are rounded to doubles exactly, and from there once. */
  readonly precision?: Precision;
  /** Found in the first line if not told. ' ' means any run of blanks. */
  readonly separator?: Separator | 'auto';
  /** Lines that begin with this character are passed over; '#' unless said otherwise, null for none. */
  readonly comment?: string | null;
}

const defaults = { name: 'csv', precision: 'single', separator: 'auto', header: 'auto', comment: '#' } as const;

/**
 * Points, one a line, from text in UTF-8 or its gzip. Fields may stand in double quotes, with separators, line ends and
 * doubled quotes inside. Every field outside of the label column and the ignored ones has to be a finite number; what is
 * not is refused with line and column.
 */
export async function readCsv(source: ByteSource, options: CsvReadOptions = {}): Promise<Dataset> {
  return readCsvPieces('readCsv', unpackedPieces('readCsv', source), options);
}

/** For this folder: from unpacked pieces, errors in the name of `caller`. */
export async function readCsvPieces(
  caller: string,
  pieces: AsyncIterable<Uint8Array>,
  options: CsvReadOptions,
): Promise<Dataset> {
  const all = { ...defaults, ...options };
  checkChoice(caller, 'precision', all.precision, ['single', 'double']);
  checkChoice(caller, 'separator', all.separator, ['auto', ...separators]);
  const comment = all.comment === null ? -1 : commentByte(caller, all.comment);
  const parser = new CsvParser(caller, comment, all.separator, all.precision, all);
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
      if (used === 0 || block.length <= usualLength) block = twice(caller, block);
    }
  }
  block[filled] = lineFeed;
  parser.read(block, filled, true);
  return parser.finish(all.name);
}

/** Small files get by with a small block; it doubles up to the usual length, and further for records that need it. */
const firstLength = 1 << 13;
const usualLength = 1 << 18;

/** Longer records are refused, so that a quote that is never closed does not pile up in memory. */
const longestRecord = 1 << 24;

function twice(caller: string, block: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (block.length > longestRecord) {
    throw badValue(caller, `records of at most ${longestRecord} bytes`, 'a longer one', 'A quote may be left open.');
  }
  const larger = new Uint8Array(2 * (block.length - 1) + 1);
  larger.set(block);
  return larger;
}

function commentByte(caller: string, comment: string): number {
  const code = comment.charCodeAt(0);
  if (comment.length !== 1 || code < 33 || code > 126 || /["\d.+-]/.test(comment)) {
    throw badValue(caller, 'comment to be one sign that begins no number and is no quote, or null', comment);
  }
  return code;
}
