/** Saves and loads models and training states as tensor files, in Node and in browsers. */

import { badKind } from '../../core/check.ts';
import { checkMemory, Network } from '../../network/bodies/network.ts';
import type { TrainingState } from '../../spectral/train/options.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { packLandmarks, unpackLandmarks } from './landmark-tensors.ts';
import type { Model } from './model.ts';
import { type ModelFacts, modelSchema } from './model-schema.ts';
import { packPreprocessing, preprocessingFacts, unpackPreprocessing } from './preprocessing-tensors.ts';
import { readTensorFile, writeTensorFile } from './tensor-file.ts';
import { checkMoments, type TrainingFacts, trainingSchema, trainingVersion } from './training-schema.ts';

/**
 * The bytes of a file: the kind of model, its weights in single precision, and the center and the preprocessing of its
 * points in double.
 */
export function saveModel(model: Model): Uint8Array {
  const caller = 'saveModel';
  const shared = {
    eigenvalues: [...(model?.eigenvalues ?? [])],
    isCentered: Boolean(model?.center),
    ...(model?.columns && { columns: model.columns }),
    ...(model?.metric && { metric: model.metric }),
    ...preprocessingFacts(model?.preprocessing),
  };
  const last = [...(model?.center ? [vector(model.center)] : []), ...packPreprocessing(model?.preprocessing)];
  if (model?.kind === 'network') {
    const { activation, parameters } = model.network;
    const facts: ModelFacts = { kind: 'network', ...shared, activation };
    return writeTensorFile(caller, 'model', facts, [...parameters, ...last], modelSchema);
  }
  if (model?.kind !== 'landmarks') {
    throw badKind(caller, 'a model', model, 'Pass `fitted.model`.');
  }
  const { landmarks, head } = model;
  const packed = packLandmarks(landmarks);
  const facts: ModelFacts = { kind: 'landmarks', ...shared, ...packed.facts, neighbors: landmarks.neighbors };
  return writeTensorFile(caller, 'model', facts, [...packed.tensors, head.weights, head.bias, ...last], modelSchema);
}

/** The model that `saveModel` wrote. Throws for damaged files, other versions and contents, and what contradicts itself. */
export function loadModel(bytes: Uint8Array): Model {
  const { facts, tensors: all } = readTensorFile<ModelFacts>('loadModel', 'model', bytes, modelSchema);
  const eigenvalues = Float64Array.from(facts.eigenvalues);
  const { preprocessing, rest: before } = unpackPreprocessing(facts, all);
  const tensors = facts.isCentered ? before.slice(0, -1) : before;
  const center = facts.isCentered ? (before[before.length - 1].data as Float64Array) : null;
  const shared = {
    center,
    eigenvalues,
    ...(facts.metric && { metric: facts.metric }),
    ...(preprocessing && { preprocessing }),
    ...(facts.columns && { columns: facts.columns }),
  };
  if (facts.kind === 'landmarks') {
    const { landmarks, rest } = unpackLandmarks('loadModel', facts.neighbors, facts, tensors);
    const [weights, bias] = rest as Tensor<Float32Array>[];
    return { kind: 'landmarks', landmarks, head: { weights, bias }, ...shared };
  }
  const network = new Network(facts.activation, tensors);
  checkMemory('loadModel', network.sizes, network.precision);
  return { kind: 'network', network, ...shared };
}

/** The bytes of a file from which `train` resumes, to the bit. */
export function saveTraining(state: TrainingState): Uint8Array {
  if (!Array.isArray(state?.parameters)) throw badKind('saveTraining', 'the state of a training', state);
  const { epoch, method, scheme, settings, graph, random, parameters, optimizer, rows } = state;
  const counts = [parameters.length, optimizer.moments.length] as const;
  const { kind, steps } = optimizer;
  const progress = { epoch, steps, flops: state.flops ?? 0 };
  const facts: TrainingFacts = {
    version: trainingVersion,
    ...progress,
    method,
    scheme,
    settings,
    graph,
    optimizer: kind,
    random,
    counts,
  };
  checkMoments('saveTraining', optimizer);
  const tensors = [...parameters, ...optimizer.moments, ...(rows ? [rows] : [])];
  return writeTensorFile('saveTraining', 'training', facts, tensors, trainingSchema);
}

/** The state that `saveTraining` wrote, for the option `from` of `train`. Throws for damaged and other files. */
export function loadTraining(bytes: Uint8Array): TrainingState {
  const caller = 'loadTraining';
  const { facts, tensors } = readTensorFile<TrainingFacts>(caller, 'training', bytes, trainingSchema);
  const [parameters, moments] = facts.counts;
  const end = parameters + moments;
  const optimizer = { kind: facts.optimizer, steps: facts.steps, moments: tensors.slice(parameters, end) };
  checkMoments(caller, optimizer);
  return {
    epoch: facts.epoch,
    method: facts.method,
    scheme: facts.scheme,
    settings: facts.settings,
    graph: facts.graph,
    parameters: tensors.slice(0, parameters),
    optimizer,
    random: facts.random,
    rows: tensors[end] ?? null,
    flops: facts.flops ?? 0,
  };
}

function vector(data: Float64Array): Tensor {
  return new Tensor(data, [data.length]);
}
