/** `loadModel` and `loadTraining` believe nothing: a header with a right checksum is refused in words if anything contradicts. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { crc32 } from '../../lib/core/crc32.ts';
import { loadTraining, saveTraining } from '../../lib/doors/embedding.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { train, type TrainOptions } from '../../lib/doors/solver.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import {
  buildGraph,
  loadModel,
  type PointSource,
  Random,
  readTable,
  saveModel,
  SpectralEmbedding,
  transform,
} from '../../lib/index.ts';

const test = suite('schema of model files');

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Header {
  version: Json;
  content: Json;
  facts: { [key: string]: Json };
  tensors: { shape: number[]; precision: string }[];
}

const prefix = 12;

function split(bytes: Uint8Array): { header: Header; numbers: Uint8Array } {
  const begin = prefix + new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(prefix, begin))) as Header;
  return { header, numbers: bytes.slice(begin, -4) };
}

/** A file with this header, or its text, and a right checksum. */
function join(header: unknown, numbers: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const begin = Math.ceil((prefix + text.length) / 8) * 8;
  const bytes = new Uint8Array(begin + numbers.length + 4).fill(32, prefix, begin);
  bytes.set(new TextEncoder().encode('specnet\n'));
  const view = new DataView(bytes.buffer);
  view.setUint32(8, begin - prefix, true);
  bytes.set(text, prefix);
  bytes.set(numbers, begin);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
  return bytes;
}

const { points } = oneMoon({ n: 60, seed: 1 });
const far = points.copy('double');
for (let i = 0; i < far.size; i++) far.data[i] += 1000;
const fit = async (options: object, table: PointSource = points): Promise<Uint8Array> =>
  saveModel((await new SpectralEmbedding(options).fit(table)).model);
const models = {
  landmarks: await fit({ landmarks: 20 }),
  centered: await fit({ landmarks: 20 }, far),
  network: await fit({ hidden: [5, 4], training: { epochs: 1 } }),
  scaled: await fit({ landmarks: 20, scale: 'standard', pca: 2 }),
  'scaled network': await fit({ hidden: [5], training: { epochs: 1 }, scale: 'range' }, far),
  'centered network': await fit({ hidden: [5], training: { epochs: 1 } }, far),
  sparse: await fit({ landmarks: 20 }, fromDense(points)),
};

const graph = await buildGraph(points, { kind: 'knn', neighbors: 8 });
const trained = async (options: TrainOptions): Promise<Uint8Array> =>
  saveTraining(await train(graph, new Mlp([2, 5, 2]), points, { epochs: 1, ...options }));
const trainings = {
  neighbor: await trained({}),
  full: await trained({ scheme: 'full', batch: 20, optimizer: { kind: 'sgd' } }),
  ritz: await trained({ method: 'ritz' }),
  regression: await trained({ method: 'regression' }),
};

/** Loads and uses a file. Returns the error, or null if all of it went well. */
function use(kind: 'model' | 'training', bytes: Uint8Array): Error | null {
  try {
    if (kind === 'training') {
      loadTraining(bytes);
      return null;
    }
    const model = loadModel(bytes);
    const coordinates = transform(model, points);
    assert.ok(coordinates.data.every(Number.isFinite), 'finite coordinates');
    return null;
  } catch (error) {
    return error as Error;
  }
}

const ownWords = /^(loadModel|loadTraining|transform): expected .+, got /;

const edited = (bytes: Uint8Array, change: (header: Header) => unknown): Uint8Array => {
  const { header, numbers } = split(bytes);
  const changed = change(header);
  return join(changed === undefined ? header : changed, numbers);
};

test('unchanged files are accepted, and reassembled byte for byte', () => {
  for (const [name, bytes] of Object.entries(models)) {
    assert.is(use('model', bytes), null, name);
    const { header, numbers } = split(bytes);
    assert.equal(join(header, numbers), bytes, name);
  }
  for (const [name, bytes] of Object.entries(trainings)) assert.is(use('training', bytes), null, name);
});

