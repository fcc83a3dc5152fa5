/** Reads the user's file, a table, an array of numbers or a model, within the limits of a browser tab. */

import { gatherRows } from '../../../lib/autodiff/functions.ts';
import { loadModel } from '../../../lib/embedding/model/model-file.ts';
import type { Model } from '../../../lib/embedding/model/model.ts';
import { Random } from '../../../lib/core/random.ts';
import { collect, decompressedPieces } from '../../../lib/formats/bytes/byte-source.ts';
import type { Dataset } from '../../../lib/formats/dataset.ts';
import { formatFromName, readPointsAs } from '../../../lib/formats/points.ts';
import { readTableFrom } from '../../../lib/formats/table/read-table.ts';
import type { Table } from '../../../lib/formats/table/table.ts';
import type { Wording } from '../../../lib/formats/table/wording.ts';
import { fileLimits, megabytes, otherwise, shortName, type UserFile } from '../user-file.ts';

/** The points of a file: all rows, or a sample of them, and what the reader noticed. */
export interface FileData extends Dataset {
  readonly totalRows: number;
  readonly notes: readonly string[];
}

/** Refuses, in the name of the file, what is no table and what is too large. */
export async function readUserFile(file: UserFile, seed: number): Promise<FileData> {
  const name = shortName(file.name);
  if (file.bytes.length === 0) throw new RangeError(`${name} is empty. A table has a row for each point.`);
  if (/\.npz$/i.test(name)) throw new RangeError(`${name} is an archive of arrays. Save one by numpy.save, as .npy.`);
  const bytes = await decompress(name, file.bytes);
  const { data, notes } = isArray(file.name, bytes) ? await readArray(name, bytes) : await readText(name, bytes);
  const { rows, cols } = data.points;
  if (cols > fileLimits.columns) throw tooMany(name, cols, 'columns', fileLimits.columns);
  const most = Math.min(fileLimits.points, Math.floor(fileLimits.numbers / cols));
  return { ...(rows <= most ? data : sample(data, most, seed)), name, totalRows: rows, notes };
}

/** The model in a file. Refuses, in the name of the file, what is none. */
export function readModel({ name, bytes }: UserFile): Model {
  try {
    return loadModel(bytes);
  } catch (error) {
    const problem = (error as Error).message.replace(/^\w+: /, '');
    throw new RangeError(`${shortName(name)} is not a saved model: ${problem}`);
  }
}

interface Read {
  readonly data: Dataset;
  readonly notes: readonly string[];
}

async function decompress(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  const most = megabytes(fileLimits.bytes);
  const tooLong = new RangeError(
    `${name} is larger than ${most} when it is decompressed; this page reads up to ${most}. ${otherwise}`,
  );
  const rule = { lengthOf: () => fileLimits.bytes, tooLong: () => tooLong };
  return collect(decompressedPieces(name, bytes), rule).catch((error: Error) => {
    throw error === tooLong ? error : withRemedy(error, 'Compress it again, or drop it as it is.');
  });
}

function withRemedy({ message }: Error, remedy: string): RangeError {
  return new RangeError(`${message} ${remedy}`);
}

/** NPY and IDX, by their first bytes or by the ending of the name. */
function isArray(name: string, bytes: Uint8Array): boolean {
  const begin = String.fromCharCode(...bytes.subarray(0, 6));
  return begin === '\u0093NUMPY' || ['npy', 'idx'].includes(formatFromName(name) ?? '');
}

async function readArray(name: string, bytes: Uint8Array): Promise<Read> {
  const format = bytes[0] === 0 ? 'idx' : 'npy';
  const { points, imageShape } = await readPointsAs(name, bytes, { name, format }).catch((error: Error) => {
    throw withRemedy(error, 'Save the array again, or save a table as CSV.');
  });
  // The page draws images of 28×28 numbers from 0 to 1.
  const isDigit = imageShape?.join() === '28,28' && points.data.every((value) => value >= 0 && value <= 255);
  if (!isDigit) return { data: { name, points }, notes: [] };
  const scaled = points.copy();
  const largest = points.data.some((value) => value > 1) ? 255 : 1;
  for (let i = 0; i < scaled.size; i++) scaled.data[i] /= largest;
  return { data: { name, points: scaled, imageShape }, notes: [] };
}

async function readText(name: string, bytes: Uint8Array): Promise<Read> {
  const lines = bytes.reduce((sum, byte) => sum + (byte === 0x0a ? 1 : 0), 0);
  if (lines > fileLimits.lines) throw tooMany(name, lines, 'lines', fileLimits.lines);
  async function* once(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const wording: Wording = { caller: name, option: (option, value) => `--${option} '${value}'` };
  const read = (label: { label?: string } = {}): Promise<Table> => readTableFrom(wording, once, { name, ...label });
  const table = await read().catch((error: Error) => {
    throw new RangeError(explainFlags(error.message));
  });
  const { labelColumn, labelCandidates } = table;
  const isClear = labelColumn === undefined && labelCandidates.length === 1;
  const labeled = isClear ? await read({ label: labelCandidates[0] }) : table;
  return { data: labeled, notes: notesOf(labeled) };
}

/** The page has no options for a table. The command line has. */
function explainFlags(text: string): string {
  return text.includes(' --') ? `${text} (With the command line: specnet embed FILE.)` : text;
}

function notesOf({ leftOut, labelColumn, notes }: Table): string[] {
  const shown = leftOut.slice(0, 6).map(({ name, reason }) => `${shortName(name)} (${reason})`);
  const more = leftOut.length > shown.length ? ` and ${leftOut.length - shown.length} more` : '';
  return [
    ...(labelColumn === undefined ? [] : [`Label: ${shortName(labelColumn)}.`]),
    ...(shown.length === 0 ? [] : [`Left out: ${shown.join(', ')}${more}.`]),
    ...notes.map(explainFlags),
  ];
}

/** Some of the rows, drawn at random, in their order. */
function sample(data: Dataset, count: number, seed: number): Dataset {
  const { name, points, labels, labelNames, imageShape } = data;
  const rows = Int32Array.from({ length: points.rows }, (_, row) => row);
  new Random(seed).fork('sample').bringToFront(rows, count);
  const kept = rows.slice(0, count).toSorted();
  return {
    name,
    points: gatherRows(points, kept),
    ...(labels && { labels: kept.map((row) => labels[row]) }),
    ...(labelNames && { labelNames }),
    ...(imageShape && { imageShape }),
  };
}

function tooMany(name: string, count: number, what: string, most: number): RangeError {
  const [found, limit] = [count, most].map((number) => number.toLocaleString('en'));
  return new RangeError(`${name} has ${found} ${what}; this page reads up to ${limit}. ${otherwise}`);
}
