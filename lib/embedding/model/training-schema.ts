/** The schema of the state of a training in a file. */

import { badValue, checkObject } from '../../core/check.ts';
import type { RandomState } from '../../core/random.ts';
import { momentsOf, type OptimizerState } from '../../network/optimizer/optimizer.ts';
import { momentKinds } from '../../spectral/descent/moments.ts';
import { pencilKinds } from '../../spectral/pencil/pencil.ts';
import { type LastingSettings, trainMethods, trainSchemes, type TrainingState } from '../../spectral/train/options.ts';
import { checkFields, checkTensors, count, isWhole, layerTensors, oneOf } from './schema.ts';
import type { ExpectedTensor, Field, Fields, Header } from './schema.ts';

/** The second version has settings, and no longer the moments YᵀDY and ηᵀY, which are measured on the rows. */
export const trainingVersion = 2;

export interface TrainingFacts extends Pick<TrainingState, 'method' | 'scheme' | 'settings'> {
  /** Of the facts and tensors of a training. The first one had none. */
  readonly version: number;
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

const isPositive = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
const isFraction = (value: unknown): boolean => isPositive(value) && (value as number) < 1;
const fraction: Field = { expected: 'a number from 0 to below 1', accepts: isFraction };
const anyObject: Field = { expected: 'an object', accepts: () => true }; // checkFields follows
const largestChecksum = 2 ** 32 - 1;

const fields: Fields<TrainingFacts> = {
  version: oneOf([trainingVersion]),
  method: oneOf(trainMethods),
  scheme: oneOf([...trainSchemes, null]),
  settings: anyObject,
  epoch: count,
  graph: { expected: 'a checksum', accepts: (value) => isWhole(value, 0, largestChecksum) },
  optimizer: oneOf(Object.keys(momentsOf)),
  steps: count,
  random: anyObject,
  flops: { expected: 'a number, at least 0', accepts: isPositive, optional: true },
  counts: {
    expected: 'two whole numbers, at least 0',
    accepts: (value) => Array.isArray(value) && value.length === 2 && value.every((entry) => isWhole(entry)),
  },
};

const settingsFields: Fields<LastingSettings> = {
  scale: oneOf(['plain', 'calibrated']),
  pencil: oneOf(pencilKinds),
  deflate: oneOf([true, false]),
  moments: oneOf([...momentKinds, null]),
};

const randomFields: Fields<RandomState> = {
  seed: { expected: 'a string', accepts: (value) => typeof value === 'string' },
  generator: anyObject,
  spare: { expected: 'a number or null', accepts: (value) => value === null || Number.isFinite(value) },
};

const generatorFields: Fields<RandomState['generator']> = { c: count, s0: fraction, s1: fraction, s2: fraction };

/**
 * The tensors are the parameters, the moments of the optimizer, and the rows for the neighbor scheme and 'ritz'.
 */
export function trainingSchema(caller: string, { facts, tensors }: Header): readonly ExpectedTensor[] {
  checkVersion(caller, facts);
  const state = checkFields<TrainingFacts>(caller, 'the training', facts, fields);
  checkFields(caller, 'random', state.random, randomFields);
  checkFields(caller, 'random.generator', state.random.generator, generatorFields);
  checkScheme(caller, state);
  const [parameters, moments] = checkCounts(caller, state, tensors.length);
  const precision = tensors[0]?.precision ?? 'single';
  const layers = parameters / 2;
  const outputs = `size ${layers}`;
  const own = layerTensors('', layers, precision);
  const kinds = Array.from({ length: moments / parameters }, () => layerTensors('the moments of ', layers, precision));
  const hasRows = state.scheme === 'neighbor' || state.method === 'ritz';
  const rows: ExpectedTensor[] = hasRows ? [{ name: 'the rows', shape: ['points', outputs], precision }] : [];
  const expected = [...own, ...kinds.flat(), ...rows];
  checkTensors(caller, tensors, expected);
  return expected;
}

/** Refuses second moments of Adam below 0, whose root is not a number. */
export function checkMoments(caller: string, { kind, moments }: OptimizerState): void {
  if (momentsOf[kind] < 2) return;
  for (const [i, { data }] of moments.slice(moments.length / 2).entries()) {
    const at = data.findIndex((value) => value < 0);
    if (at < 0) continue;
    throw badValue(caller, `second moments of ${kind} of at least 0`, `${data[at]} at index ${at} of parameter ${i}`);
  }
}

/** The version comes first, for other versions have other fields. */
function checkVersion(caller: string, facts: unknown): void {
  checkObject(caller, facts as object, 'the training to be an object');
  const { version = 1 } = facts as Partial<TrainingFacts>;
  if (version === trainingVersion) return;
  const remedy = 'Use the release of specnet that wrote it.';
  throw badValue(caller, `version ${trainingVersion} of a training`, version, remedy);
}

/** A method with a scheme has settings, the others have neither. */
function checkScheme(caller: string, { method, scheme, settings }: TrainingFacts): void {
  const needsScheme = method === 'specnet1' || method === 'specnet2';
  if (needsScheme !== (scheme !== null)) {
    throw badValue(caller, `${needsScheme ? 'a' : 'no'} scheme for ${method}`, scheme);
  }
  if (!needsScheme) {
    if (settings !== null) throw badValue(caller, `no settings for ${method}`, typeof settings);
    return;
  }
  const { moments } = checkFields<LastingSettings>(caller, 'settings', settings, settingsFields);
  const kinds = scheme !== 'neighbor' ? [null] : method === 'specnet1' ? ['tracked'] : momentKinds;
  if (kinds.some((kind) => kind === moments)) return;
  throw badValue(caller, `settings.moments to be ${kinds.map(String).join(' or ')} for ${method} ${scheme}`, moments);
}

function checkCounts(
  caller: string,
  { counts: [parameters, moments], optimizer }: TrainingFacts,
  tensors: number,
): [parameters: number, moments: number] {
  if (parameters < 2 || parameters % 2 !== 0 || parameters > tensors) {
    throw badValue(caller, `weights and biases among ${tensors} tensors`, `${parameters} parameters`);
  }
  const wanted = momentsOf[optimizer] * parameters;
  if (moments !== wanted) throw badValue(caller, `${wanted} moments of ${optimizer}`, moments);
  return [parameters, moments];
}