const modelCases: [of: keyof typeof models, text: RegExp, change: (header: Header) => unknown][] = [
  ['landmarks', /version 1 of the file, got 2\. Use the release/, (h) => void (h.version = 2)],
  ['landmarks', /the header\.facts, got a file without it/, (h) => ({ ...h, facts: undefined })],
  ['landmarks', /no fields of the header but .*, got 'more'/, (h) => ({ ...h, more: 1 })],
  ['landmarks', /the model to be an object, got null/, (h) => ({ ...h, facts: null })],
  ['landmarks', /version 1 of the file, got undefined/, () => null],
  ['landmarks', /a header in JSON, got '\{"version":1,'/, () => '{"version":1,'],
  ['landmarks', /the model\.kind to be 'landmarks' or 'network', got forest/, (h) => void (h.facts.kind = 'forest')],
  ['landmarks', /the model\.kind to be .*, got constructor/, (h) => void (h.facts.kind = 'constructor')],
  ['landmarks', /the model\.eigenvalues, got a file without it/, (h) => void delete h.facts.eigenvalues],
  ['landmarks', /no fields of the model but .*, got 'scaling'/, (h) => void (h.facts.scaling = [1])],
  ['landmarks', /2 eigenvalues, one for each coordinate, got 1/, (h) => void (h.facts.eigenvalues = [0.5])],
  ['landmarks', /eigenvalues to be numbers from 1 down/, (h) => void (h.facts.eigenvalues = [0.5, null])],
  ['landmarks', /eigenvalues to be .* in descending order/, (h) => void (h.facts.eigenvalues = [0.5, 0.6])],
  ['landmarks', /eigenvalues to be numbers from 1 down to −1/, (h) => void (h.facts.eigenvalues = [7, 0.6])],
  ['landmarks', /fewer neighbors than the 20 landmarks, got 20/, (h) => void (h.facts.neighbors = 20)],
  ['landmarks', /neighbors to be a whole number, at least 1, got 0/, (h) => void (h.facts.neighbors = 0)],
  ['landmarks', /isCentered to be true or false, got null/, (h) => void (h.facts.isCentered = null)],
  ['landmarks', /4 tensors, got 3/, (h) => void (h.facts.isCentered = true)],
  ['centered', /3 tensors, got 4/, (h) => void (h.facts.isCentered = false)],
  ['landmarks', /3 tensors, got 2/, (h) => void h.tensors.pop()],
  ['landmarks', /tensors to be an array, got null/, (h) => ({ ...h, tensors: null })],
  ['landmarks', /tensors\[1\] to be an object, got null/, (h) => void (h.tensors[1] = null as never)],
  ['landmarks', /tensors\[0\]\.shape to be one or two whole/, (h) => void (h.tensors[0].shape = [0, 1e9])],
  ['landmarks', /tensors\[0\]\.shape to be one or two whole/, (h) => void (h.tensors[0].shape = [20, -2])],
  ['landmarks', /tensors\[0\]\.shape to be one or two whole/, (h) => void (h.tensors[0].shape = [20, 2, 1])],
  ['landmarks', /tensors\[0\]\.precision to be 'single' or 'double'/, (h) => void (h.tensors[0].precision = 'half')],
  ['landmarks', /the weights of the head of shape 10×2, got 20×2/, (h) => void (h.tensors[0].shape = [10, 4])],
  ['landmarks', /the weights of the head of shape 20×1, got 40×1/, (h) => void (h.tensors[1].shape = [40, 1])],
  ['landmarks', /the bias of the head of shape 2, got 1/, (h) => void (h.tensors[2].shape = [1])],
  ['centered', /the center in double precision, got single/, (h) => void (h.tensors[3].precision = 'single')],
  ['centered', /the center of shape 2, got 3/, (h) => void (h.tensors[3].shape = [3])],
  [
    'landmarks',
    /\d+ bytes of header and numbers, got/,
    (h) => {
      h.tensors[0].shape = [20, 2e9];
    },
  ],
  ['network', /the weights of layer 1 of shape 5×5, got 4×5/, (h) => void (h.tensors[2].shape = [4, 5])],
  ['network', /the bias of layer 0 of shape 5, got 6/, (h) => void (h.tensors[1].shape = [6])],
  ['network', /activation to be 'relu' or .*, got gelu/, (h) => void (h.facts.activation = 'gelu')],
  ['network', /the bias of layer 0 in single precision, got double/, (h) => void (h.tensors[1].precision = 'double')],
  ['scaled', /scale to be 'none' or .*, got magic/, (h) => void (h.facts.scale = 'magic')],
  ['scaled', /pca to be true, got 2/, (h) => void (h.facts.pca = 2)],
  ['scaled', /the axes of shape 2×2, got 4×1/, (h) => void (h.tensors[5].shape = [4, 1])],
  ['scaled', /5 tensors, got 6/, (h) => void delete h.facts.pca],
  ['scaled network', /the weights of layer 2 of shape 2×\?, got 2/, (h) => void (h.facts.scale = 'unit')],
  ['network', /got 'neighbors'/, (h) => void (h.facts.neighbors = 3)],
];

