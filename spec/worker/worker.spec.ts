/** A worker computes what this thread would compute, and can be watched, aborted and closed. */

import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs, swissRoll } from '../../datasets/index.ts';
import { startWorker } from '../../lib/doors/worker.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { toNdarray } from '../../lib/doors/tensor.ts';
import {
  buildGraph,
  DiffusionMap,
  loadModel,
  type PointSource,
  readTable,
  saveModel,
  SpectralClustering,
  SpectralEmbedding,
  type SpectralEmbeddingOptions,
  Tensor,
} from '../../lib/index.ts';

const test = suite('worker');

const worker = startWorker();
test.after(() => worker.close());

const { points } = swissRoll({ n: 240, seed: 3 });
const others = swissRoll({ n: 30, seed: 4 }).points;
const landmarks: SpectralEmbeddingOptions = { components: 2, landmarks: 60, seed: 5 };
/** Trains for hours. */
const endless: SpectralEmbeddingOptions = { method: 'specnet2', hidden: [8], training: { epochs: 1e9, batch: 4 } };

function sameBits(found: Tensor, wanted: Tensor): void {
  assert.equal(found.shape, wanted.shape);
  assert.is(found.precision, wanted.precision);
  assert.ok(found.data.every((value, i) => Object.is(value, wanted.data[i])));
}

/** A table with coordinates a, b and c, in the order of `names`, a label and ids. */
function tableOf({ data, rows }: Tensor, names: readonly ('a' | 'b' | 'c')[]): ReturnType<typeof readTable> {
  const lines = Array.from({ length: rows }, (_, i) => {
    const numbers = names.map((name) => data[3 * i + 'abc'.indexOf(name)]);
    return [`roll ${i}`, ...numbers, i % 2 ? 'odd' : 'even'].join();
  });
  return readTable([['id', ...names, 'side'].join(), ...lines].join('\n'), { label: 'side' });
}

const table = await tableOf(points, ['a', 'b', 'c']);
const columnMajor = toNdarray(new Tensor(Float64Array.from(points.data), points.shape)).transpose(1, 0);
const sources: Record<string, PointSource> = {
  'a tensor': points,
  'a tensor in double precision': points.copy('double'),
  'a view of rows': points.rowRange(20, 200),
  'nested arrays': points.toArray(),
  'numbers with a shape': { data: [...points.data], shape: points.shape },
  'a typed array with a shape': { data: Float32Array.from(points.data), shape: points.shape },
  'an ndarray': toNdarray(points),
  'a transposed ndarray': columnMajor.transpose(1, 0),
  'a sparse matrix': fromDense(points),
  'a table': table,
};

for (const [name, source] of Object.entries(sources)) {
  test(`${name} gives the same bits as in this thread`, async () => {
    const [there, here] = await Promise.all([
      worker.fit(source, landmarks),
      new SpectralEmbedding(landmarks).fit(source),
    ]);
    sameBits(there.embedding, here.embedding);
    assert.equal(there.eigenvalues, here.eigenvalues);
    assert.equal(there.diagnostics, here.diagnostics);
    assert.is(there.converged, here.converged);
    sameBits(await there.transform(others), here.transform(others));
    assert.equal(await there.save(), saveModel(here.model));
  });
}

test('a network that is trained gives the same bits, on any number of threads', async () => {
  const options: SpectralEmbeddingOptions = { method: 'specnet2', hidden: [16], training: { epochs: 2 }, seed: 1 };
  const here = await new SpectralEmbedding(options).fit(points);
  const two = startWorker({ threads: 2 });
  sameBits((await worker.fit(points, options)).embedding, here.embedding);
  sameBits((await two.fit(points, options)).embedding, here.embedding);
  await two.close();
});

test('clusters are the same, and those of new points', async () => {
  const data = blobs({ n: 200, centers: 3, seed: 2 });
  const there = await worker.cluster(data.points, { clusters: 3, seed: 1 });
  const here = await new SpectralClustering({ clusters: 3, seed: 1 }).fit(data.points);
  assert.equal(there.labels, here.labels);
  assert.equal(there.sizes, here.sizes);
  assert.is(there.converged, here.converged);
  sameBits(there.centers, here.centers);
  sameBits(there.base.embedding, here.base.embedding);
  const { points: unseen } = blobs({ n: 50, centers: 3, seed: 2 });
  assert.equal(await there.predict(unseen), here.predict(unseen));
});

