/** The landmarks and the metric of a model as facts and tensors of a model file. */

import type { MetricOptions } from '../../graph/neighbors/metric.ts';
import { normOptions, resolveMetric } from '../../graph/neighbors/metric.ts';
import { Landmarks } from '../../network/bodies/landmarks.ts';
import { fromCsr } from '../../sparse/build.ts';
import { isSparse } from '../../sparse/points.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Absent in files of dense Euclidean landmarks. */
export interface LandmarkFacts {
  readonly metric?: MetricOptions;
  /** The shape of sparse landmarks, which are three tensors: starts, columns, values. */
  readonly sparse?: readonly [rows: number, cols: number];
}

/** The facts beside the number of neighbors, and one tensor for dense landmarks, three for sparse ones. */
export function packLandmarks({ centers }: Landmarks): { facts: LandmarkFacts; tensors: Tensor[] } {
  if (!isSparse(centers)) return { facts: {}, tensors: [centers] };
  const { rows, cols, starts, columns, values } = centers;
  // Doubles hold every index.
  const tensors = [Float64Array.from(starts), Float64Array.from(columns), values].map((data) => {
    return new Tensor(data, [data.length]);
  });
  return { facts: { sparse: [rows, cols] }, tensors };
}

/** The landmarks, and the tensors behind theirs. */
export function unpackLandmarks(
  caller: string,
  neighbors: number,
  { metric, sparse }: LandmarkFacts,
  tensors: readonly Tensor[],
): { landmarks: Landmarks; rest: readonly Tensor[] } {
  const norm = normOptions(resolveMetric(caller, metric ?? {}));
  if (!sparse) return { landmarks: new Landmarks(tensors[0], neighbors, norm), rest: tensors.slice(1) };
  const [starts, columns, values] = tensors.map(({ data }) => data);
  const centers = fromCsr({ starts, columns, values }, sparse);
  return { landmarks: new Landmarks(centers, neighbors, norm), rest: tensors.slice(3) };
}
