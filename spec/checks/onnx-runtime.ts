/** Runs exported models in onnxruntime, and compares them with the models here. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../../bench/competitors/install.ts';
import { preprocess } from '../../lib/embedding/model/preprocess.ts';
import { centerAndRound } from '../../lib/embedding/model/point-table.ts';
import { type Model, Tensor, transform } from '../../lib/index.ts';
import { addBias, matmul } from '../../lib/doors/autodiff.ts';
import { hiddenLayers } from '../../lib/doors/network.ts';

/** The used part of onnxruntime-node, typed here so that the project compiles without it. */
export interface Runtime {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: 'float32' | 'float64', data: Tensor['data'], shape: readonly number[]) => object;
}

interface Session {
  run(inputs: { points: object }): Promise<{ coordinates: { data: Float32Array; dims: readonly number[] } }>;
  release?(): Promise<void>;
}

/** A model and the points it is applied to. */
export interface ModelAndPoints {
  readonly model: Model;
  readonly points: Tensor;
}

const folder = new URL('./packages/onnx/', import.meta.url);

/** The runtime, or the reason why it cannot be installed. */
export function installRuntime(): Runtime | string {
  return installOnce(fileURLToPath(folder)) ?? load();
}

/** The runtime if it was installed before; else null. */
export function findRuntime(): Runtime | null {
  return existsSync(new URL('node_modules/onnxruntime-node', folder)) ? load() : null;
}

function load(): Runtime {
  return createRequire(new URL('package.json', folder))('onnxruntime-node') as Runtime;
}

/** The largest ratio of the terms that the last layer sums to the coordinates. */
export function termsOf({ model, points }: ModelAndPoints): number {
  const largest = ({ data }: Tensor): number =>
    Float64Array.from(data).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const coordinates = largest(transform(model, points));
  // The features of landmarks are weights that sum to 1.
  if (model.kind === 'landmarks') return (largest(model.head.weights) + largest(model.head.bias)) / coordinates;
  const { layers } = model.network;
  const { weights, bias } = layers[layers.length - 1];
  const absolute = (numbers: Tensor): Tensor => new Tensor(numbers.data.map(Math.abs), numbers.shape);
  const features = hiddenLayers(model.network).features(
    centerAndRound('check:onnx', model.center, preprocess('check:onnx', model.preprocessing, points)),
  ) as Tensor;
  return largest(addBias(matmul(absolute(features), absolute(weights)), absolute(bias))) / coordinates;
}

/** The coordinates that onnxruntime computes. */
export async function runOnnx(
  runtime: Runtime,
  bytes: Uint8Array,
  { model, points }: ModelAndPoints,
): Promise<{ readonly data: Float32Array; readonly dims: readonly number[] }> {
  const session = await runtime.InferenceSession.create(bytes, { intraOpNumThreads: 1 });
  const isDouble =
    model.center !== null ||
    model.preprocessing !== undefined ||
    ['cosine', 'correlation'].includes(model.metric?.metric ?? '');
  const given = points.copy(isDouble ? 'double' : 'single');
  const input = new runtime.Tensor(isDouble ? 'float64' : 'float32', given.data.slice(), given.shape);
  const { coordinates } = await session.run({ points: input });
  await session.release?.();
  return coordinates;
}

/** The largest difference in a column, relative to the column's largest number. Infinity if the shapes differ. */
export async function compare(runtime: Runtime, bytes: Uint8Array, one: ModelAndPoints): Promise<number> {
  const { model, points } = one;
  const { data, dims } = await runOnnx(runtime, bytes, one);
  const expected = transform(model, points);
  if (dims.join() !== expected.shape.join()) return Infinity;
  const [largest, difference] = [new Float64Array(expected.cols), new Float64Array(expected.cols)];
  for (let i = 0; i < data.length; i++) {
    const j = i % expected.cols;
    largest[j] = Math.max(largest[j], Math.abs(expected.data[i]));
    difference[j] = Math.max(difference[j], Math.abs(data[i] - expected.data[i]));
  }
  return Math.max(...difference.map((value, j) => value / largest[j]));
}