test('a diffusion map is the same, and that of new points', async () => {
  for (const options of [
    { ...landmarks, time: 3 },
    { alpha: 1, landmarks: 60 },
  ]) {
    const there = await worker.diffusionMap(points, options);
    const here = await new DiffusionMap(options).fit(points);
    sameBits(there.embedding, here.embedding);
    sameBits(there.base.embedding, here.base.embedding);
    sameBits(await there.transform(others), here.transform(others));
    assert.equal([there.time, there.eigenvalues], [here.time, here.eigenvalues]);
  }
  const refused = await worker.diffusionMap(points, { time: -1 }).catch((error: Error) => error.message);
  assert.is(refused, 'DiffusionMap: expected a time of at least 0, got -1.');
  assert.ok((await worker.diffusionMap(points, landmarks)).time === 1);
});

test('a model keeps the names of the columns of a table, and finds them in a new table', async () => {
  const there = await worker.fit(table, landmarks);
  const here = await new SpectralEmbedding(landmarks).fit(table);
  assert.equal(there.columns, table.encoding);
  assert.equal(there.columns?.columns.map(({ name }) => name), ['a', 'b', 'c'], 'neither the label nor the ids'); // oxfmt-ignore
  assert.equal([table.labelColumn, table.labelNames, table.labels?.length], ['side', ['even', 'odd'], 240]);
  const other = await tableOf(others, ['c', 'a', 'b']);
  const wanted = here.transform(other);
  sameBits(await there.transform(other), wanted);
  const loaded = await worker.loadModel(await there.save());
  assert.equal(loaded.columns, table.encoding);
  sameBits(await loaded.transform(other), wanted);
  const short = await readTable('a,b\n1,2\n3,4');
  const message = await there.transform(short).catch((error: Error) => error.message);
  assert.is(message, "Table.encodedAs: expected a column named 'c', as in fit, got the columns 'a', 'b'.");
  const clusters = await worker.cluster(table, { clusters: 2, landmarks: 60 });
  const predicted = (await new SpectralClustering({ clusters: 2, landmarks: 60 }).fit(table)).predict(other);
  assert.equal(await clusters.predict(other), predicted);
  assert.is((await worker.fit(points, landmarks)).columns, null);
});

test('a model from a file transforms in the worker', async () => {
  const fitted = await new SpectralEmbedding(landmarks).fit(points);
  const bytes = Buffer.from(saveModel(fitted.model));
  const model = await worker.loadModel(bytes);
  assert.equal(model.eigenvalues, fitted.eigenvalues);
  sameBits(await model.transform(others), fitted.transform(others));
  assert.is(loadModel(await model.save()).kind, 'landmarks');
  assert.ok(bytes.length > 0, 'the bytes are still here');
});

test('a graph goes to the worker and comes back', async () => {
  const graph = await buildGraph(points, {
    kind: 'kernel',
    kernel: (ratio) => Math.max(0, 1 - ratio),
    sigma: 9,
    radius: 9,
  });
  const there = await worker.fit(points, landmarks, { graph });
  sameBits(there.embedding, (await new SpectralEmbedding(landmarks).fit(points, { graph })).embedding);
  const back = await there.graph();
  assert.equal(back.degrees, graph.degrees);
  assert.equal(back.weights.values, graph.weights.values);
  assert.equal(back.components, graph.components);
  assert.equal([back.size, back.volume, back.origin], [graph.size, graph.volume, graph.origin]);
});

test('progress rises to 1', async () => {
  const reported: number[] = [];
  const fitted = await worker.fit(points, landmarks, { progress: (fraction) => reported.push(fraction) });
  await fitted.transform(others, { progress: (fraction) => reported.push(fraction + 1) });
  assert.is(reported.at(-1), 2);
  assert.ok(reported.includes(1));
  assert.equal(
    reported,
    reported.toSorted((a, b) => a - b),
  );
});

test('an aborted call is rejected with the reason, and the worker continues with the next', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const progress = (): void => controller.abort(reason);
  const long = worker.fit(points, endless, { progress, signal: controller.signal });
  const next = worker.fit(points, landmarks);
  assert.is(await long.catch((error: unknown) => error), reason);
  assert.is((await next).embedding.rows, 240);
});

test('a call that waits for another can be aborted, and one that was aborted before', async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const long = worker.fit(points, endless, { signal: first.signal });
  const waiting = worker.fit(points, endless, { signal: second.signal });
  second.abort();
  assert.is(await waiting.catch((error: Error) => error.name), 'AbortError');
  first.abort();
  assert.is(await long.catch((error: Error) => error.name), 'AbortError');
  const late = worker.fit(points, endless, { signal: first.signal });
  assert.is(await late.catch((error: unknown) => error), first.signal.reason);
  assert.is((await worker.fit(points, landmarks)).embedding.rows, 240);
});

test('an error in the callback of progress ends the call', async () => {
  const broken = new TypeError('broken');
  const progress = (): void => {
    throw broken;
  };
  assert.is(await worker.fit(points, endless, { progress }).catch((error: unknown) => error), broken);
  assert.is((await worker.fit(points, landmarks)).embedding.rows, 240);
});

