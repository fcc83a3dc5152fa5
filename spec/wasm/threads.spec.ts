/** Threads share work invisibly: results are the same bits for any number of threads, and no call blocks. */

import { resolveObjectURL } from 'node:buffer';
import { Worker as NodeWorker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { runSync } from '../../lib/core/task.ts';
import { nearestNeighbors } from '../../lib/graph/neighbors/neighbors.ts';
import { prepareReachSteps } from '../../lib/graph/neighbors/reach.ts';
import { kernels } from '../../lib/wasm/all-kernels.ts';
import { KernelMemory } from '../../lib/wasm/memory/memory.ts';
import { type AnyRoutine, compile } from '../../lib/wasm/assembler/compile.ts';
import { defineTable } from '../../lib/wasm/simd/table.ts';
import { blockKernels } from '../../lib/wasm/block-family.ts';
import { galerkinKernels } from '../../lib/wasm/galerkin-family.ts';
import {
  gradientKernels,
  joinKernels,
  nearestKernels,
  sparseRowsKernels,
  vectorKernels,
} from '../../lib/wasm/families.ts';
import { setThreads } from '../../lib/wasm/set-threads.ts';
import { enableSimd, simdStatus } from '../../lib/wasm/simd.ts';
import { Threads } from '../../lib/wasm/threads/threads.ts';
import { processors } from '../../lib/wasm/threads/worker.ts';
import { clusteredPoints } from '../graph/reference.ts';
import { largeCalls } from './large-calls.ts';

const test = suite('threads');
const ample = 1e9;

/** Threads on their own memory, and the number of calls by this thread. `stub` replaces `add` in this thread only. */
function someThreads(count: number, stub?: AnyRoutine) {
  const memory = new KernelMemory([64]);
  const compiled = compile(memory, defineTable);
  const made = { here: 0 };
  const original = compiled.routines.elementwise.add;
  const add: typeof original = (...operands) => {
    made.here++;
    ((stub ?? original) as typeof original)(...operands);
  };
  const functions = compiled.functions.map((each) => (each === original ? add : each));
  return { memory, made, add, threads: new Threads(memory, [{ ...compiled, functions }], count) };
}

/** Adds pairs of rows until the other threads have made some of the calls. */
function shareAdditions({ memory, made, add, threads }: ReturnType<typeof someThreads>): void {
  const [rows, cols] = [600, 50];
  const [a, b, out] = [1, 2, 3].map(() => memory.allocator.float32(rows * cols));
  const until = performance.now() + 20_000;
  for (let round = 1; ; round++) {
    assert.ok(performance.now() < until, 'no thread helped');
    assert.ok(threads.pays(ample));
    a.fill(round);
    b.fill(0.5);
    made.here = 0;
    const later = threads.defer(add);
    for (let i = 0; i < rows; i++) {
      const at = 4 * i * cols;
      later(cols, a.byteOffset + at, b.byteOffset + at, out.byteOffset + at);
    }
    threads.finish();
    assert.ok(out.every((value) => value === round + 0.5));
    if (made.here < rows) return;
  }
}

test('noted calls are all made, more than the mailbox holds, and others make some of them', () => {
  const shared = someThreads(2);
  shareAdditions(shared);
  shared.threads.count = 1;
  assert.not(shared.threads.pays(ample));
  shared.threads.count = 3;
  shareAdditions(shared);
  shared.threads.count = 1;
});

test('threads can start while the caller does something else, and no call is lost when they end', () => {
  const { memory, made, add, threads } = someThreads(2);
  const [rows, cols] = [100, 50];
  const [a, b, out] = [1, 2, 3].map(() => memory.allocator.float32(rows * cols));
  const until = performance.now() + 20_000;
  const beginWith = (value: number): void => {
    a.fill(value);
    assert.ok(threads.pays(ample));
    const later = threads.defer(add);
    for (let at = 0; at < 4 * rows * cols; at += 4 * cols) {
      later(cols, a.byteOffset + at, b.byteOffset + at, out.byteOffset + at);
    }
    threads.begin();
  };
  beginWith(1);
  const flags = new Int32Array(memory.buffer as SharedArrayBuffer, out.byteOffset, out.length);
  while (Atomics.load(flags, out.length - 1) === 0) assert.ok(performance.now() < until, 'no thread began');
  threads.finish();
  assert.ok(made.here < rows);
  assert.ok(out.every((value) => value === 1));
  threads.finish(); // nothing is left
  beginWith(2);
  threads.count = 1;
  assert.ok(out.every((value) => value === 2));
});

test('workers that are sent away while others come take nothing with them', () => {
  const shared = someThreads(2);
  const { memory, threads } = shared;
  shareAdditions(shared);
  // Workers take time to end. Here they never end.
  const { terminate } = NodeWorker.prototype;
  NodeWorker.prototype.terminate = async () => 0;
  for (let round = 0; round < 3; round++) {
    const more = compile(memory, defineTable);
    threads.add(more);
    const [a, out] = [memory.allocator.float32(4000).fill(round), memory.allocator.float32(4000)];
    for (let time = 0; time < 20; time++) {
      assert.ok(threads.pays(ample));
      const later = threads.defer(more.routines.elementwise.add);
      for (let k = 0; k < 100; k++) later(40, a.byteOffset + 160 * k, a.byteOffset + 160 * k, out.byteOffset + 160 * k);
      threads.finish();
      assert.ok(out.every((value) => value === 2 * round));
    }
  }
  NodeWorker.prototype.terminate = terminate;
  threads.count = 1;
});

test('small work is not shared, and neither is any in memory that is not', () => {
  const { threads } = someThreads(2);
  assert.not(threads.pays(1000));
  const page = globalThis as { crossOriginIsolated?: boolean };
  page.crossOriginIsolated = false;
  try {
    const own = someThreads(2).threads;
    assert.is(own.count, 1);
    own.count = 4;
    assert.is(own.count, 1);
    assert.not(own.pays(ample));
  } finally {
    delete page.crossOriginIsolated;
  }
});

test('a call that fails does so for the caller, wherever it was made', () => {
  const { threads, add } = someThreads(2);
  assert.ok(threads.pays(ample));
  const later = threads.defer(add);
  for (let k = 0; k < 5; k++) later(4, 0xfffffff0, 0xfffffff0, 0xfffffff0);
  assert.throws(() => threads.finish(), /out of bounds/);
  threads.count = 1;
  // An error that occurs only in another thread is reported.
  const lazy = someThreads(2, () => 0);
  const until = performance.now() + 20_000;
  // A worker may take a while to start.
  const attempts = (): void => {
    while (performance.now() < until) {
      assert.ok(lazy.threads.pays(ample));
      const bad = lazy.threads.defer(lazy.add);
      for (let k = 0; k < 200; k++) bad(4, 0xfffffff0, 0xfffffff0, 0xfffffff0);
      lazy.threads.finish();
    }
    throw new Error('no thread failed');
  };
  assert.throws(attempts, /failed in another thread/);
  lazy.threads.count = 1;
});

test('workers that cannot start leave the work to the caller', () => {
  const memory = new KernelMemory([64]);
  const compiled = compile(memory, defineTable);
  const wrong = compile(new KernelMemory([32]), defineTable).module;
  const threads = new Threads(memory, [{ ...compiled, module: wrong }], 2);
  const [a, out] = [memory.allocator.float32(400).fill(3), memory.allocator.float32(400)];
  for (let round = 0; round < 50; round++) {
    assert.ok(threads.pays(ample));
    const later = threads.defer(compiled.routines.elementwise.add);
    for (let k = 0; k < 100; k++) later(4, a.byteOffset + 16 * k, a.byteOffset + 16 * k, out.byteOffset + 16 * k);
    threads.finish();
    assert.ok(out.every((value) => value === 6));
  }
  threads.count = 1;
});

test('a thread that may not sleep polls until the others are done', () => {
  const { wait } = Atomics;
  Atomics.wait = () => {
    throw new TypeError('Atomics.wait cannot be called in this context');
  };
  try {
    const shared = someThreads(2);
    shareAdditions(shared);
    shared.threads.count = 1;
  } finally {
    Atomics.wait = wait;
  }
});

test('a browser’s workers do as Node’s', () => {
  const { getBuiltinModule } = process;
  const page = globalThis as { Worker?: unknown };
  /** Runs the script at the address in a worker of Node, as a worker of a page would. */
  page.Worker = class {
    #worker: NodeWorker;
    constructor(url: string) {
      const run = `const { parentPort } = require('node:worker_threads');
        parentPort.once('message', async ({ blob, data }) => {
          const text = await blob.text();
          new Function('require', 'let onmessage;' + text + ';return onmessage;')(undefined)({ data });
        });`;
      this.#worker = new NodeWorker(run, { eval: true, execArgv: [] });
      this.#worker.unref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
      this.postMessage = (data) => this.#worker.postMessage({ blob: resolveObjectURL(url), data });
    }
    postMessage: (data: unknown) => void;
    addEventListener(): void {}
    terminate(): void {
      void this.#worker.terminate();
    }
  };
  process.getBuiltinModule = (() => undefined) as typeof getBuiltinModule;
  try {
    assert.ok(processors() >= 1);
    const shared = someThreads(2);
    shareAdditions(shared);
    shared.threads.count = 1;
  } finally {
    process.getBuiltinModule = getBuiltinModule;
    delete page.Worker;
  }
});

test('kernels and searches give the same bits for any number of threads', async () => {
  enableSimd();
  const before = simdStatus();
  const points = clusteredPoints(new Random('search'), 1500, 60, 12, 0.2);
  const narrow = clusteredPoints(new Random('reach'), 3000, 3, 12, 0.2);
  const reaches = new Float32Array(narrow.rows).fill(0.01);
  const results: unknown[] = [];
  for (const count of [1, 2, 3]) {
    const status = setThreads(count);
    assert.ok(status.enabled && status.threads === count);
    // The searches run first: once they are done, the workers have started.
    const searches = [
      await nearestNeighbors(points, { neighbors: 7, method: 'brute' }),
      await nearestNeighbors(points, { neighbors: 7, method: 'descent' }),
      await nearestNeighbors(points, { neighbors: 7, method: 'tree' }),
      runSync(runSync(prepareReachSteps('spec', narrow, { squared: reaches }, 2, {}))(narrow, 7)),
    ];
    const families = [
      nearestKernels(),
      joinKernels(),
      vectorKernels(),
      blockKernels(),
      galerkinKernels(),
      sparseRowsKernels(),
      gradientKernels(),
    ];
    const table = Object.assign({}, kernels, ...families) as Record<string, (...args: unknown[]) => void>;
    const calls = largeCalls().map(([name, args, out]) => {
      const start = out.slice();
      const call = (): Float32Array | Float64Array => {
        out.set(start);
        table[name](...args);
        return out.slice();
      };
      const first = call();
      for (let k = 1; k < (count > 1 ? 8 : 1); k++) assert.equal(call(), first, `${name}, ${count} threads`);
      return first;
    });
    results.push([searches, calls]);
  }
  assert.equal(results[1], results[0]);
  assert.equal(results[2], results[0]);
  setThreads(before.enabled ? before.threads : 1);
});

test('a bad number of threads is refused', () => {
  assert.throws(() => setThreads(0), /setThreads: expected count to be a whole number, at least 1, got 0\./);
  assert.throws(() => setThreads(1.5), /setThreads: .* got 1\.5\./);
  assert.throws(() => setThreads(10_000), /^setThreads: expected count to be at most 256, got 10000\.$/);
});

test.run();
