/** Features of all points in a temporary file: computed once, read row by row for the sums of the Ritz problem. */

import { join } from 'node:path';
import { draftPath, sweepFolder } from '../files/drafts.ts';
import { FileReader } from '../files/read.ts';
import { TemporaryFile } from '../files/temporary-file.ts';
import { firstAtLeast } from '../core/search.ts';
import { checkedCsr, CsrMatrix } from '../sparse/csr.ts';
import { Tensor } from '../tensor/tensor.ts';
import { type CacheStatistics, PageCache, type PagedFile } from './arrays/page-cache.ts';
import { written } from './graph-writer.ts';
import type { StoredGraph } from './stored-graph.ts';

/** The rows of all features: dense, or sparse with the same number of entries in each row. */
export class FeatureFile {
  readonly #file: TemporaryFile;
  readonly #cache: PageCache;
  readonly #caller: string;
  #paged: PagedFile | null = null;
  /** The columns of the features, and the numbers of a row in the file: values, or columns and values. */
  #cols = 0;
  #stride = 0;
  #isSparse = false;

  /** Writes to a hidden file in the folder, which `remove` deletes. `memory` is for the cache. */
  constructor(caller: string, folder: string, memory: number) {
    this.#caller = caller;
    this.#cache = new PageCache(caller, memory);
    sweepFolder(folder, ['features'], 'killed');
    this.#file = new TemporaryFile(written, draftPath(join(folder, 'features')));
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  /** Adds the features of the next points. */
  append(features: Tensor | CsrMatrix): void {
    this.#isSparse = features instanceof CsrMatrix;
    this.#cols = features.cols;
    if (features instanceof CsrMatrix) {
      const { rows, columns, values } = features;
      const r = columns.length / rows;
      const buffer = new ArrayBuffer(8 * columns.length);
      const [integers, numbers] = [new Int32Array(buffer), new Float32Array(buffer)];
      for (let i = 0; i < rows; i++) {
        integers.set(columns.subarray(i * r, (i + 1) * r), 2 * i * r);
        numbers.set(values.subarray(i * r, (i + 1) * r), (2 * i + 1) * r);
      }
      this.#stride = 2 * r;
      this.#file.append(new Uint8Array(buffer));
      return;
    }
    const { data } = features;
    this.#stride = features.cols;
    this.#file.append(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }

  /** The features of these points, new. */
  rows(list: Int32Array): Tensor | CsrMatrix {
    this.#paged ??= { reader: new FileReader(this.#caller, this.#file.path), checksums: null };
    const stride = this.#stride;
    const numbers = new Float32Array(list.length * stride);
    for (let i = 0; i < list.length; i++) {
      const row = new Uint8Array(numbers.buffer, 4 * i * stride, 4 * stride);
      this.#cache.read(this.#paged, 4 * stride * list[i], row);
    }
    if (!this.#isSparse) return new Tensor(numbers, [list.length, stride]);
    const r = stride / 2;
    const integers = new Int32Array(numbers.buffer);
    const starts = Int32Array.from({ length: list.length + 1 }, (_, i) => i * r);
    const [columns, values] = [new Int32Array(list.length * r), new Float32Array(list.length * r)];
    for (let i = 0; i < list.length; i++) {
      columns.set(integers.subarray(i * stride, i * stride + r), i * r);
      values.set(numbers.subarray(i * stride + r, (i + 1) * stride), i * r);
    }
    return checkedCsr(this.#caller, list.length, this.#cols, starts, columns, values);
  }

  /** Deletes the file. */
  remove(): void {
    this.#paged?.reader.close();
    this.#file.remove();
  }
}

/** Rows of a graph in terms of their support S: the rows themselves and all their neighbors. */
export interface SupportedRows {
  /** S, ascending. */
  readonly support: Int32Array;
  /** The places of the rows in S. */
  readonly places: Int32Array;
  /** W[B, S]. */
  readonly weights: CsrMatrix;
}

/** W[B, S] of the rows from … to − 1. Its entries have the order that they have in W. */
export function supportedRows(graph: StoredGraph, from: number, to: number): SupportedRows {
  const { rows, starts, columns, values } = graph.rowRange(from, to);
  const all = new Int32Array(columns.length + rows);
  all.set(columns);
  for (let i = 0; i < rows; i++) all[columns.length + i] = from + i;
  all.sort();
  let count = 0;
  for (let k = 0; k < all.length; k++) if (k === 0 || all[k] !== all[k - 1]) all[count++] = all[k];
  const support = all.slice(0, count);
  const placeOf = (row: number): number => firstAtLeast(support, row);
  const places = Int32Array.from({ length: rows }, (_, i) => placeOf(from + i));
  const weights = checkedCsr('StoredGraph', rows, count, starts, Int32Array.from(columns, placeOf), values);
  return { support, places, weights };
}
