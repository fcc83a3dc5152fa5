/** Calls between threads, on two ports of one thread: order, errors, notices, and models that are forgotten. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NotPositiveDefinite } from '../../lib/doors/linalg.ts';
import { saveModel, SpectralEmbedding, Tensor } from '../../lib/index.ts';
import { answerCalls, Connection, inOrder, plainClasses } from '../../lib/worker/calls.ts';
import { embeddingClasses } from '../../lib/worker/embedding-classes.ts';
import { embeddingService } from '../../lib/worker/embedding-service.ts';
import { WorkerClient } from '../../lib/worker/embedding-worker.ts';
import type { OwnerPort } from '../../lib/worker/ports.ts';

const test = suite('calls');

/** Two ports that are joined. The near one records the names of the calls. */
function joined(): { near: OwnerPort; far: OwnerPort; posted: string[] } {
  const { port1, port2 } = new MessageChannel();
  const posted: string[] = [];
  const wrap = (port: MessagePort): OwnerPort => ({
    post: (message, buffers) => {
      posted.push((message as { name?: string }).name ?? (message as { kind: string }).kind);
      port.postMessage(message, buffers);
    },
    listen: (onMessage) => {
      port.addEventListener('message', ({ data }: MessageEvent) => onMessage(data));
      port.start();
    },
    onFailure: () => {},
    keepAlive: () => {},
    terminate: async () => port.close(),
  });
  return { near: wrap(port1), far: wrap(port2), posted };
}

interface Calls {
  readonly echo: { readonly input: unknown; readonly notice: string; readonly output: unknown };
  readonly fail: { readonly input: number; readonly notice: string; readonly output: never };
}

function connect(classes = embeddingClasses): { connection: Connection<Calls>; busy: boolean[]; end: () => unknown } {
  const { near, far } = joined();
  const busy: boolean[] = [];
  const errors = [
    () => new NotPositiveDefinite('cholesky', 2, -0.5, 7),
    () => new SyntaxError('a syntax'),
    () => new (class Special extends RangeError {})('special'),
    () => 'only text',
  ];
  answerCalls<Calls>(far, classes, {
    echo: (input, { notify }) => {
      notify('begins');
      return input;
    },
    fail: (which) => {
      throw errors[which]();
    },
  });
  return { connection: new Connection<Calls>(near, classes, (isBusy) => busy.push(isBusy)), busy, end: near.terminate };
}

test('values arrive as they were sent', async () => {
  const { connection, busy, end } = connect();
  const reported: string[] = [];
  const value = {
    table: new Tensor(Float64Array.of(1, 2, 3, 4), [2, 2]),
    text: 'ä',
    missing: undefined,
    none: null,
    list: [1, 'two', [Int32Array.of(3)]],
  };
  const back = await connection.call('spec', 'echo', value, { notice: (notice) => reported.push(notice) });
  assert.equal(back, value);
  assert.instance((back as typeof value).table, Tensor);
  assert.equal(reported, ['begins']);
  assert.equal(busy, [true, false]);
  end();
});

test('errors keep class, message, stack and fields; those of other classes are errors', async () => {
  const { connection, end } = connect();
  const [definite, syntax, special, text] = await Promise.all(
    [0, 1, 2, 3].map((which) => connection.call('spec', 'fail', which).catch((error: Error) => error)),
  );
  assert.instance(definite, NotPositiveDefinite);
  const { pivot, value, message, stack } = definite as unknown as NotPositiveDefinite;
  assert.equal([pivot, value, message], [2, -0.5, new NotPositiveDefinite('cholesky', 2, -0.5, 7).message]);
  assert.match(stack!, 'calls.spec');
  assert.is((syntax as Error).constructor, SyntaxError);
  assert.equal([(special as Error).constructor, (special as Error).message], [Error, 'special']);
  assert.is((text as Error).message, 'only text');
  end();
});

test('a class that is not listed is refused', async () => {
  const { connection, end } = connect(plainClasses);
  const table = new Tensor(Float32Array.of(1), [1, 1]);
  const error = await connection.call('spec', 'echo', { table }).catch((problem: Error) => problem);
  assert.is((error as Error).message, 'spec: expected values that can be sent to a worker, got an instance of Tensor at table.'); // oxfmt-ignore
  end();
});

test('tasks run one after another, and one that fails does not stop the next', async () => {
  const enqueue = inOrder();
  const done: number[] = [];
  const slow = enqueue(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    done.push(1);
  });
  const bad = enqueue(() => {
    done.push(2);
    throw new Error('bad');
  });
  const last = enqueue(() => done.push(3));
  await slow;
  assert.is(await bad.catch((error: Error) => error.message), 'bad');
  await last;
  assert.equal(done, [1, 2, 3]);
});

test('the worker forgets a model that nothing refers to', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { near, far, posted } = joined();
  const service = embeddingService();
  answerCalls(far, embeddingClasses, service);
  const client = new WorkerClient(near, undefined);
  const points = Array.from({ length: 40 }, (_, i) => [i, Math.sin(i)]);
  const { model } = await new SpectralEmbedding().fit(points);
  const kept = await client.loadModel(saveModel(model));
  await client.loadModel(saveModel(model));
  for (let i = 0; i < 100 && !posted.includes('release'); i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.is(posted.filter((name) => name === 'release').length, 1);
  assert.is((await kept.transform(points)).rows, 40);
  const context = { signal: new AbortController().signal, notify: () => {} };
  const find = Promise.resolve(service.saveModel(1, context)).catch((error: Error) => error.message);
  assert.is(await find, 'EmbeddingWorker: expected a model of this worker, got 1.');
  await client.close();
});

test.run();
