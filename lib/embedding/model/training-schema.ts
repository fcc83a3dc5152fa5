/** The schema of the state of a training in a file. */

import { badValue } from '../../core/check.ts';
import type { RandomState } from '../../core/random.ts';
import { momentsOf, type OptimizerState } from '../../network/optimizer/optimizer.ts';
import { trainMethods, trainSchemes, type TrainingState } from '../../spectral/train/options.ts';
import { checkFields, checkTensors, count, isWhole, layerTensors, oneOf } from './schema.ts';
import type { ExpectedTensor, Field, Fields, Header } from './schema.ts';

export interface TrainingFacts extends Pick<TrainingState, 'method' | 'scheme'> {
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
  method: oneOf(trainMethods),
  scheme: oneOf([...trainSchemes, null]),
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

const randomFields: Fields<RandomState> = {
  seed: { expected: 'a string', accepts: (value) => typeof value === 'string' },
  generator: anyObject,
  spare: { expected: 'a number or null', accepts: (value) => value === null || Number.isFinite(value) },
};

const generatorFields: Fields<RandomState['generator']> = { c: count, s0: fraction, s1: fraction, s2: fraction };

/**
 * The tensors are the parameters, the moments of the optimizer, and what the method needs besides: the neighbor scheme YᵀDY,
 * ηᵀY and the rows; 'ritz' the rows.
 */
export function trainingSchema(caller: string, { facts, tensors }: Header): readonly ExpectedTensor[] {
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
  const rows: ExpectedTensor = { name: 'the rows', shape: ['points', outputs], precision };
  const width = tensors[parameters - 1]?.shape[0] ?? 0;
  const record: ExpectedTensor[] = [
    { name: 'YᵀDY', shape: [width * width], precision: 'double' },
    { name: 'ηᵀY', shape: [outputs], precision: 'double' },
    rows,
  ];
  const rest = state.scheme === 'neighbor' ? record : state.method === 'ritz' ? [rows] : [];
  const expected = [...own, ...kinds.flat(), ...rest];
  checkTensors(caller, tensors, expected);
  return expected;
}

function checkScheme(caller: string, { method, scheme }: TrainingFacts): void {
  const needsScheme = method === 'specnet1' || method === 'specnet2';
  if (needsScheme === (scheme !== null)) return;
  throw badValue(caller, `${needsScheme ? 'a' : 'no'} scheme for ${method}`, scheme);
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
