/** The preprocessing of a model as facts and tensors of a model file. */

import { Tensor } from '../../tensor/tensor.ts';
import { type Preprocessing, type Scale, scales } from './preprocess.ts';
import { type ExpectedTensor, type Fields, oneOf } from './schema.ts';

/** The facts about preprocessing in a file. */
export interface PreprocessingFacts {
  /** Missing if points are not scaled. */
  readonly scale?: Scale;
  /** Missing without PCA. */
  readonly pca?: true;
}

export const preprocessingFields: Fields<PreprocessingFacts> = {
  scale: { ...oneOf(scales), optional: true },
  pca: { ...oneOf([true]), optional: true },
};

export function preprocessingFacts(preprocessing: Preprocessing | undefined): PreprocessingFacts {
  if (!preprocessing) return {};
  const { scale, axes } = preprocessing;
  return { ...(scale !== 'none' && { scale }), ...(axes && { pca: true }) };
}

/** The last tensors of the file. `inputs` names the number of columns after preprocessing. */
export function preprocessingTensors(facts: PreprocessingFacts, inputs: string): readonly ExpectedTensor[] {
  const { scale = 'none', pca } = facts;
  // Columns are shifted and divided for principal components, and for scales of columns.
  if (!pca && (scale === 'none' || scale === 'unit')) return [];
  const given = pca ? 'given columns' : inputs;
  const shapes = { 'the shift': [given], 'the divisor': [given], ...(pca && { 'the axes': [given, inputs] }) };
  return Object.entries(shapes).map(([name, shape]) => ({ name, shape, precision: 'double' }));
}

export function packPreprocessing(preprocessing: Preprocessing | undefined): Tensor[] {
  const { columns, axes } = preprocessing ?? {};
  const vectors = columns ? [columns.shift, columns.divisor] : [];
  return [...vectors.map((data) => new Tensor(data, [data.length])), ...(axes ? [axes] : [])];
}

/** The preprocessing, and the tensors before those of it. */
export function unpackPreprocessing(
  facts: PreprocessingFacts,
  tensors: readonly Tensor[],
): { preprocessing: Preprocessing | undefined; rest: readonly Tensor[] } {
  const { scale = 'none', pca } = facts;
  const count = preprocessingTensors(facts, '').length;
  const rest = tensors.slice(0, tensors.length - count);
  if (scale === 'none' && !pca) return { preprocessing: undefined, rest };
  const [shift, divisor, axes] = tensors.slice(rest.length) as Tensor<Float64Array>[];
  const columns = shift ? { shift: shift.data, divisor: divisor.data } : null;
  return { preprocessing: { scale, columns, axes: axes ?? null }, rest };
}
