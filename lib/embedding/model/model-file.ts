/** Saves and loads models and training states as tensor files, in Node and in browsers. */

import { badKind, badValue } from '../../core/check.ts';
import type { RandomState } from '../../core/random.ts';
import type { TableEncoding } from '../../formats/table/encoding.ts';
import { Mlp } from '../../network/bodies/mlp.ts';
import type { OptimizerState } from '../../network/optimizer/optimizer.ts';
import type { TrainingState } from '../../spectral/train/options.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { MetricOptions } from '../../graph/neighbors/metric.ts';
import { type LandmarkFacts, packLandmarks, unpackLandmarks } from './landmark-tensors.ts';
import type { Model } from './model.ts';
import { readTensorFile, writeTensorFile } from './tensor-file.ts';

interface AnyFacts {
  readonly eigenvalues: readonly number[];
  /** Whether the last tensor is the center of the points. */
  readonly isCentered: boolean;
  /** How columns of a table become points. Missing if the points did not come from a table. */
  readonly columns?: TableEncoding;
  /** Absent where it is Euclidean. */
  readonly metric?: MetricOptions;
}

type ModelFacts =
  | (AnyFacts & LandmarkFacts & { readonly kind: 'landmarks'; readonly neighbors: number })
  | (AnyFacts & { readonly kind: 'network'; readonly activation: Mlp['activation'] });

/** The bytes of a file: the kind of model, its weights in single precision, and the center of its points in double. */
export function saveModel(model: Model): Uint8Array {
  const shared = {
    eigenvalues: [...(model?.eigenvalues ?? [])],
    isCentered: Boolean(model?.center),
    ...tableFacts(model),
    ...(model?.metric && { metric: model.metric }),
  };
  const last = model?.center ? [vector(model.center)] : [];
  if (model?.kind === 'network') {
    const { activation, parameters } = model.network;
    const facts: ModelFacts = { kind: 'network', ...shared, activation };
    return writeTensorFile('model', facts, [...parameters, ...last]);
  }
  if (model?.kind !== 'landmarks') {
    throw badKind('saveModel', 'a model', model, 'Pass the `model` of a fitted embedding.');
  }
  const { landmarks, head } = model;
  const packed = packLandmarks(landmarks);
  const facts: ModelFacts = { kind: 'landmarks', ...shared, ...packed.facts, neighbors: landmarks.neighbors };
  return writeTensorFile('model', facts, [...packed.tensors, head.weights, head.bias, ...last]);
}

/** The model that `saveModel` wrote. Throws for damaged files, other versions and other contents. */
export function loadModel(bytes: Uint8Array): Model {
  const { facts, tensors: all } = readTensorFile<ModelFacts>('loadModel', 'model', bytes);
  const eigenvalues = Float64Array.from(facts.eigenvalues);
  const tensors = facts.isCentered ? all.slice(0, -1) : all;
  const center = facts.isCentered ? (all[all.length - 1].data as Float64Array) : null;
  const metric = facts.metric && { metric: facts.metric };
  if (facts.kind === 'landmarks') {
    const { landmarks, rest } = unpackLandmarks('loadModel', facts.neighbors, facts, tensors);
    const [weights, bias] = rest as Tensor<Float32Array>[];
    return {
      kind: 'landmarks',
      landmarks,
      head: { weights, bias },
      center,
      eigenvalues,
      ...metric,
      ...tableFacts(facts),
    };
  }
  if (facts.kind !== 'network') {
    throw badValue('loadModel', "a model of kind 'landmarks' or 'network'", (facts as { kind: unknown }).kind);
  }
  const weights = tensors.filter((_, i) => i % 2 === 0);
  const network = new Mlp([weights[0].rows, ...weights.map(({ cols }) => cols)], { activation: facts.activation });
  for (const [i, { data }] of network.parameters.entries()) data.set(tensors[i].data);
  return { kind: 'network', network, center, eigenvalues, ...metric, ...tableFacts(facts) };
}

/** What a model keeps of the table of its points. */
function tableFacts(holder: { readonly columns?: TableEncoding } | undefined): { columns?: TableEncoding } {
  return holder?.columns ? { columns: holder.columns } : {};
}

interface TrainingFacts extends Pick<TrainingState, 'method' | 'scheme'> {
  readonly epoch: number;
  readonly graph: number;
  readonly optimizer: OptimizerState['kind'];
  readonly steps: number;
  readonly random: RandomState;
  /** Missing in files that were written before flops were counted. */
  readonly flops?: number;
  /** The number of tensors that are parameters, and that are moments of the optimizer. */
  readonly counts: readonly [parameters: number, moments: number];
}

/** The bytes of a file from which `train` resumes, to the bit. */
export function saveTraining(state: TrainingState): Uint8Array {
  if (!Array.isArray(state?.parameters)) throw badKind('saveTraining', 'the state of a training', state);
  const { epoch, method, scheme, graph, random, parameters, optimizer, moments, rows } = state;
  const counts = [parameters.length, optimizer.moments.length] as const;
  const { kind, steps } = optimizer;
  const progress = { epoch, steps, flops: state.flops ?? 0 };
  const facts: TrainingFacts = { ...progress, method, scheme, graph, optimizer: kind, random, counts };
  const record = [...(moments ? [vector(moments.gram), vector(moments.mean)] : []), ...(rows ? [rows] : [])];
  return writeTensorFile('training', facts, [...parameters, ...optimizer.moments, ...record]);
}

/** The state that `saveTraining` wrote, for the option `from` of `train`. Throws for damaged and other files. */
export function loadTraining(bytes: Uint8Array): TrainingState {
  const { facts, tensors } = readTensorFile<TrainingFacts>('loadTraining', 'training', bytes);
  const [parameters, moments] = facts.counts;
  const record = tensors.slice(parameters + moments);
  const rows = record.pop() ?? null;
  const [gram, mean] = record;
  return {
    epoch: facts.epoch,
    method: facts.method,
    scheme: facts.scheme,
    graph: facts.graph,
    parameters: tensors.slice(0, parameters),
    optimizer: { kind: facts.optimizer, steps: facts.steps, moments: tensors.slice(parameters, parameters + moments) },
    random: facts.random,
    moments: gram ? { gram: gram.data as Float64Array, mean: mean.data as Float64Array } : null,
    rows,
    flops: facts.flops ?? 0,
  };
}

function vector(data: Float64Array): Tensor {
  return new Tensor(data, [data.length]);
}
