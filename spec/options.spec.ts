/** Every public function and class refuses unknown options, with the nearest known name, and options of the wrong kind. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as data from '../datasets/index.ts';
import * as autodiff from '../lib/doors/autodiff.ts';
import * as benchmark from '../lib/doors/benchmark.ts';
import * as embedding from '../lib/doors/embedding.ts';
import * as formats from '../lib/doors/formats.ts';
import * as graphs from '../lib/doors/graph.ts';
import * as linalg from '../lib/doors/linalg.ts';
import * as networks from '../lib/doors/network.ts';
import * as solvers from '../lib/doors/solver.ts';
import * as sparse from '../lib/doors/sparse.ts';
import * as storage from '../lib/doors/storage.ts';
import * as theory from '../lib/doors/theory.ts';
import { startWorker } from '../lib/doors/worker.ts';
import * as root from '../lib/index.ts';
import { openSurface } from './surface.ts';

const test = suite('options');

const words = (text: string): Set<string> => new Set(text.split(' '));

const specnet = {
  ...root,
  ...autodiff,
  ...benchmark,
  ...embedding,
  ...formats,
  ...graphs,
  ...linalg,
  ...networks,
  ...solvers,
  ...sparse,
  ...storage,
  ...theory,
};
const { fromTriplets, graphFrom, Mlp, tensor } = specnet;

const points = tensor([
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
]);
const square = tensor([
  [2, 0],
  [1, 2],
]);
const matrix = fromTriplets({ rows: [0, 1, 1, 2], columns: [1, 0, 2, 1], values: [1, 1, 1, 1] }, [3, 3]);
const graph = graphFrom(matrix);
const network = new Mlp([2, 3, 1]);
const operator = { size: 3, apply: (x: Float64Array, y: Float64Array) => y.set(x) };
const source = { points, recipe: { kind: 'knn' }, graph, embedding: points, eigenvalues: [1, 1] } as never;
const bytes = new Uint8Array();
const callback = (): void => {};
const { signal } = new AbortController();

const progress = { progress: callback, signal };
const draw = { n: 10, seed: 1, draw: 'train' };
const noisy = { ...draw, noise: 0.1 };
const labeled = { ...noisy, shuffle: true };
const csv = {
  name: 'x',
  precision: 'single',
  separator: ',',
  comment: '#',
  header: true,
  label: 0,
  labelNames: [],
  ignore: [],
};
const metric = { metric: 'cosine', minkowskiPower: 3 };
const pairs = { ...metric, connect: 'join' };
const neighborhood = { neighbors: 3, includeSelf: true, symmetric: 'mean', method: 'tree', seed: 1, ...pairs };
const training = {
  scheme: 'local',
  moments: 'corrected',
  refresh: 2,
  batch: 2,
  order: 'cyclic',
  epochs: 1,
  rate: { from: 1, to: 0.1, steps: 5, shape: 'linear' },
  optimizer: { kind: 'adamw', beta1: 0.9, beta2: 0.9, epsilon: 1e-8, decay: 0.1 },
  weighted: true,
  through: true,
  scale: 'plain',
  pencil: 'symmetric',
  deflate: true,
  onEpoch: callback,
};
const model = {
  components: 1,
  method: 'specnet2',
  landmarks: 3,
  hidden: [3],
  activation: 'relu',
  training,
  seed: 1,
  ...metric,
  scale: 'standard',
  pca: 2,
  graph: { kind: 'knn', ...neighborhood },
};
const iterative = { tolerance: 1e-6, seed: 1, ...progress };
const eigensolver = { ...iterative, solver: 'lanczos', certify: 'auto', onRestart: callback };
const solver = {
  ...progress,
  components: 1,
  method: 'specnet2',
  scheme: 'local',
  batch: 1,
  order: 'cyclic',
  step: { precondition: 'none', length: 1, conjugate: false },
  accelerate: true,
  guard: 0,
  epochs: 1,
  tolerance: 1e-6,
  seed: 1,
  precision: 'double',
  pencil: 'symmetric',
  deflate: true,
  clock: callback,
  orthogonalize: 'gram',
  rotate: 'after',
  onEpoch: callback,
};
const krylov = {
  ...iterative,
  onRestart: callback,
  count: 1,
  which: 'largest',
  basis: 3,
  productLimit: 50,
  deflate: tensor([1, 0, 0]),
  start: new Float64Array(3),
  verify: true,
};
const verification = {
  ...progress,
  instances: 1,
  seed: 1,
  replay: 1,
  graph,
  pencil: {},
  law: {},
  formulas: { objective: {}, follow: callback, moments: callback, entryBound: callback, blockBound: callback },
};

const table = {
  name: 'x',
  format: 'delimited',
  precision: 'single',
  maxBytes: 100,
  delimiter: ',',
  decimal: '.',
  header: true,
  label: 'a',
  id: 'b',
  columns: ['a'],
  ignore: [],
  categorical: [],
  missing: 'drop',
  missingValues: [-999, 'tbd'],
};
const plot = {
  format: 'svg',
  title: 'x',
  theme: 'light',
  labelName: 'kind',
  columns: [],
  names: ['a', 'b'],
  colorBy: 'a',
  axes: ['a', 'b'],
  diagnostics: { a: 1 },
  warnings: [],
};

let time = 0;
const now = (): number => time++;
const bench = {
  ...progress,
  name: 'x',
  limits: {},
  columns: [1],
  precisions: ['single'],
  threads: 1,
  reorder: false,
  budget: 1,
  sample: 1,
  seed: 1,
};

type Options = Record<string, unknown>;
type Call = (options: never) => unknown;

/** Each function and class that takes options: how it is called with them, and a value of the right kind for each. */
const calls: Record<string, [call: Call, ...samples: Options[]]> = {
  SpectralEmbedding: [(o) => new specnet.SpectralEmbedding(o), model],
  DiffusionMap: [(o) => new specnet.DiffusionMap(o), { ...model, time: 1, alpha: 1, bandwidth: 'fixed' }],
  SpectralClustering: [(o) => new specnet.SpectralClustering(o), { ...model, clusters: 2, restarts: 3 }],
  'SpectralEmbedding.fit': [(o) => new specnet.SpectralEmbedding().fit(points, o), { ...progress, graph }],
  'DiffusionMap.fit': [(o) => new specnet.DiffusionMap().fit(points, o), { ...progress, graph }],
  'SpectralClustering.fit': [
    (o) => new specnet.SpectralClustering({ clusters: 2 }).fit(points, o),
    { ...progress, graph },
  ],
  buildGraph: [
    (o) => specnet.buildGraph(points, o),
    { kind: 'gaussian', sigma: 1, threshold: 0.1, ...pairs, ...progress },
    { kind: 'indicator', radius: 1, ...pairs, ...progress },
    { kind: 'kernel', kernel: () => 1, sigma: 1, radius: 1, threshold: 0.1, ...pairs, ...progress },
    { kind: 'knn', ...neighborhood, ...progress },
    { kind: 'knn-gaussian', ...neighborhood, sigma: 1, leastWeight: 0.1, bandwidth: 'variable', ...progress },
    { kind: 'self-tuned', ...neighborhood, scaleNeighbor: 1, leastWeight: 0.1, ...progress },
  ],
  nearestNeighbors: [
    (o) => specnet.nearestNeighbors(points, o),
    { neighbors: 2, includeSelf: true, method: 'tree', seed: 1, ...metric, ...progress },
  ],
  nearestAmong: [
    (o) => specnet.nearestAmong(points, points, o),
    { neighbors: 2, method: 'tree', ...metric, ...progress },
  ],
  radiusNeighbors: [(o) => specnet.radiusNeighbors(points, 1, o), { method: 'tree', ...metric, ...progress }],
  radiusAmong: [(o) => specnet.radiusAmong(points, points, 1, o), { method: 'tree', ...metric, ...progress }],
  spectrum: [(o) => specnet.spectrum(graph, o), { count: 1, laplacian: 'symmetric', ...eigensolver }],
  lanczos: [(o) => specnet.lanczos(operator, o), krylov],
  multilevel: [
    (o) => specnet.multilevel(graph, o),
    { ...iterative, count: 1, mass: graph.degrees, productLimit: 100, onIteration: callback },
  ],
  solve: [(o) => specnet.solve(graph, o), solver],
  train: [(o) => specnet.train(graph, network, points, o), { ...training, method: 'specnet2', seed: 1, ...progress }],
  ritzHead: [
    (o) => specnet.ritzHead(graph, network as never, points, o),
    { components: 1, ridge: 1e-6, memory: 1e6, seed: 1, ...progress },
  ],
  rayleighRitz: [(o) => specnet.rayleighRitz(graph, points, o), { pencil: 'symmetric', deflate: true }],
  nystrom: [(o) => specnet.nystrom(source, points, o), progress],
  nystromExtension: [(o) => specnet.nystromExtension(source, o), progress],
  laplacianEigenmap: [(o) => specnet.laplacianEigenmap(graph, o), { components: 1, ...eigensolver }],
  diffusionMap: [(o) => specnet.diffusionMap(graph, o), { components: 1, time: 1, ...eigensolver }],
  spectralClustering: [(o) => specnet.spectralClustering(graph, o), { clusters: 2, restarts: 1, ...eigensolver }],
  kMeans: [(o) => specnet.kMeans(points, 2, o), { restarts: 1, iterations: 3, seed: 1, ...progress }],
  verify: [(o) => specnet.verify([], o), verification],
  eigenfunctions: [
    (o) => specnet.eigenfunctions(() => 1, o),
    { sigma: 1, count: 2, box: [0, 1, 0, 1], spacing: 0.1, cut: 0.1, seed: 1 },
  ],
  transposedProduct: [(o) => specnet.transposedProduct(matrix, tensor([[1], [1], [1]]), o), { keepCopy: true }],
  generateMatrix: [(o) => specnet.generateMatrix('banded-small', o), { seed: 1, ...progress }],
  measureMachine: [
    (o) => specnet.measureMachine(now, o),
    { threads: 1, budget: 1, sample: 1, largest: 2 ** 14, ...progress },
  ],
  benchMatrix: [(o) => specnet.benchMatrix(matrix, now, o), bench],
  benchWebGpu: [
    (o) => specnet.benchWebGpu(matrix, now, o),
    { columns: [1], budget: 1, sample: 1, seed: 1, ...progress },
  ],
  estimateBench: [(o) => specnet.estimateBench(matrix, o), bench],
  startWorker: [(o) => startWorker(o), { worker: {}, threads: 1 }],
  Mlp: [(o) => new Mlp([1, 1], o), { activation: 'relu', initial: 'fan-in', precision: 'single', seed: 1 }],
  Optimizer: [(o) => new specnet.Optimizer([], o), training.optimizer, { kind: 'sgd', momentum: 0.5 }],
  chooseLandmarks: [(o) => specnet.chooseLandmarks(points, o), { count: 2, neighbors: 1, metric, seed: 1 }],
  generalizedEigen: [(o) => specnet.generalizedEigen(square, square, o), { cut: 0.1 }],
  matmul: [(o) => specnet.matmul(square, square, o), { transposeA: true, transposeB: true }],
  solveTriangular: [
    (o) => specnet.solveTriangular(square, square, o),
    { triangle: 'lower', side: 'left', transposed: true },
  ],
  invertTriangular: [(o) => specnet.invertTriangular(square, o), { triangle: 'lower' }],
  checkGradient: [(o) => specnet.checkGradient((x) => x, [square], o), { step: 0.1, tolerance: 0.1, seed: 1 }],
  readMatrixMarket: [(o) => specnet.readMatrixMarket('', o), { precision: 'single', maxDimension: 5 }],
  writeMatrixMarket: [(o) => specnet.writeMatrixMarket(matrix, o), { symmetry: 'auto', gzip: false }],
  readNpz: [(o) => specnet.readNpz(bytes, o), { precision: 'single' }],
  readNpyTensor: [(o) => specnet.readNpyTensor(bytes, o), { precision: 'single' }],
  readPoints: [(o) => specnet.readPoints(bytes, o), { ...csv, format: 'csv' }],
  openPoints: [(o) => specnet.openPoints('/nowhere.csv', o), { ...csv, format: 'csv' }],
  readTable: [(o) => specnet.readTable('a,b\n1,2', o), table],
  openTable: [(o) => specnet.openTable('/nowhere.csv', o), table],
  plotEmbedding: [(o) => specnet.plotEmbedding(points, o), plot],
  readCsv: [(o) => specnet.readCsv(bytes, o), csv],
  writeCsv: [(o) => specnet.writeCsv({ points }, o), { separator: ',', header: true, gzip: false }],
  streamCsv: [(o) => specnet.streamCsv({ points }, o), { separator: ',', header: true }],
  storeGraph: [
    (o) => specnet.storeGraph('/nowhere.csv', '/nowhere/graph', o),
    { memory: 2 ** 25, precision: 'single', symmetric: 'max', size: 5, ...progress },
  ],
  buildStoredGraph: [
    (o) => specnet.buildStoredGraph('/nowhere.npy', '/nowhere/graph', o),
    {
      kind: 'knn',
      ...neighborhood,
      connect: 'none',
      method: 'auto',
      memory: 2 ** 25,
      search: 'auto',
      recall: 0.9,
      ...progress,
    },
  ],
  openStoredGraph: [(o) => specnet.openStoredGraph('/nowhere', o), { memory: 2 ** 20 }],
  fitStored: [
    (o) => specnet.fitStored('/nowhere', '/nowhere.npy', o),
    { components: 1, landmarks: 5, seed: 1, memory: 2 ** 25, ...progress },
  ],
  transformStored: [
    (o) => specnet.transformStored({ kind: 'network', network } as never, '/nowhere.npy', '/nowhere/out.npy', o),
    { memory: 2 ** 25, ...progress },
  ],
  openStoredPoints: [(o) => specnet.openStoredPoints('/nowhere.npy', o), { memory: 2 ** 20 }],
  oneMoon: [(o) => data.oneMoon(o), noisy],
  twoMoons: [(o) => data.twoMoons(o), labeled],
  ring: [(o) => data.ring(o), { ...noisy, radius: 1, spacing: 'even' }],
  circles: [(o) => data.circles(o), { ...labeled, factor: 0.5, spacing: 'even' }],
  spiral: [(o) => data.spiral(o), { ...labeled, arms: 2, turns: 1, inner: 0.1 }],
  swissRoll: [(o) => data.swissRoll(o), { ...noisy, hole: true }],
  sCurve: [(o) => data.sCurve(o), noisy],
  blobs: [(o) => data.blobs(o), { ...draw, shuffle: true, centers: 2, dimension: 2, deviation: 1, box: [0, 1] }],
  texts: [(o) => data.texts(o), { ...draw, words: 50, topics: 2, length: 10, topicFraction: 0.5 }],
  oneMoonDensity: [(o) => data.oneMoonDensity(o), { noise: 0.1 }],
  twoMoonsDensity: [(o) => data.twoMoonsDensity(o), { noise: 0.1 }],
  loadMnist: [(o) => data.loadMnist(o), { train: 1, test: 1, seed: 1, folder: '/nowhere' }],
  loadFashionMnist: [(o) => data.loadFashionMnist(o), { train: 1, test: 1, seed: 1, folder: '/nowhere' }],
};

