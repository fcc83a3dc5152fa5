/** `Dataset`: points with labels, names and intrinsic coordinates. */

import { badKind, badValue, checkObject, showShape } from '../core/check.ts';
import { Tensor } from '../tensor/tensor.ts';

/** Points with what is known about them: labels, names, intrinsic coordinates, image shape. */
export interface Dataset {
  readonly name: string;
  /** n×d, one point per row. */
  readonly points: Tensor;
  /** One for every point. */
  readonly labels?: Int32Array;
  /** The name of a label is `labelNames[label]`. */
  readonly labelNames?: readonly string[];
  /** The name of the column of labels in the file. */
  readonly labelColumn?: string;
  /** Names of the points, one for each. */
  readonly ids?: readonly string[];
  /** The name of the column of ids in the file. */
  readonly idColumn?: string;
  /** One for every column of the points. */
  readonly columnNames?: readonly string[];
  /** n×q, double precision: the angle, arc length or height at which each point was drawn, before noise was added. */
  readonly intrinsic?: Tensor<Float64Array>;
  /** Height and width, if a point is an image. */
  readonly imageShape?: readonly [height: number, width: number];
}

/** Two draws from the same distribution, or the two parts of a collection. */
export interface TrainAndTest {
  readonly train: Dataset;
  readonly test: Dataset;
}

/** The parts as a data set, after a check that their sizes agree. Copies nothing. */
export function dataset(parts: Dataset): Dataset {
  return checkDataset('dataset', parts);
}

/** Two draws of a generator with the same options and seed. The seed is forked by the names 'train' and 'test'. */
export function trainAndTest<O extends { readonly draw?: string }>(
  generate: (options?: O) => Dataset,
  options: O = {} as O,
): TrainAndTest {
  if (typeof generate !== 'function') throw badKind('trainAndTest', 'a generator such as twoMoons', generate);
  return { train: generate({ ...options, draw: 'train' }), test: generate({ ...options, draw: 'test' }) };
}

/** `dataset` with errors that name `caller`. Internal. */
export function checkDataset(caller: string, parts: Dataset): Dataset {
  checkObject(caller, parts, 'the parts of a data set');
  const { points, labels, labelNames, ids, columnNames, intrinsic } = parts;
  if (!(points instanceof Tensor)) throw badKind(caller, 'points to be a Tensor', points, 'tensor() makes one.');
  if (points.shape.length !== 2) throw badValue(caller, 'points with two axes, n×d', showShape(points.shape));
  const { rows, cols } = points;
  if (rows < 1 || cols < 1) throw badValue(caller, 'at least one point of one coordinate', showShape(points.shape));
  if (labels !== undefined) checkLabels(caller, labels, rows, labelNames);
  if (ids !== undefined && ids.length !== rows) throw badValue(caller, `${rows} ids, one for every point`, ids.length);
  if (columnNames !== undefined && columnNames.length !== cols) {
    throw badValue(caller, `${cols} column names, one for every column of the points`, columnNames.length);
  }
  if (intrinsic !== undefined && intrinsic.rows !== rows) {
    throw badValue(caller, `${rows} rows of intrinsic coordinates, one for every point`, intrinsic.rows);
  }
  return parts;
}

function checkLabels(caller: string, labels: Int32Array, rows: number, names: readonly string[] | undefined): void {
  if (!(labels instanceof Int32Array)) throw badKind(caller, 'labels to be an Int32Array', labels);
  if (labels.length !== rows) throw badValue(caller, `${rows} labels, one for every point`, labels.length);
  if (names === undefined) return;
  const invalid = labels.findIndex((label) => label < 0 || label >= names.length);
  if (invalid >= 0) {
    const rule = `labels from 0 to ${names.length - 1}, those in labelNames`;
    throw badValue(caller, rule, `${labels[invalid]} at index ${invalid}`);
  }
}