for (const [i, [of, text, change]] of modelCases.entries()) {
  test(`loadModel refuses header ${i}: ${text.source}`, () => {
    const message = use('model', edited(models[of], change))?.message ?? '(accepted)';
    assert.match(message, new RegExp(`^loadModel: expected .*${text.source}`));
  });
}

const settings = (moments: string | null) => ({ scale: 'plain', pencil: 'random-walk', deflate: true, moments });

const trainingCases: [of: keyof typeof trainings, text: RegExp, change: (header: Header) => unknown][] = [
  ['neighbor', /the training\.epoch to be a whole number, at least 0, got -1/, (h) => void (h.facts.epoch = -1)],
  ['neighbor', /the training\.method to be .*, got magic/, (h) => void (h.facts.method = 'magic')],
  ['neighbor', /a scheme for specnet2, got null/, (h) => void (h.facts.scheme = null)],
  ['ritz', /no scheme for ritz, got full/, (h) => void (h.facts.scheme = 'full')],
  ['neighbor', /random to be an object, got null/, (h) => void (h.facts.random = null)],
  [
    'neighbor',
    /random\.generator to be an object/,
    (h) => void ((h.facts.random as { generator: Json }).generator = 5),
  ],
  ['neighbor', /8 moments of adam, got 4/, (h) => void (h.facts.counts = [4, 4])],
  ['neighbor', /weights and biases among 13 tensors, got 3 parameters/, (h) => void (h.facts.counts = [3, 6])],
  ['neighbor', /counts to be two whole numbers/, (h) => void (h.facts.counts = [4])],
  ['neighbor', /12 tensors, got 13/, (h) => void Object.assign(h.facts, { scheme: 'full', settings: settings(null) })],
  [
    'full',
    /9 tensors, got 8/,
    (h) => void Object.assign(h.facts, { scheme: 'neighbor', settings: settings('tracked') }),
  ],
  ['neighbor', /version 2 of a training, got 1\. Use the release/, (h) => void delete h.facts.version],
  ['neighbor', /version 2 of a training, got 3/, (h) => void (h.facts.version = 3)],
  ['neighbor', /the training to be an object, got null/, (h) => ({ ...h, facts: null })],
  ['neighbor', /the training\.settings, got a file without it/, (h) => void delete h.facts.settings],
  ['neighbor', /settings to be an object, got null/, (h) => void (h.facts.settings = null)],
  ['regression', /no settings for regression, got object/, (h) => void (h.facts.settings = settings(null))],
  [
    'neighbor',
    /settings\.scale to be 'plain' or/,
    (h) => void (h.facts.settings = { ...settings('tracked'), scale: 2 }),
  ],
  ['full', /moments to be null for specnet2 full, got tracked/, (h) => void (h.facts.settings = settings('tracked'))],
  ['neighbor', /moments to be tracked or corrected for .*, got null/, (h) => void (h.facts.settings = settings(null))],
  [
    'neighbor',
    /moments to be tracked for specnet1 neighbor, got corrected/,
    (h) => void Object.assign(h.facts, { method: 'specnet1', settings: settings('corrected') }),
  ],
  ['neighbor', /the rows of shape 120×2, got 120×1/, (h) => void (h.tensors[12].shape = [120, 1])],
  ['neighbor', /the moments of the weights of layer 0 of shape 2×5/, (h) => void (h.tensors[4].shape = [5, 2])],
  ['neighbor', /flops to be a number, at least 0, got null/, (h) => void (h.facts.flops = null)],
  ['neighbor', /graph to be a checksum/, (h) => void (h.facts.graph = 1e12)],
  ['neighbor', /optimizer to be 'sgd' or/, (h) => void (h.facts.optimizer = 'toString')],
  ['neighbor', /a file that holds a training, got model/, (h) => void (h.content = 'model')],
];

