/** Tries of model and training files: headers changed as JSON, numbers of any bits, right lengths and checksums. */

import { oneMoon } from '../../../../datasets/index.ts';
import { crc32 } from '../../../../lib/core/crc32.ts';
import { loadTraining, saveTraining } from '../../../../lib/doors/embedding.ts';
import { packLandmarks } from '../../../../lib/embedding/model/landmark-tensors.ts';
import { inputsOfModel } from '../../../../lib/embedding/model/model.ts';
import { packPreprocessing } from '../../../../lib/embedding/model/preprocessing-tensors.ts';
import { Mlp } from '../../../../lib/doors/network.ts';
import { fromDense } from '../../../../lib/doors/sparse.ts';
import { train, type TrainingState, type TrainOptions } from '../../../../lib/doors/solver.ts';
import {
  buildGraph,
  loadModel,
  type Model,
  type PointSource,
  type Random,
  readTable,
  saveModel,
  SpectralEmbedding,
  Tensor,
  transform,
} from '../../../../lib/index.ts';
import { byteMutations, mutate } from '../../../formats/mutations.ts';
import { attempted, type Kind, type Means, Misread, type Outcome, pick, requireSame } from '../kind.ts';
import type { Reader } from '../reader.ts';
import { hostileJson, type Json } from './hostile-json.ts';
import { OnnxComparison } from './onnx-comparison.ts';

const { points } = oneMoon({ n: 40, seed: 1 });
const far = points.copy('double');
for (let i = 0; i < far.size; i++) far.data[i] += 1000;

/** Four columns that are not proportional to each other, as correlations need them. */
const wide = new Tensor(
  Float32Array.from({ length: 160 }, (_, i) => points.data[(7 * i) % 80] + (i % 4)),
  [40, 4],
);

const lines = Array.from({ length: 40 }, (_, i) => `${points.data[2 * i]},${i % 3 === 0 ? 'oak' : 'elm'},${i}\n`);
const table = `x,kind,y\n${lines.join('')}`;

export async function openModels({ reader }: Means): Promise<Kind> {
  const fit = async (options: object, source: PointSource = points): Promise<Uint8Array> =>
    saveModel((await new SpectralEmbedding(options).fit(source)).model);
  const files = [
    await fit({ landmarks: 12 }),
    await fit({ landmarks: 9, components: 1 }, far),
    await fit({ hidden: [4, 3], training: { epochs: 1 } }),
    await fit({ hidden: [], method: 'ritz', components: 1 }),
    await fit({ hidden: [5], activation: 'tanh', training: { epochs: 1 } }, far),
    await fit({ landmarks: 9, graph: { kind: 'knn', neighbors: 8, metric: 'cosine' } }),
    await fit({ landmarks: 9, graph: { kind: 'knn', neighbors: 8, metric: 'manhattan' } }),
    await fit({ landmarks: 9, components: 1 }, fromDense(points)),
    await fit({ landmarks: 9, components: 1 }, await readTable(table)),
    await fit({ landmarks: 36, components: 1 }),
    await fit({ landmarks: 9, graph: { kind: 'knn', neighbors: 8, metric: 'correlation' } }, wide),
    await fit({ landmarks: 9, scale: 'standard' }, far),
    await fit({ landmarks: 9, scale: 'unit', components: 1 }),
    await fit({ hidden: [4], method: 'ritz', components: 1, scale: 'robust', pca: 1 }, far),
    await fit({ hidden: [4], activation: 'softplus', training: { epochs: 1 } }),
    await fit({ hidden: [4], activation: 'sigmoid', method: 'ritz', scale: 'range' }),
  ];
  const onnx = new OnnxComparison();
  return {
    counts: onnx.counts,
    async attempt(random) {
      const bytes = anyTensorFile(random, pick(random, files));
      const model = await attempted(() => loadModel(bytes));
      if (!model) return 'refused';
      requireSame(saveModel(model), saveModel(loadModel(saveModel(model))), 'saved again');
      const outcome = await compareFile(reader, 'model', bytes, tensorsOfModel(model), model.eigenvalues);
      const inputs = inputsFor(model);
      const coordinates = await attempted(() => transform(model, inputs));
      if (!coordinates) return outcome;
      if (!coordinates.data.every(Number.isFinite)) throw new Misread('coordinates that are not finite');
      await onnx.check(model, inputs, coordinates);
      return outcome;
    },
  };
}

export async function openTrainings({ reader }: Means): Promise<Kind> {
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 6 });
  const begin = async (options: TrainOptions): Promise<Uint8Array> =>
    saveTraining(await train(graph, new Mlp([2, 4, 2]), points, { epochs: 1, batch: 10, ...options }));
  const ways: TrainOptions[] = [
    {},
    { scheme: 'full', optimizer: { kind: 'sgd' } },
    { scheme: 'local', method: 'specnet1' },
    { scheme: 'edges' },
    { moments: 'corrected' },
    { optimizer: { kind: 'adamw' }, scale: 'calibrated', pencil: 'symmetric', deflate: false },
    { method: 'ritz' },
    { method: 'regression' },
  ];
  const files = await Promise.all(ways.map(async (way) => ({ way, bytes: await begin(way) })));
  return {
    async attempt(random) {
      const { way, bytes: intact } = pick(random, files);
      const bytes = anyTensorFile(random, intact);
      const state = await attempted(() => loadTraining(bytes));
      if (!state) return 'refused';
      requireSame(saveTraining(state), saveTraining(loadTraining(saveTraining(state))), 'saved again');
      const outcome = await compareFile(reader, 'training', bytes, tensorsOfTraining(state), []);
      const options: TrainOptions = { ...way, batch: 10, epochs: 2, from: state };
      await attempted(() => train(graph, new Mlp([2, 4, 2]), points, options));
      return outcome;
    },
  };
}

