/** How are Matrix Market files (.mtx, .mtx.gz) read and written? */

import { badKind, badValue, checkChoice, checkCount } from '../../core/check.ts';
import { shortestDigits } from '../../core/digits.ts';
import { firstAtLeast } from '../../core/search.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { isGzip, join, pack, unpack } from '../bytes/compression.ts';
import { checkCsr, type CsrMatrix } from '../../sparse/csr.ts';
import { forEachPair } from '../../sparse/inspect.ts';
import { wholeLines } from '../bytes/lines.ts';
import { matrixMarketParser } from './parser.ts';

/** In which precision a matrix is read, and how large it may claim to be. */
export interface MatrixMarketReadOptions {
  /** 'single' unless said otherwise. Numbers are read as doubles, exactly, and rounded once. */
  readonly precision?: Precision;
  /** The most rows or columns a header may claim: an empty row takes four bytes. */
  readonly maxSide?: number;
}

/** Whether one triangle is enough, and whether the file is packed. */
export interface MatrixMarketWriteOptions {
  /** 'auto', the default, writes one triangle of a matrix that is exactly symmetric. */
  readonly symmetry?: 'auto' | 'general' | 'symmetric';
  readonly gzip?: boolean;
}

const readDefaults = { precision: 'single', maxSide: 1e8 } as const;
const writeDefaults = { symmetry: 'auto', gzip: false } as const;

/**
 * A matrix from the bytes or the text of a file, inflated first if they are gzip. Coordinate and array format; real,
 * integer and pattern (ones); general, symmetric and skew-symmetric. Entries of one place are added up. Memory grows
 * with the entries that the file holds and the rows that it claims, `maxSide` at the most.
 */
export async function readMatrixMarket(
  source: Uint8Array | string,
  options: MatrixMarketReadOptions = {},
): Promise<CsrMatrix> {
  const caller = 'readMatrixMarket';
  const { precision, maxSide } = { ...readDefaults, ...options };
  checkChoice(caller, 'precision', precision, ['single', 'double']);
  checkCount(caller, 'maxSide', maxSide);
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  if (!(bytes instanceof Uint8Array)) throw badKind(caller, 'a Uint8Array or a string', source);
  const pieces = isGzip(bytes) ? unpack(caller, 'gzip', bytes) : [bytes];
  const parser = matrixMarketParser(caller, maxSide, Math.ceil(bytes.length / usualEntry));
  for await (const block of wholeLines(caller, pieces)) parser.read(block);
  return parser.finish(precision);
}

/**
 * Coordinate format, by row. Numbers have the fewest digits that read back as the same bits, in the precision of the
 * matrix.
 */
export async function writeMatrixMarket(
  matrix: CsrMatrix,
  options: MatrixMarketWriteOptions = {},
): Promise<Uint8Array> {
  const caller = 'writeMatrixMarket';
  const { symmetry, gzip } = { ...writeDefaults, ...options };
  checkChoice(caller, 'symmetry', symmetry, ['auto', 'general', 'symmetric']);
  checkCsr(caller, matrix);
  const symmetric = symmetry !== 'general' && isMirrored(matrix);
  if (symmetry === 'symmetric' && !symmetric) {
    throw badValue(caller, 'a symmetric matrix', 'one that is not', 'Pass symmetrize(matrix).');
  }
  const pieces = piecesOf(matrix, symmetric);
  return gzip ? pack('gzip', pieces) : join([...pieces]);
}

/** Bytes of a short line, such as `1024 2048 0.5`, to guess the number of entries by. */
const usualEntry = 14;

const linesPerPiece = 4096;

/** Equal to its transpose in places and in bits. */
function isMirrored(matrix: CsrMatrix): boolean {
  if (matrix.rows !== matrix.cols) return false;
  let mirrored = true;
  forEachPair(matrix, (a, b, _i, _j, bothStored) => {
    mirrored &&= bothStored && Object.is(a, b);
  });
  return mirrored;
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