for (const [i, [of, text, change]] of trainingCases.entries()) {
  test(`loadTraining refuses header ${i}: ${text.source}`, () => {
    const message = use('training', edited(trainings[of], change))?.message ?? '(accepted)';
    assert.match(message, new RegExp(`^loadTraining: expected .*${text.source}`));
  });
}

test('files without flops, of an earlier release, are read', () => {
  const { flops } = loadTraining(edited(trainings.neighbor, (h) => void delete h.facts.flops));
  assert.is(flops, 0);
});

test('numbers that are not finite are refused, with their place', () => {
  const { header, numbers } = split(models.landmarks);
  const spoiled = numbers.slice();
  new DataView(spoiled.buffer).setFloat32(12, NaN, true);
  assert.throws(
    () => loadModel(join(header, spoiled)),
    /^loadModel: expected finite numbers in the landmarks, got NaN at row 1, column 1\.$/,
  );
  const state = split(trainings.neighbor);
  new DataView(state.numbers.buffer).setFloat32(4, Infinity, true);
  assert.throws(
    () => loadTraining(join(state.header, state.numbers)),
    /^loadTraining: expected finite numbers in the weights of layer 0, got Infinity at row 0, column 1\.$/,
  );
});

test('second moments below 0, which have no root, are neither loaded nor saved', async () => {
  for (const kind of ['adam', 'adamw'] as const) {
    const state = loadTraining(await trained({ optimizer: { kind } }));
    const second = state.optimizer.moments[4 + 2]; // after four first moments
    second.data[3] = -1e-12;
    const text = `expected second moments of ${kind} of at least 0, got -1e-12 at index 3 of parameter 2.`.replace(
      '-1e-12',
      String(second.data[3]),
    );
    assert.throws(() => saveTraining(state), `saveTraining: ${text}`);
    second.data[3] = 0;
    const { header, numbers } = split(saveTraining(state));
    const bytes = header.tensors.map(({ shape }) => 8 * Math.ceil(shape.reduce((a, b) => a * b) / 2));
    const at = bytes.slice(0, 10).reduce((a, b) => a + b); // of parameter 2: four parameters and six moments before
    new DataView(numbers.buffer).setFloat32(at + 12, -1e-12, true);
    assert.throws(() => loadTraining(join(header, numbers)), `loadTraining: ${text}`);
    state.optimizer.moments[2].data[3] = -1;
    loadTraining(saveTraining(state)); // first moments have any sign
  }
});

test('landmarks so far apart that transform refuses all points, and sparse ones out of order, are refused in the name of loadModel', () => {
  const { header, numbers } = split(models.landmarks);
  const spoiled = numbers.slice();
  new DataView(spoiled.buffer).setFloat32(0, 3e38, true);
  assert.throws(
    () => loadModel(join(header, spoiled)),
    /^loadModel: expected points spread over 1e-14 to 1e18, got 3\.0\d*e\+38\. Multiply/,
  );
  const sparse = split(models.sparse);
  const start = new DataView(sparse.numbers.buffer).getFloat64(8, true);
  new DataView(sparse.numbers.buffer).setFloat64(8, 1e6, true);
  assert.ok(start < 1e6);
  assert.throws(() => loadModel(join(sparse.header, sparse.numbers)), /^loadModel: expected .*, got/);
});

test('sparse landmarks of any number of columns take no more memory than their entries', () => {
  // Arrays with a number for each column would have 20 bytes times 2³¹.
  const columns = 2 ** 31 - 2;
  const wide = loadModel(edited(models.sparse, (h) => void (h.facts.sparse = [20, columns])));
  assert.is(wide.kind === 'landmarks' && wide.landmarks.inputs, columns);
  assert.throws(() => transform(wide, points), /^transform: expected 2147483646 columns as in fit, got 2\.$/);
});