async function messageOf(call: Call, options: unknown): Promise<string> {
  try {
    await call(options as never);
    return '(accepted)';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether a sample is itself an object of options. */
function isNested(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** All places of options: the path, and how to replace the object they stand in. */
function* placesOf(
  sample: Options,
  path = '',
  put: (part: Options) => Options = (part) => part,
): Generator<{
  path: string;
  name: string;
  value: unknown;
  replace: (name: string, value: unknown) => Options;
}> {
  for (const [name, value] of Object.entries(sample)) {
    if (value === graph || name === 'diagnostics') continue;
    const without = Object.fromEntries(Object.entries(sample).filter(([other]) => other !== name));
    yield { path, name, value, replace: (other, substitute) => put({ ...without, [other]: substitute }) };
    if (isNested(value)) yield* placesOf(value, `${path}${name}.`, (part) => put({ ...sample, [name]: part }));
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Options of which values of several kinds are right. */
const alsoRight: Record<string, (value: unknown) => boolean> = {
  certify: (value) => typeof value === 'boolean',
  seed: (value) => typeof value === 'number' || typeof value === 'string',
  label: (value) => typeof value === 'number' || typeof value === 'string',
  id: (value) => typeof value === 'number' || typeof value === 'string',
  columns: isObject,
  comment: (value) => value === null,
  rate: (value) => typeof value === 'number',
  step: (value) => typeof value === 'number',
  centers: (value) => typeof value === 'number',
  deviation: (value) => typeof value === 'number' || Array.isArray(value),
};
/** Options that any text is right for. */
const texts = new Set(['name', 'draw', 'folder', 'title', 'colorBy', 'labelName']);

/** Values of other kinds than a sample. Objects and arrays that are merely the wrong ones are another matter. */
function wrongFor(name: string, sample: unknown): unknown[] {
  return [null, true, 5, 'nonsense', Symbol.iterator, callback, {}, [1]].filter((wrong) => {
    if (alsoRight[name]?.(wrong)) return false;
    if (typeof wrong === 'string') return !texts.has(name);
    return typeof wrong !== typeof sample || isObject(wrong) !== isObject(sample);
  });
}

for (const [name, [call, ...samples]] of Object.entries(calls)) {
  test(`${name} refuses unknown options and names the nearest`, async () => {
    for (const sample of samples) {
      for (const { path, name: option, replace } of placesOf(sample)) {
        if (option === 'kind') continue;
        const wrong = `${option}x`;
        // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its option
        const message = await messageOf(call, replace(wrong, undefined));
        assert.is(message, `${name}: unknown option '${path}${wrong}'; did you mean '${path}${option}'?`);
      }
    }
  });

  test(`${name} refuses options of the wrong kind`, async () => {
    for (const sample of samples) {
      for (const { path, name: option, value, replace } of placesOf(sample)) {
        for (const wrong of wrongFor(option, value)) {
          // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its option
          const message = await messageOf(call, replace(option, wrong));
          assert.match(
            message,
            new RegExp(`^${name}: expected .*\\b${option}\\b.*, got `),
            `${path}${option}: ${String(wrong)}`,
          );
        }
      }
    }
  });
}

test('a name that is far from all gets the list of them', async () => {
  assert.is(
    await messageOf((o) => data.blobs(o), { quality: 3 }),
    "blobs: unknown option 'quality'; known are n, seed, draw, shuffle, centers, dimension, deviation, box.",
  );
});

test('options that are nearly right are refused, with what was meant', () => {
  const { SpectralEmbedding } = specnet;
  const make = (options: unknown) => () => new SpectralEmbedding(options as never);
  assert.throws(make({ component: 2 }), "SpectralEmbedding: unknown option 'component'; did you mean 'components'?");
  assert.throws(
    make({ graph: { kind: 'knn', neighbours: 5 } }),
    "SpectralEmbedding: unknown option 'graph.neighbours'; did you mean 'graph.neighbors'?",
  );
  assert.throws(
    make({ hidden: [3], training: { epoch: 2 } }),
    "SpectralEmbedding: unknown option 'training.epoch'; did you mean 'training.epochs'?",
  );
});

test('the function that nystromExtension returns refuses what nystrom refuses', async () => {
  const recipe = { kind: 'gaussian', sigma: 1 } as const;
  const built = await specnet.buildGraph(points, recipe);
  const extend = await specnet.nystromExtension({ ...(source as object), recipe, graph: built } as never);
  const call: Call = (options) => extend(points, options as never);
  assert.is(await messageOf(call, { signals: 1 }), "nystrom: unknown option 'signals'; did you mean 'signal'?");
  assert.match(await messageOf(call, { signal: 5 }), /^nystrom: expected signal to be an AbortSignal, got 5\.$/);
});

test('options that are undefined count as omitted', () => {
  assert.equal(data.oneMoon({ n: 5, seed: undefined, noise: undefined } as never), data.oneMoon({ n: 5 }));
});

test('every public function with options is tested here, and every type of options has its table', async () => {
  const surface = await openSurface();
  const sources = ['lib', 'datasets'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  const code = sources.flatMap((file) => (file.endsWith('.ts') ? [readFileSync(file, 'utf8')] : [])).join('\n');
  const combined = words(
    'ProgressOptions GraphOptions NeighborhoodOptions LeastWeightOptions RotationOptions ChoiceOptions DialectOptions RoleOptions',
  ); // parts of others, or made of them
  const types = surface.flatMap(({ source: file }) => readFileSync(file, 'utf8').match(/\b\w+Options\b/g) ?? []);
  for (const name of new Set(types)) {
    if (combined.has(name)) continue;
    assert.ok(new RegExp(`Rules(ByKind)?<(Omit<)?${name}\\b`).test(code), `no Rules<${name}>`);
  }
  assert.ok(types.length > 30, `${types.length}`);
  for (const [name, value] of surface.flatMap(({ module }) => Object.entries(module))) {
    if (typeof value !== 'function' || name === 'trainAndTest') continue; // passes its options on to a generator
    const text = String(value);
    const [, parameters = ''] = text.startsWith('class')
      ? (/\bconstructor\(([^)]*)/.exec(text) ?? [])
      : (/^[^(]*\(([^)]*)/.exec(text) ?? []);
    if (/\boptions\b/.test(parameters)) assert.ok(Object.hasOwn(calls, name), `${name} takes options`);
  }
});

test.run();
