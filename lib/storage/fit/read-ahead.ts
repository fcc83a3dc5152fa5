/**
 * `ReadAhead`: threads that read the rows of the next batch, and of their neighbors, while the current one computes. They only bring
 * pages of files into the memory of the system, so that a step finds them there: no number of a training depends on them.
 */

import { freemem } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RowLayout } from '../arrays/paged-file.ts';
import { arrayPath } from '../graph/graph-header.ts';
import type { StoredGraph } from '../graph/stored-graph.ts';

/** The threads that read at a time: a disk serves several requests faster than one after the other. */
const readers = 4;
/** Indices into the shared memory: the number of the batch, its length, the pages read so far by all, and where its rows begin. */
const layout = { batch: 0, length: 1, pages: 2, rows: 4 } as const;

/** Whether files of `bytes` bytes are too large to stay in the part of the system's memory that this process may use. */
export function exceedsMemory(bytes: number): boolean {
  // 0, or more than there is, if nothing limits the process.
  const limit = process.constrainedMemory?.() || Infinity;
  return bytes > Math.min(freemem(), limit) / 2;
}

export class ReadAhead {
  readonly #shared: Int32Array;
  readonly #workers: readonly Worker[];
  readonly #most: number;

  /** Reads rows of `graph` and of each table, for batches of at most `most` rows. Longer ones are not read ahead. */
  constructor({ folder, precision }: StoredGraph, tables: readonly RowLayout[], most: number) {
    this.#most = most;
    this.#shared = new Int32Array(new SharedArrayBuffer(4 * (layout.rows + most)));
    const paths = { indptr: '', indices: '', data: '' };
    for (const name of ['indptr', 'indices', 'data'] as const) paths[name] = arrayPath(folder, name);
    const common = { shared: this.#shared, paths, tables, valueBytes: precision === 'double' ? 8 : 4 };
    this.#workers = Array.from({ length: readers }, (_, place) => {
      const worker = new Worker(source, { eval: true, execArgv: [], workerData: { ...common, place } });
      worker.unref();
      worker.on('error', () => {}); // a step then reads for itself
      return worker;
    });
  }

  /** The pages that were read so far. */
  get pages(): number {
    return Atomics.load(this.#shared, layout.pages);
  }

  /** Yields the batches, which stay valid, and reads for each while the one before is in use. */
  *before(batches: Iterable<Int32Array>): Generator<Int32Array, void> {
    let current: Int32Array | null = null;
    for (const batch of batches) {
      if (current) {
        this.#begin(batch);
        yield current;
      }
      current = batch;
    }
    if (current) yield current;
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** Begins with a batch. What is left of the one before is given up. */
  #begin(batch: Int32Array): void {
    if (batch.length > this.#most) return;
    this.#shared.set(batch, layout.rows);
    Atomics.store(this.#shared, layout.length, batch.length);
    Atomics.add(this.#shared, layout.batch, 1);
    Atomics.notify(this.#shared, layout.batch);
  }
}

/**
 * The program of a thread, as text, so that no bundler has to find a file. It reads every row of the batch that is its share: its start and
 * end, columns and weights, and one byte of each page of the tables that its neighbors are in. A batch that is replaced meanwhile may be read in
 * part; numbers out of range are not read.
 */
const source = `
'use strict';
const { openSync, readSync } = require('node:fs');
const { shared, paths, tables, valueBytes, place } = require('node:worker_threads').workerData;
const [header, pageBytes] = [128, 4096];
const open = (path) => openSync(path, 'r');
const [indptr, indices, data] = [paths.indptr, paths.indices, paths.data].map(open);
const files = tables.map(({ path, begin, rowBytes }) => ({ file: open(path), begin, rowBytes }));
const starts = new BigInt64Array(2);
const room = { columns: new Int32Array(1024), weights: new Uint8Array(8 * 1024) };
const byte = new Uint8Array(1);
const readRow = (row) => {
  readSync(indptr, starts, 0, 16, header + 8 * row);
  const [first, end] = [Number(starts[0]), Number(starts[1])];
  const count = end - first;
  if (!(count > 0 && count < 1e7)) return;
  if (room.columns.length < count) {
    [room.columns, room.weights] = [new Int32Array(2 * count), new Uint8Array(16 * count)];
  }
  const { columns, weights } = room;
  readSync(indices, columns, 0, 4 * count, header + 4 * first);
  readSync(data, weights, 0, valueBytes * count, header + valueBytes * first);
  let pages = 3;
  for (const { file, begin, rowBytes } of files) {
    let last = -1;
    for (let e = 0; e < count; e++) {
      const from = begin + rowBytes * columns[e];
      const until = Math.floor((from + rowBytes - 1) / pageBytes);
      for (let page = Math.max(last + 1, Math.floor(from / pageBytes)); page <= until; page++) {
        readSync(file, byte, 0, 1, page * pageBytes);
        last = page;
        pages++;
      }
    }
  }
  Atomics.add(shared, ${layout.pages}, pages);
};
for (let seen = 0; ; ) {
  Atomics.wait(shared, ${layout.batch}, seen);
  seen = Atomics.load(shared, ${layout.batch});
  const length = Atomics.load(shared, ${layout.length});
  for (let i = place; i < length && Atomics.load(shared, ${layout.batch}) === seen; i += ${readers}) {
    try {
      readRow(shared[${layout.rows} + i]);
    } catch {
      // The step reads it, and says what is wrong.
    }
  }
}
`;