test('calls end in the order in which they were made', async () => {
  const ended: string[] = [];
  const slow = worker.fit(points, landmarks).then(() => ended.push('first'));
  const quick = worker.fit(points.rowRange(0, 20), { components: 1 }).then(() => ended.push('second'));
  await Promise.all([slow, quick]);
  assert.equal(ended, ['first', 'second']);
});

test('errors have the class and the message that they have in this thread', async () => {
  const wrong: [unknown, object][] = [
    ['hello', {}],
    [42, {}],
    [undefined, {}],
    [[[1, 2], [3]], {}],
    [[[1, 2], [3, 'four']], {}], // oxfmt-ignore
    [[[1, Number.NaN], [3, 4]], {}], // oxfmt-ignore
    [points, { components: 0 }],
    [points, { method: 'magic' }],
    [points, { landmarks: 3, components: 5 }],
    [points, { graph: { kind: 'knn', neighbors: -1 } }],
  ];
  for (const [source, options] of wrong) {
    const [there, here] = await Promise.all([
      worker.fit(source as PointSource, options).catch((error: Error) => error),
      new Promise((resolve) => resolve(new SpectralEmbedding(options)))
        .then((estimator) => (estimator as SpectralEmbedding).fit(source as PointSource))
        .catch((error: Error) => error),
    ]);
    assert.ok(here instanceof Error && there instanceof Error);
    assert.is(there.message, here.message);
    assert.is(there.constructor, here.constructor, here.message);
  }
  const fitted = await worker.fit(points, landmarks);
  const narrow = await fitted.transform([[1, 2]]).catch((error: Error) => error.message);
  assert.is(narrow, 'SpectralEmbedding.transform: expected 3 columns as in fit, got 2.');
  const unknown = await fitted.transform(others, { signals: 1 } as never).catch((error: Error) => error.message);
  assert.is(unknown, "RemoteModel.transform: unknown option 'signals'; did you mean 'signal'?");
});

test('functions and instances of other classes are refused, with their place', async () => {
  const refused = async (options: object): Promise<string> => {
    const error = await worker.fit(points, options).catch((problem: unknown) => problem);
    assert.instance(error, TypeError);
    return (error as Error).message;
  };
  const kernel = await refused({ graph: { kind: 'kernel', kernel: () => 1 } });
  assert.match(kernel, /^EmbeddingWorker.fit: expected .*, got a function at options\.graph\.kernel\. .*`graph`/);
  assert.match(await refused({ training: { onEpoch: () => {} } }), /a function at options\.training\.onEpoch\./);
  assert.match(await refused({ hidden: [8, new Map()] }), /an instance of Map at options\.hidden\.1\./);
});

test("a user's arrays are copied, and moved only if asked", async () => {
  const data = Float32Array.from(points.data);
  const own = new Tensor(data, points.shape);
  await worker.fit(own, landmarks);
  assert.is(data.length, points.size);
  const moved = await worker.fit(own, landmarks, { transfer: true });
  assert.is(data.length, 0);
  const part = new Tensor(Float32Array.from([...points.data, 0]).subarray(0, points.size), points.shape);
  sameBits((await worker.fit(part, landmarks, { transfer: true })).embedding, moved.embedding);
  assert.is(part.data.length, points.size, 'a part of an array is copied');
  await worker.fit(points, landmarks, { transfer: true });
  assert.is(points.data.length, points.size, "the kernels' memory is copied");
});

test('closing rejects running calls and later ones', async () => {
  const other = startWorker();
  const fitted = await other.fit(points, landmarks);
  const long = other.fit(points, endless);
  const reported = long.catch((error: Error) => error.message);
  await other.close();
  const message = 'EmbeddingWorker: expected an open worker, got a closed one. startWorker() starts another.';
  assert.is(await reported, message);
  assert.is(await fitted.transform(others).catch((error: Error) => error.message), message);
  await other.close();
});

test('a worker that fails, ends, or was not given says so', async () => {
  const broken = startWorker({ worker: new Worker("throw new Error('no such luck')", { eval: true }) });
  const message = await broken.fit(points).catch((error: Error) => error.message);
  assert.match(message as string, /got no such luck\. If a bundler moved the script, pass \{ worker: new Worker\(/);
  const ended = startWorker({ worker: new Worker('process.exit(3)', { eval: true }) });
  assert.match((await ended.fit(points).catch((error: Error) => error.message)) as string, /end with exit code 3/);
  assert.throws(() => startWorker({ worker: {} as Worker }), /^startWorker: expected a Worker, got Object\. Pass/);
  assert.throws(() => startWorker({ threads: 0 }), /threads to be a whole number, at least 1, got 0/);
  const crowded = startWorker({ threads: 1000 });
  assert.match((await crowded.fit(points).catch((error: Error) => error.message)) as string, /at most 256, got 1000/);
  await crowded.close();
});

test.run();