/** Compares all numbers, and the eigenvalues, with what NumPy finds in the file. */
async function compareFile(
  reader: Reader | null,
  content: 'model' | 'training',
  bytes: Uint8Array,
  tensors: readonly Tensor[],
  eigenvalues: ArrayLike<number>,
): Promise<Outcome> {
  if (!reader) return 'accepted';
  const expected = await reader.read('tensors', bytes, { content });
  if (!expected) return 'unread';
  const found = expected.facts as {
    facts: { eigenvalues?: number[] };
    tensors: { shape: number[] }[];
  };
  requireSame(eigenvalues, found.facts.eigenvalues ?? [], 'eigenvalues');
  const shapes = tensors.map(({ shape }) => shape.join('×')).join();
  if (shapes !== found.tensors.map(({ shape }) => shape.join('×')).join()) throw new Misread(`shapes ${shapes}`);
  requireSame(
    tensors.flatMap(({ data }) => Array.from(data)),
    expected.numbers,
    'numbers',
  );
  return 'accepted';
}

function tensorsOfModel(model: Model): Tensor[] {
  const own =
    model.kind === 'network'
      ? model.network.parameters
      : [...packLandmarks(model.landmarks).tensors, model.head.weights, model.head.bias];
  return [...own, ...(model.center ? [vector(model.center)] : []), ...packPreprocessing(model.preprocessing)];
}

function tensorsOfTraining({ parameters, optimizer, rows }: TrainingState): Tensor[] {
  return [...parameters, ...optimizer.moments, ...(rows ? [rows] : [])];
}

function vector(data: Float64Array): Tensor {
  return new Tensor(data, [data.length]);
}

/** Points with as many columns as the model has inputs. */
function inputsFor(model: Model): Tensor {
  const columns = inputsOfModel(model);
  const source = model.center ? far : columns > 2 ? wide : points;
  const rows = 7;
  const data = source.data.slice(0, rows * columns);
  return new Tensor(
    Float64Array.from({ length: rows * columns }, (_, i) => data[i % data.length]),
    [rows, columns],
  );
}

const prefix = 12;

interface Parts {
  header: Json;
  numbers: Uint8Array;
}

/** A file with a changed header or changed numbers. Length and checksum are right in most of them. */
function anyTensorFile(random: Random, intact: Uint8Array): Uint8Array {
  const parts = split(intact);
  if (random.integer(3) > 0) parts.header = hostileJson(random, parts.header);
  if (random.integer(2) === 0) changeNumbers(random, parts);
  if (random.integer(3) > 0) fitLength(parts);
  const bytes = join(parts);
  if (random.integer(10) > 0) return bytes;
  const changed = mutate(random, bytes, byteMutations);
  return random.integer(4) === 0 || changed.length < prefix + 4 ? changed : repair(changed);
}

function split(bytes: Uint8Array): Parts {
  const begin = prefix + new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(prefix, begin))) as Json;
  return { header, numbers: bytes.slice(begin, -4) };
}

function join({ header, numbers }: Parts): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const begin = Math.ceil((prefix + text.length) / 8) * 8;
  const bytes = new Uint8Array(begin + numbers.length + 4).fill(32, prefix, begin);
  bytes.set(new TextEncoder().encode('specnet\n'));
  new DataView(bytes.buffer).setUint32(8, begin - prefix, true);
  bytes.set(text, prefix);
  bytes.set(numbers, begin);
  return repair(bytes);
}

function repair(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
  return bytes;
}

function changeNumbers(random: Random, parts: Parts): void {
  const view = new DataView(parts.numbers.buffer, parts.numbers.byteOffset, parts.numbers.byteLength);
  const odd = [0, -0, 1, -1, 1e-45, 3e38, NaN, Infinity, 1e-30, 1e10, random.normal()];
  for (let k = 1 + random.integer(4); k > 0 && view.byteLength >= 4; k--) {
    view.setFloat32(4 * random.integer(view.byteLength >> 2), pick(random, odd), true);
  }
}

/** Cuts or extends the numbers to the length that the header states, if it states one that fits into a test. */
function fitLength(parts: Parts): void {
  const { tensors } = (parts.header ?? {}) as { tensors?: { shape?: number[]; precision?: string }[] };
  if (!Array.isArray(tensors)) return;
  const needed = tensors.reduce((sum, tensor) => {
    const { shape, precision } = tensor ?? {};
    const count = Array.isArray(shape) ? shape.reduce((a, b) => a * Number(b), 1) : NaN;
    return sum + Math.ceil((count * (precision === 'double' ? 8 : 4)) / 8) * 8;
  }, 0);
  if (!(needed >= 0 && needed < 1e5)) return;
  const fitted = new Uint8Array(needed);
  fitted.set(parts.numbers.subarray(0, needed));
  parts.numbers = fitted;
}
