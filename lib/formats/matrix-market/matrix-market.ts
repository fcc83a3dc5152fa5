/** Reads and writes Matrix Market files (.mtx, .mtx.gz). */

import { badKind, badValue, checkCount } from '../../core/check.ts';
import { shortestDigits } from '../../core/digits.ts';
import { checkOptions, defined, type Rules } from '../../core/options.ts';
import { firstAtLeast } from '../../core/search.ts';
import { type Precision, precisions } from '../../tensor/tensor.ts';
import { compress, concatenate, decompress, isGzip } from '../bytes/compression.ts';
import { assemble } from '../../sparse/build.ts';
import { checkCsr, type CsrMatrix } from '../../sparse/csr.ts';
import { forEachPair } from '../../sparse/inspect.ts';
import { wholeLines } from '../bytes/lines.ts';
import { matrixMarketParser } from './parser.ts';
import { TripletBuffer } from './triplet-buffer.ts';

/** The precision of the matrix, and the limit on its size. */
export interface MatrixMarketReadOptions {
  /** Default: 'single'. Numbers are correctly rounded to doubles, and from there to singles. */
  readonly precision?: Precision;
  /** The limit on rows and columns that a header may claim: an empty row takes four bytes. Default: 100,000,000. */
  readonly maxDimension?: number;
}

/** Whether to write one triangle only, and whether to compress the file. */
export interface MatrixMarketWriteOptions {
  /** Default: 'auto', which writes one triangle if the matrix is exactly symmetric. */
  readonly symmetry?: 'auto' | 'general' | 'symmetric';
  /** Default: false. */
  readonly gzip?: boolean;
}

const readRules: Rules<MatrixMarketReadOptions> = { precision: precisions, maxDimension: 'number' };
const writeRules: Rules<MatrixMarketWriteOptions> = { symmetry: ['auto', 'general', 'symmetric'], gzip: 'boolean' };

const readDefaults = { precision: 'single', maxDimension: 1e8 } as const;
const writeDefaults = { symmetry: 'auto', gzip: false } as const;

/**
 * A matrix from the bytes or the text of a file. Decompresses gzip. Supports coordinate and array format; real, integer and
 * pattern (ones); general, symmetric and skew-symmetric. Sums duplicate entries. Memory grows with the entries in the file
 * and with the rows that its header claims, at most `maxDimension`.
 */
export async function readMatrixMarket(
  source: Uint8Array | string,
  options: MatrixMarketReadOptions = {},
): Promise<CsrMatrix> {
  const caller = 'readMatrixMarket';
  checkOptions(caller, options, readRules);
  const { precision, maxDimension } = { ...readDefaults, ...defined(options) };
  checkCount(caller, 'maxDimension', maxDimension);
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  if (!(bytes instanceof Uint8Array)) throw badKind(caller, 'a Uint8Array or a string', source);
  const pieces = isGzip(bytes) ? decompress(caller, 'gzip', [bytes]) : [bytes];
  const entries = new TripletBuffer(caller, Math.ceil(bytes.length / typicalEntryBytes));
  const parser = matrixMarketParser(caller, maxDimension, entries);
  for await (const block of wholeLines(caller, pieces)) parser.read(block);
  const shape = parser.finish();
  return assemble(caller, entries.triplets, shape, precision);
}

/**
 * The bytes of a file in coordinate format, sorted by row. Numbers have the fewest digits that read back as the same bits in
 * the precision of the matrix.
 */
export async function writeMatrixMarket(
  matrix: CsrMatrix,
  options: MatrixMarketWriteOptions = {},
): Promise<Uint8Array> {
  const caller = 'writeMatrixMarket';
  checkOptions(caller, options, writeRules);
  const { symmetry, gzip } = { ...writeDefaults, ...defined(options) };
  checkCsr(caller, matrix);
  const symmetric = symmetry !== 'general' && isExactlySymmetric(matrix);
  if (symmetry === 'symmetric' && !symmetric) {
    throw badValue(caller, 'a symmetric matrix', 'an asymmetric one', 'Pass symmetrize(matrix).');
  }
  const pieces = piecesOf(matrix, symmetric);
  return gzip ? compress('gzip', pieces) : concatenate([...pieces]);
}

/** The length of a short line such as `1024 2048 0.5`, to estimate the number of entries. */
const typicalEntryBytes = 14;

const linesPerPiece = 4096;

/** Whether the matrix equals its transpose in positions and bits. */
function isExactlySymmetric(matrix: CsrMatrix): boolean {
  if (matrix.rows !== matrix.cols) return false;
  let symmetric = true;
  forEachPair(matrix, (a, b, _i, _j, bothStored) => {
    symmetric &&= bothStored && Object.is(a, b);
  });
  return symmetric;
}

function* piecesOf(matrix: CsrMatrix, lowerOnly: boolean): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const digits = shortestDigits[matrix.precision];
  const { rows, cols, starts, columns, values } = matrix;
  const endOf = (i: number): number => firstAtLeast(columns, lowerOnly ? i + 1 : cols, starts[i], starts[i + 1]);
  let count = 0;
  for (let i = 0; i < rows; i++) count += endOf(i) - starts[i];
  let text = `%%MatrixMarket matrix coordinate real ${lowerOnly ? 'symmetric' : 'general'}\n${rows} ${cols} ${count}\n`;
  let lines = 0;
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i], end = endOf(i); e < end; e++) {
      text += `${i + 1} ${columns[e] + 1} ${digits(values[e])}\n`;
      if (++lines % linesPerPiece === 0) {
        yield encoder.encode(text);
        text = '';
      }
    }
  }
  yield encoder.encode(text);
}
