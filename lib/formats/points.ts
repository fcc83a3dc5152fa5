/** Which reader is for which file? CSV, NPY and IDX, told apart by their names or first bytes; gzip of any. */

import { badValue, checkChoice, checkFinite, showShape } from '../core/check.ts';
import { join } from './bytes/compression.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { type ByteSource, unpackedPieces } from './bytes/byte-source.ts';
import { type CsvReadOptions, readCsvPieces } from './csv/csv.ts';
import { type Dataset, joined } from './dataset.ts';
import { collectIdx, isIdx } from './idx.ts';
import { collectNpy } from './numpy/npy-tensor.ts';

/** The kinds of files that hold points. */
export type PointsFormat = 'csv' | 'npy' | 'idx';

/** What is said of columns, separators and comments is for CSV. */
export interface PointsOptions extends CsvReadOptions {
  /** Told by the first bytes if left out. */
  readonly format?: PointsFormat;
}

/**
 * Points from the bytes of a file: one a row of CSV, or one for each index of an array's first axis, whose other axes
 * become columns. NaN and infinities are refused.
 */
export async function readPoints(source: ByteSource, options: PointsOptions = {}): Promise<Dataset> {
  return readPointsAs('readPoints', source, options);
}

/** The format that a file name means; undefined where it means none. An ending .gz does not count. */
export function formatOf(name: string): PointsFormat | undefined {
  const ending = /[.-]([a-z]+)(?:\.gz)?$/i.exec(name)?.[1].toLowerCase() ?? '';
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/** For this folder: errors in the name of `caller`. */
export async function readPointsAs(caller: string, source: ByteSource, options: PointsOptions): Promise<Dataset> {
  const { format, name = 'points', precision = 'single' } = options;
  if (format !== undefined) checkChoice(caller, 'format', format, ['csv', 'npy', 'idx']);
  checkChoice(caller, 'precision', precision, ['single', 'double']);
  const { begin, pieces } = await peek(unpackedPieces(caller, source));
  const chosen = format ?? guess(begin);
  if (chosen === 'csv') return readCsvPieces(caller, pieces, { ...options, name });
  if (options.label !== undefined) {
    throw badValue(caller, 'a label column in CSV alone', `one for ${chosen.toUpperCase()}`, 'Read the labels apart.');
  }
  const points =
    chosen === 'npy' ? await collectNpy(caller, pieces, precision) : await idxTensor(caller, pieces, precision);
  if (points.shape.length === 0) throw badValue(caller, 'an array of at least one axis', showShape(points.shape));
  checkFinite(caller, 'points', points.data, points.cols);
  const flat = points.shape.length === 2 ? points : points.reshape([points.rows, points.cols]);
  return joined(caller, { name, points: flat, ...imageShape(points) });
}

/** MNIST's own files are called train-images-idx3-ubyte. */
const endings: Record<string, PointsFormat> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  npy: 'npy',
  idx: 'idx',
  ubyte: 'idx',
};

/** Enough to know every format by. */
const magicLength = 6;

function guess(begin: Uint8Array): PointsFormat {
  if (begin[0] === 0x93 && String.fromCharCode(...begin.subarray(1, magicLength)) === 'NUMPY') return 'npy';
  return isIdx(begin) ? 'idx' : 'csv';
}

/** The first bytes, and all pieces still. */
async function peek(
  source: AsyncGenerator<Uint8Array>,
): Promise<{ begin: Uint8Array; pieces: AsyncGenerator<Uint8Array> }> {
  const first: Uint8Array[] = [];
  for (let length = 0; length < magicLength; length += first[first.length - 1].length) {
    const next = await source.next();
    if (next.done) break;
    first.push(next.value);
  }
  return { begin: join(first.map((piece) => piece.subarray(0, magicLength))), pieces: resumed(first, source) };
}

async function* resumed(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first.splice(0);
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function idxTensor(
  caller: string,
  pieces: AsyncIterable<Uint8Array>,
  precision: 'single' | 'double',
): Promise<Tensor> {
  const { data, shape } = await collectIdx(caller, pieces);
  if (data.length === 0) throw badValue(caller, 'at least one point of one coordinate', showShape(shape));
  const result = zeros(shape, precision);
  result.data.set(data);
  return result;
}

function imageShape({ shape }: Tensor): { imageShape?: [number, number] } {
  return shape.length === 3 ? { imageShape: [shape[1], shape[2]] } : {};
}
