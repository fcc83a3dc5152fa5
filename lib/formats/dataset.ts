/** What is a data set? Points, and what is known about them: labels, names, where on a curve they were drawn. */

import { badKind, badValue, showShape } from '../core/check.ts';
import { Tensor } from '../tensor/tensor.ts';

/** Points, and what is known about them. */
export interface Dataset {
  readonly name: string;
  /** n×d, one point a row. */
  readonly points: Tensor;
  /** One for every point. */
  readonly labels?: Int32Array;
  /** What the labels mean: `labelNames[label]`. */
  readonly labelNames?: readonly string[];
  /** One for every column of the points. */
  readonly columnNames?: readonly string[];
  /** n×q, double precision: angle, arc or height at which each point was drawn, before noise moved it. */
  readonly intrinsic?: Tensor<Float64Array>;
  /** Height and width, where a point is an image. */
  readonly imageShape?: readonly [height: number, width: number];
}

/** Two draws of one law, or the two parts of one collection. */
export interface TrainAndTest {
  readonly train: Dataset;
  readonly test: Dataset;
}

/** The parts as a data set, once they are known to belong together. Nothing is copied. */
export function dataset(parts: Dataset): Dataset {
  return joined('dataset', parts);
}

/** Both draws of a generator: the same options, one seed, forked by the names 'train' and 'test'. */
export function trainAndTest<O extends { readonly draw?: string }>(
  generate: (options?: O) => Dataset,
  options: O = {} as O,
): TrainAndTest {
  return { train: generate({ ...options, draw: 'train' }), test: generate({ ...options, draw: 'test' }) };
}

/** For this folder: the same as `dataset`, its errors in the name of `caller`. */
export function joined(caller: string, parts: Dataset): Dataset {
  const { points, labels, labelNames, columnNames, intrinsic } = parts;
  if (!(points instanceof Tensor)) throw badKind(caller, 'points to be a Tensor', points, 'tensor() makes one.');
  if (points.shape.length !== 2) throw badValue(caller, 'points of two axes, n×d', showShape(points.shape));
  const { rows, cols } = points;
  if (rows < 1 || cols < 1) throw badValue(caller, 'at least one point of one coordinate', showShape(points.shape));
  if (labels !== undefined) checkLabels(caller, labels, rows, labelNames);
  if (columnNames !== undefined && columnNames.length !== cols) {
    throw badValue(caller, `${cols} column names, as the points have columns`, columnNames.length);
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
  const stray = labels.findIndex((label) => label < 0 || label >= names.length);
  if (stray >= 0) {
    throw badValue(
      caller,
      `labels from 0 to ${names.length - 1}, which have names`,
      `${labels[stray]} at index ${stray}`,
    );
  }
}
