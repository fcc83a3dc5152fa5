/** The landmarks and the metric of a model as facts and tensors of a model file. */

import type { MetricOptions } from '../../graph/neighbors/metric.ts';
import { normOptions, resolveMetric } from '../../graph/neighbors/metric.ts';
import { Landmarks } from '../../network/bodies/landmarks.ts';
import { checkedCsr } from '../../sparse/csr.ts';
import { checkIndices } from '../../sparse/indices.ts';
import { isSparse } from '../../sparse/points.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { type ExpectedTensor, isWhole } from './schema.ts';

/** The facts about sparse landmarks in a file. */
export interface SparseFacts {
  /** The shape of sparse landmarks, which are three tensors: starts, columns, values. Missing for dense ones. */
  readonly sparse?: readonly [rows: number, cols: number];
}

export const isShapeOfMatrix = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((size) => isWhole(size, 1, 0x7ffffffe));

/** The three tensors of sparse landmarks. */
export function sparseTensors([rows]: readonly [rows: number, cols: number]): readonly ExpectedTensor[] {
  return [
    { name: 'the row starts of the landmarks', shape: [rows + 1], precision: 'double' },
    { name: 'the columns of the landmarks', shape: ['entries'], precision: 'double' },
    { name: 'the values of the landmarks', shape: ['entries'], precision: null },
  ];
}

/** The facts beside the number of neighbors, and one tensor for dense landmarks, three for sparse ones. */
export function packLandmarks({ centers }: Landmarks): { facts: SparseFacts; tensors: Tensor[] } {
  if (!isSparse(centers)) return { facts: {}, tensors: [centers] };
  const { rows, cols, starts, columns, values } = centers;
  // Doubles hold every index.
  const tensors = [Float64Array.from(starts), Float64Array.from(columns), values].map((data) => {
    return new Tensor(data, [data.length]);
  });
  return { facts: { sparse: [rows, cols] }, tensors };
}

/** The landmarks, and the tensors that follow them. */
export function unpackLandmarks(
  caller: string,
  neighbors: number,
  { metric, sparse }: SparseFacts & { readonly metric?: MetricOptions },
  tensors: readonly Tensor[],
): { landmarks: Landmarks; rest: readonly Tensor[] } {
  const norm = normOptions(resolveMetric(caller, metric ?? {}));
  const centers = sparse ? unpackSparse(caller, sparse, tensors) : tensors[0];
  return { landmarks: new Landmarks(centers, neighbors, norm, caller), rest: tensors.slice(sparse ? 3 : 1) };
}

function unpackSparse(caller: string, sparse: readonly [rows: number, cols: number], tensors: readonly Tensor[]) {
  const [starts, columns] = sparseTensors(sparse)
    .slice(0, 2)
    .map(({ name }, i) => checkIndices(caller, name, tensors[i].data, 2 ** 31));
  return checkedCsr(caller, ...sparse, starts, columns, tensors[2].data).copy();
}
