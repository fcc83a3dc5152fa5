/** `npm run check:onnx`: compares exported models in onnxruntime with the models here. Exit code 1 if they differ. */

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { sequentially } from '../../bench/sequentially.ts';
import { installOnce } from '../../bench/install.ts';
import { formatNumber, formatTable } from '../../lib/charts/table.ts';
import { centerAndRound } from '../../lib/embedding/model/point-table.ts';
import { exportOnnx, Tensor, transform } from '../../lib/index.ts';
import { addBias, matmul } from '../../lib/doors/autodiff.ts';
import { hiddenLayers } from '../../lib/doors/network.ts';
import { type Case, learnModels } from './models.ts';

/** The used part of onnxruntime-node, typed here so that the project compiles without it. */
interface Runtime {
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: 'float32' | 'float64', data: Tensor['data'], shape: readonly number[]) => object;
}

interface Session {
  run(inputs: { points: object }): Promise<{ coordinates: { data: Float32Array; dims: readonly number[] } }>;
}

/** Relative to the largest coordinate of the same column. */
const tolerance = 1e-5;
async function main(): Promise<void> {
  const failure = installOnce(fileURLToPath(new URL('./packages/onnx/', import.meta.url)));
  if (failure) {
    console.error(`check:onnx: onnxruntime is not to be had: ${failure}`);
    process.exitCode = 1;
    return;
  }
  const runtime = createRequire(new URL('./packages/onnx/package.json', import.meta.url))(
    'onnxruntime-node',
  ) as Runtime;
  const lines = await sequentially(await learnModels(), async (one) => {
    const bytes = exportOnnx(one.model);
    const difference = await compare(runtime, bytes, one);
    const terms = termsOf(one);
    const agrees = difference <= tolerance;
    if (!agrees) process.exitCode = 1;
    const verdict = agrees ? 'agrees' : 'DIFFERS';
    const { rows, cols } = one.points;
    return [one.name, `${rows}×${cols}`, String(bytes.length), terms.toFixed(0), formatNumber(difference), verdict];
  });
  console.log(formatTable(['model', 'points', 'bytes', 'terms', 'differs by', 'verdict'], lines, 1));
  console.log(`\nDifferences and terms of the last sum are relative to the coordinates; ${tolerance} is allowed.`);
}

/** The largest ratio of the terms that the last layer sums to the coordinates. */
function termsOf({ model, points }: Case): number {
  const largest = ({ data }: Tensor): number =>
    Float64Array.from(data).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const coordinates = largest(transform(model, points));
  // The features of landmarks are weights that sum to 1.
  if (model.kind === 'landmarks') return (largest(model.head.weights) + largest(model.head.bias)) / coordinates;
  const { layers } = model.network;
  const { weights, bias } = layers[layers.length - 1];
  const absolute = (numbers: Tensor): Tensor => new Tensor(numbers.data.map(Math.abs), numbers.shape);
  const features = hiddenLayers(model.network).features(centerAndRound('check:onnx', model.center, points)) as Tensor;
  return largest(addBias(matmul(absolute(features), absolute(weights)), absolute(bias))) / coordinates;
}

/** The largest difference in a column, relative to the column's largest number. Infinity if the shapes differ. */
async function compare(runtime: Runtime, bytes: Uint8Array, one: Case): Promise<number> {
  const { model, points } = one;
  const session = await runtime.InferenceSession.create(bytes, { intraOpNumThreads: 1 });
  const given = model.center ? points.copy('double') : points.copy('single');
  const input = new runtime.Tensor(model.center ? 'float64' : 'float32', given.data.slice(), given.shape);
  const { data, dims } = (await session.run({ points: input })).coordinates;
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

await main();
