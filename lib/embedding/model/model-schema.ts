/** The schema of a model in a file. */

import { badValue } from '../../core/check.ts';
import {
  encodedNames,
  isTableEncoding as isEncoding,
  type TableEncoding,
} from '../../formats/table/columns/encoding.ts';
import { isMetric, type MetricOptions } from '../../graph/neighbors/metric.ts';
import { activations, type Network } from '../../network/bodies/network.ts';
import { checkFields, checkTensors, isWhole, layerTensors, oneOf } from './schema.ts';
import type { ExpectedTensor, Field, Fields, Header } from './schema.ts';
import { type PreprocessingFacts, preprocessingFields, preprocessingTensors } from './preprocessing-tensors.ts';
import { isShapeOfMatrix, type SparseFacts, sparseTensors } from './landmark-tensors.ts';

interface AnyFacts extends PreprocessingFacts {
  readonly eigenvalues: readonly number[];
  /** Whether a tensor is the center of the points. */
  readonly isCentered: boolean;
  /** How columns of a table become points. Missing if the points did not come from a table. */
  readonly columns?: TableEncoding;
  /** Missing where it is Euclidean. */
  readonly metric?: MetricOptions;
}

interface LandmarkFacts extends AnyFacts, SparseFacts {
  readonly kind: 'landmarks';
  readonly neighbors: number;
}

interface NetworkFacts extends AnyFacts {
  readonly kind: 'network';
  readonly activation: Network['activation'];
}

export type ModelFacts = LandmarkFacts | NetworkFacts;

/** Rayleigh quotients of D⁻¹W are within [−1, 1]; sums round. */
const largestEigenvalue = 1 + 1e-6;

const isDescending = (values: unknown): boolean =>
  Array.isArray(values) &&
  values.every(
    (value, i) => Number.isFinite(value) && Math.abs(value) <= largestEigenvalue && (i === 0 || value <= values[i - 1]),
  );

const anyFields: Fields<AnyFacts> & { readonly kind: Field } = {
  kind: oneOf(['landmarks', 'network']),
  eigenvalues: { expected: 'numbers from 1 down to −1, in descending order', accepts: isDescending },
  isCentered: oneOf([true, false]),
  columns: { expected: 'the columns of a table', accepts: isEncoding, optional: true },
  metric: { expected: 'a metric', accepts: isMetric, optional: true },
  ...preprocessingFields,
};

const fields: { readonly [Kind in ModelFacts['kind']]: Fields<Extract<ModelFacts, { kind: Kind }>> } = {
  landmarks: {
    ...anyFields,
    neighbors: { expected: 'a whole number, at least 1', accepts: (value) => isWhole(value, 1) },
    sparse: { expected: 'two whole numbers, at least 1', accepts: isShapeOfMatrix, optional: true },
  },
  network: { ...anyFields, activation: oneOf(activations) },
};

/**
 * The tensors are the landmarks and the head, or the weights and biases of all layers; then the center if there is one; then
 * those of preprocessing.
 */
export function modelSchema(caller: string, { facts, tensors }: Header): readonly ExpectedTensor[] {
  const isLandmarks = (facts as ModelFacts | null)?.kind === 'landmarks';
  const known = (isLandmarks ? fields.landmarks : fields.network) as Fields<ModelFacts>;
  const { eigenvalues, isCentered, columns, ...own } = checkFields(caller, 'the model', facts, known);
  const sparse = own.kind === 'landmarks' ? own.sparse : undefined;
  const ofColumns = preprocessingTensors(own, '').length;
  if (sparse && ofColumns > 0) throw badValue(caller, "scale 'unit' for sparse landmarks", own.scale);
  const layers = Math.max(1, Math.floor((tensors.length - Number(isCentered) - ofColumns) / 2));
  const [inputs, outputs] = isLandmarks ? ['columns', 'components'] : ['size 0', `size ${layers}`];
  const body = isLandmarks ? landmarkTensors(sparse) : layerTensors('', layers, tensors[0]?.precision ?? 'single');
  const center: ExpectedTensor = { name: 'the center', shape: [inputs], precision: 'double' };
  const expected = [...body, ...(isCentered ? [center] : []), ...preprocessingTensors(own, inputs)];
  const sizes = checkTensors(caller, tensors, expected);
  const landmarks = sparse ? sparse[0] : sizes.landmarks;
  if (own.kind === 'landmarks' && own.neighbors >= landmarks) {
    throw badValue(caller, `fewer neighbors than the ${landmarks} landmarks`, own.neighbors);
  }
  const width = columns && encodedNames(columns).length;
  const points = sizes['given columns'] ?? (sparse ? sparse[1] : sizes[inputs]);
  if (width !== undefined && width !== points) {
    throw badValue(caller, `${points} columns of points from the table, as the model has`, width);
  }
  const components = sizes[outputs];
  if (eigenvalues.length === components) return expected;
  throw badValue(caller, `${components} eigenvalues, one for each coordinate`, eigenvalues.length);
}

function landmarkTensors(sparse: SparseFacts['sparse']): readonly ExpectedTensor[] {
  const landmarks = sparse ? sparse[0] : 'landmarks';
  return [
    ...(sparse ? sparseTensors(sparse) : [{ name: 'the landmarks', shape: [landmarks, 'columns'], precision: null }]),
    { name: 'the weights of the head', shape: [landmarks, 'components'], precision: 'single' },
    { name: 'the bias of the head', shape: ['components'], precision: 'single' },
  ];
}
