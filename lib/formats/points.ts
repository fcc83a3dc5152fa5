/** Reads points from CSV, NPY or IDX, or the gzip of these. The format is detected from the first bytes. */

import { badValue, checkFinite, showShape } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { concatenate } from './bytes/compression.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { type ByteSource, openSource, textPieces } from './bytes/byte-source.ts';
import { type CsvReadOptions, csvReadRules, readCsvPieces } from './csv/csv.ts';
import { checkDataset, type Dataset } from './dataset.ts';
import { collectIdx, isIdx } from './idx.ts';
import { collectNpy } from './numpy/npy-tensor.ts';

/** The file formats for points. */
export type PointsFormat = 'csv' | 'npy' | 'idx';

/** The options about columns, separators and comments apply to CSV only. */
export interface PointsOptions extends CsvReadOptions {
  /** Default: detected from the first bytes. */
  readonly format?: PointsFormat;
}

export const pointsRules: Rules<PointsOptions> = { ...csvReadRules, format: ['csv', 'npy', 'idx'] };

/**
 * Points from the bytes of a file: one for each row of CSV, or for each index of an array's first axis, with the other axes
 * flattened to columns. Refuses NaN and infinities.
 */
export async function readPoints(source: ByteSource, options: PointsOptions = {}): Promise<Dataset> {
  checkOptions('readPoints', options, pointsRules);
  return readPointsAs('readPoints', source, options);
}

/** The format by the ending of a file name, without .gz; undefined if the ending is unknown. */
export function formatFromName(name: string): PointsFormat | undefined {
  const ending = /[.-]([a-z]+)(?:\.gz)?$/i.exec(name)?.[1].toLowerCase() ?? '';
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/** `readPoints` with errors that name `caller`. For this folder only. */
export async function readPointsAs(caller: string, source: ByteSource, options: PointsOptions): Promise<Dataset> {
  const { format, name = 'points', precision = 'single' } = options;
  const { isCompressed, pieces: all } = await openSource(caller, source);
  const { begin, pieces } = await peek(all);
  const chosen = format ?? detectFormat(begin);
  if (chosen === 'csv') {
    const text = textPieces(caller, { isCompressed, pieces }, options.maxBytes);
    return readCsvPieces(caller, text, { ...options, name });
  }
  if (options.label !== undefined) {
    const remedy = 'Omit `label`, and read the labels from a file of their own.';
    throw badValue(caller, 'a label column with CSV only', `label with ${chosen.toUpperCase()}`, remedy);
  }
  const points =
    chosen === 'npy' ? await collectNpy(caller, pieces, precision) : await idxTensor(caller, pieces, precision);
  if (points.shape.length === 0) throw badValue(caller, 'an array with at least one axis', showShape(points.shape));
  checkFinite(caller, 'points', points.data, points.cols);
  const flat = points.shape.length === 2 ? points : points.reshape([points.rows, points.cols]);
  return checkDataset(caller, { name, points: flat, ...imageShape(points) });
}

/** The files of MNIST are called train-images-idx3-ubyte. */
const endings: Record<string, PointsFormat> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  npy: 'npy',
  idx: 'idx',
  ubyte: 'idx',
};

/** The number of first bytes that determine the format. */
const magicLength = 6;

function detectFormat(begin: Uint8Array): PointsFormat {
  if (begin[0] === 0x93 && String.fromCharCode(...begin.subarray(1, magicLength)) === 'NUMPY') return 'npy';
  return isIdx(begin) ? 'idx' : 'csv';
}

/** The first bytes, and all pieces including those. */
async function peek(
  source: AsyncGenerator<Uint8Array>,
): Promise<{ begin: Uint8Array; pieces: AsyncGenerator<Uint8Array> }> {
  const first: Uint8Array[] = [];
  for (let length = 0; length < magicLength; length += first[first.length - 1].length) {
    const next = await source.next();
    if (next.done) break;
    first.push(next.value);
  }
  return { begin: concatenate(first.map((piece) => piece.subarray(0, magicLength))), pieces: prepend(first, source) };
}

/** The first pieces, then the rest. */
async function* prepend(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
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