test('a table with other columns than the points is refused', async () => {
  const lines = Array.from({ length: 30 }, (_, i) => `${Math.sin(i)},${Math.cos(3 * i)}`);
  const table = await readTable(`x,y\n${lines.join('\n')}\n`);
  const bytes = saveModel((await new SpectralEmbedding({ components: 1, landmarks: 9 }).fit(table)).model);
  const narrow = edited(bytes, (h) => void (h.facts.columns as { columns: Json[] }).columns.pop());
  assert.throws(
    () => loadModel(narrow),
    /^loadModel: expected 2 columns of points from the table, as the model has, got 1/,
  );
});

test('a network whose values would fit into no memory is refused', () => {
  const units = 1_100_000;
  const parameters = [zeros([1, units]), zeros([units]), zeros([units, 1]), zeros([1])];
  const network = { activation: 'relu', parameters };
  const bytes = saveModel({ kind: 'network', network, center: null, eigenvalues: Float64Array.of(0.5) } as never);
  assert.throws(() => loadModel(bytes), /^loadModel: expected a network that takes at most 4 GiB, got 4\.\d+ GiB/);
});

test('a model that could not be loaded is not saved', () => {
  const model = loadModel(models.network);
  const broken = { ...model, eigenvalues: Float64Array.of(NaN, 0.5) };
  assert.throws(() => saveModel(broken), /^saveModel: expected the model\.eigenvalues to be numbers from 1 down/);
});

test('weights that carry coordinates out of range are refused by transform', () => {
  const model = loadModel(models.network);
  if (model.kind !== 'network') return assert.unreachable();
  for (const { weights } of model.network.layers) weights.data.fill(3e38);
  assert.throws(() => transform(model, points), /^transform: expected finite numbers in the coordinates, got/);
});

/** Every place in a JSON value. */
function* placesIn(value: Json, path: (string | number)[] = []): Generator<(string | number)[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) yield* placesIn((value as { [key: string]: Json })[key], [...path, key]);
}

function replaced(value: Json, [first, ...rest]: (string | number)[], change: (old: Json) => Json | undefined): Json {
  if (first === undefined) return change(value) ?? null;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as { [key: string]: Json };
  if (rest.length === 0 && change(copy[first]) === undefined) delete copy[first];
  else copy[first] = replaced(copy[first], rest, change);
  return copy as Json;
}

const numbersToTry = [0, -1, 1, 2, 3, 0.5, 1e9, 2 ** 31, 2 ** 53, 1e300];
const strangers: (Json | undefined)[] = [
  null,
  undefined,
  true,
  '',
  'toString',
  'single',
  [],
  {},
  [null],
  [[1]],
  { a: 1 },
];

/** A value near the old one in form, or of another kind. */
function mutate(old: Json, random: Random): Json | undefined {
  const pick = <T>(list: readonly T[]): T => list[random.integer(list.length)];
  if (typeof old === 'number' && random.uniform() < 0.6) return random.uniform() < 0.5 ? old + 1 : pick(numbersToTry);
  if (Array.isArray(old) && random.uniform() < 0.6) {
    return pick([old.slice(1), [...old, ...old], old.toReversed(), [...old, 1]]);
  }
  return random.uniform() < 0.5 ? pick(strangers) : pick(numbersToTry);
}

for (const [kind, files] of [
  ['model', models],
  ['training', trainings],
] as const) {
  // oxfmt-ignore
  test(`mutated headers of ${kind}s give an error in words, or a ${kind} that works`, () => {
    const random = new Random(`mutations of ${kind}s`);
    let refused = 0;
    let accepted = 0;
    for (const bytes of Object.values(files)) {
      const { header, numbers } = split(bytes);
      const places = [...placesIn(header as unknown as Json)];
      for (let round = 0; round < 1500; round++) {
        let changed = header as unknown as Json;
        for (let edits = 1 + random.integer(2); edits > 0; edits--) {
          const path = places[random.integer(places.length)];
          try {
            changed = replaced(changed, path, (old) => mutate(old, random));
          } catch {
            continue; // an earlier change removed the place
          }
        }
        const error = use(kind, join(changed, numbers));
        if (error === null) accepted++;
        else {
          refused++;
          assert.match(error.message, ownWords, JSON.stringify(changed).slice(0, 500));
        }
      }
    }
    assert.ok(refused > 4000 && accepted > 20, `${refused} refused, ${accepted} accepted`);
  });
}

test.run();
