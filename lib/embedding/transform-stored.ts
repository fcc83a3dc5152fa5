/** `transformStored`: the coordinates of points under a model, from a file to a file. */

import { badKind, badValue } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { type ProgressOptions, progressRules, subtask, type Task } from '../core/task.ts';
import { checkApart } from '../files/destination.ts';
import { ArrayReader, ArrayWriter } from '../storage/arrays/array-file.ts';
import { PageCache } from '../storage/arrays/page-cache.ts';
import { checkMemory, defaultStoreBytes, runWithin } from '../storage/memory-budget.ts';
import { openStoredPoints, type StoredPoints } from '../storage/stored-points.ts';
import { inputsOfModel, type Model, outputsOfModel, transformSteps } from './model/model.ts';

/** Points that are transformed at a time. */
const blockRows = 1 << 13;
/** The part of the memory for pages of points. */
const cachePart = 1 / 8;

/** The memory of a transformation. */
export interface StoredTransformOptions extends ProgressOptions {
  /** The memory to use in bytes, approximately, besides the model. Default: 256 MiB. */
  readonly memory?: number;
}

const transformRules: Rules<StoredTransformOptions> = { ...progressRules, memory: 'number' };

/** The number of points, and the least, mean and greatest of each coordinate. */
export interface StoredCoordinates {
  readonly rows: number;
  readonly columns: readonly { readonly min: number; readonly mean: number; readonly max: number }[];
}

/**
 * Writes the coordinates of the points in a .npy file to another .npy file, block by block, with the bits of `transform`. The
 * output takes its name when it is complete.
 */
export async function transformStored(
  model: Model,
  path: string,
  out: string,
  options: StoredTransformOptions = {},
): Promise<StoredCoordinates> {
  const name = 'transformStored';
  if (model?.kind !== 'landmarks' && model?.kind !== 'network') throw badKind(name, 'a model', model);
  checkOptions(name, options, transformRules);
  if (typeof path !== 'string') throw badKind(name, 'the path of a .npy file', path);
  if (typeof out !== 'string') throw badKind(name, 'the path of a file to write', out);
  checkApart(name, 'out', out, path);
  return transformRange(name, model, path, out, options);
}

/** A range of rows, from … to − 1. */
interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** `transformStored` for some of the points: by default for all of them. The options were checked. */
export async function transformRange(
  name: string,
  model: Model,
  path: string,
  out: string,
  options: StoredTransformOptions,
  range?: RowRange,
): Promise<StoredCoordinates> {
  const { memory = defaultStoreBytes } = options;
  checkMemory(name, memory);
  const points = openStoredPoints(path, { memory: memory * cachePart });
  try {
    const rows = range ?? { from: 0, to: points.size };
    return await runWithin(transformFileSteps(name, model, points, rows, out), memory, options);
  } finally {
    points.close();
  }
}

/** Refuses points of another number of columns than the model has. */
export function checkModelColumns(name: string, model: Model, { cols }: Pick<StoredPoints, 'cols'>): void {
  if (cols !== inputsOfModel(model)) throw badValue(name, `${inputsOfModel(model)} columns as in fit`, cols);
}

function* transformFileSteps(
  name: string,
  model: Model,
  points: StoredPoints,
  range: RowRange,
  out: string,
): Task<StoredCoordinates> {
  const width = outputsOfModel(model);
  checkModelColumns(name, model, points);
  const size = range.to - range.from;
  const columns = Array.from({ length: width }, () => ({ min: Infinity, sum: 0, max: -Infinity }));
  const writer = new ArrayWriter('--out', out, '<f4', width);
  try {
    for (let { from } = range; from < range.to; from += blockRows) {
      const to = Math.min(range.to, from + blockRows);
      const steps = transformSteps(name, model, points.rowRange(from, to));
      const [begun, end] = [from, to].map((row) => (row - range.from) / size);
      const { data } = yield* subtask(steps, begun, end);
      for (let at = 0; at < data.length; at++) {
        const column = columns[at % width];
        column.min = Math.min(column.min, data[at]);
        column.max = Math.max(column.max, data[at]);
        column.sum += data[at];
      }
      writer.append(data);
    }
  } catch (error) {
    writer.discard();
    throw error;
  }
  writer.finish();
  return { rows: size, columns: columns.map(({ min, sum, max }) => ({ min, mean: sum / size, max })) };
}

/** Writes the coordinates of several files that `transformRange` wrote, one after the other, to one file. */
export function joinCoordinates(name: string, pieces: readonly string[], out: string): void {
  const cache = new PageCache(name, 2 ** 20);
  let writer: ArrayWriter | null = null;
  try {
    for (const path of pieces) {
      const array = new ArrayReader(name, path, cache);
      try {
        const [rows, width] = array.header.shape;
        writer ??= new ArrayWriter('--out', out, '<f4', width);
        for (let from = 0; from < rows; from += blockRows) {
          const block = new Float32Array((Math.min(rows, from + blockRows) - from) * width);
          array.read(from * width, block);
          writer.append(block);
        }
      } finally {
        array.close();
      }
    }
  } catch (error) {
    writer?.discard();
    throw error;
  }
  writer?.finish();
}
