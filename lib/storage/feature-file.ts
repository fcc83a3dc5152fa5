/** Landmark features of points in files: computed once, read row by row for the sums of the Ritz problem. */

import { join } from 'node:path';
import { draftPath, sweepFolder } from '../files/drafts.ts';
import { FileReader } from '../files/read.ts';
import { TemporaryFile } from '../files/pieces/temporary-file.ts';
import { firstAtLeast } from '../core/search.ts';
import { checkedCsr, type CsrMatrix } from '../sparse/csr.ts';
import { type CacheStatistics, PageCache } from './arrays/page-cache.ts';
import type { PagedFile } from './arrays/paged-file.ts';
import { written } from './graph-writer.ts';
import type { StoredGraph } from './stored-graph.ts';

/** The numbers of a row in a file: r columns and r values. */
export function featureStride(features: CsrMatrix): number {
  return (2 * features.columns.length) / features.rows;
}

/** The bytes of some rows, all of which have the same number of entries: the columns of a row, then its values. */
export function featureBytes({ rows, columns, values }: CsrMatrix): Uint8Array {
  const r = columns.length / rows;
  const buffer = new ArrayBuffer(8 * columns.length);
  const [integers, numbers] = [new Int32Array(buffer), new Float32Array(buffer)];
  for (let i = 0; i < rows; i++) {
    integers.set(columns.subarray(i * r, (i + 1) * r), 2 * i * r);
    numbers.set(values.subarray(i * r, (i + 1) * r), (2 * i + 1) * r);
  }
  return new Uint8Array(buffer);
}

/** A file with the features of some points, the first of which is `from`. */
export interface FeaturePart {
  readonly path: string;
  readonly from: number;
}

/** Features in files, of which rows are read through a cache. */
export class FeatureReader {
  readonly #caller: string;
  readonly #cache: PageCache;
  readonly #files: readonly PagedFile<FileReader>[];
  readonly #begins: Int32Array;
  readonly #cols: number;
  readonly #stride: number;

  /** The parts are in the order of their points. `cols` is the number of features. `memory` is for the cache. */
  constructor(caller: string, parts: readonly FeaturePart[], cols: number, stride: number, memory: number) {
    this.#caller = caller;
    this.#cache = new PageCache(caller, memory);
    this.#files = parts.map(({ path }) => ({ reader: new FileReader(caller, path), checksums: null }));
    this.#begins = Int32Array.from(parts, ({ from }) => from);
    this.#cols = cols;
    this.#stride = stride;
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  /** The features of these points, new. */
  rows(list: Int32Array): CsrMatrix {
    const stride = this.#stride;
    const numbers = new Float32Array(list.length * stride);
    for (let i = 0; i < list.length; i++) {
      const row = new Uint8Array(numbers.buffer, 4 * i * stride, 4 * stride);
      const part = firstAtLeast(this.#begins, list[i] + 1) - 1;
      this.#cache.read(this.#files[part], 4 * stride * (list[i] - this.#begins[part]), row);
    }
    return this.#unpack(list.length, numbers);
  }

  /** The features of points from … to − 1, new. Long ranges bypass the cache. */
  range(from: number, to: number): CsrMatrix {
    const bytesPerRow = 4 * this.#stride;
    const numbers = new Float32Array((to - from) * this.#stride);
    for (let at = from; at < to;) {
      const part = firstAtLeast(this.#begins, at + 1) - 1;
      const end = Math.min(to, this.#begins[part + 1] ?? to);
      const rows = new Uint8Array(numbers.buffer, (at - from) * bytesPerRow, (end - at) * bytesPerRow);
      this.#cache.read(this.#files[part], (at - this.#begins[part]) * bytesPerRow, rows);
      at = end;
    }
    return this.#unpack(to - from, numbers);
  }

  /** The matrix of rows as they are in the file. */
  #unpack(count: number, numbers: Float32Array<ArrayBuffer>): CsrMatrix {
    const stride = this.#stride;
    const r = stride / 2;
    const integers = new Int32Array(numbers.buffer);
    const starts = Int32Array.from({ length: count + 1 }, (_, i) => i * r);
    const [columns, values] = [new Int32Array(count * r), new Float32Array(count * r)];
    for (let i = 0; i < count; i++) {
      columns.set(integers.subarray(i * stride, i * stride + r), i * r);
      values.set(numbers.subarray(i * stride + r, (i + 1) * stride), i * r);
    }
    return checkedCsr(this.#caller, count, this.#cols, starts, columns, values);
  }

  close(): void {
    for (const { reader } of this.#files) reader.close();
  }
}

/** The features of all points in a hidden file in a folder, which `remove` deletes. */
export class FeatureFile {
  readonly #caller: string;
  readonly #memory: number;
  readonly #file: TemporaryFile;
  #cols = 0;
  #stride = 0;
  #reader: FeatureReader | null = null;

  /** `memory` is for the cache. */
  constructor(caller: string, folder: string, memory: number) {
    this.#caller = caller;
    this.#memory = memory;
    sweepFolder(folder, ['features'], 'killed');
    this.#file = new TemporaryFile(written, draftPath(join(folder, 'features')));
  }

  /** Adds the features of the next points. */
  append(features: CsrMatrix): void {
    this.#cols = features.cols;
    this.#stride = featureStride(features);
    this.#file.append(featureBytes(features));
  }

  /** Reads what was added. */
  reader(): FeatureReader {
    const parts = [{ path: this.#file.path, from: 0 }];
    this.#reader ??= new FeatureReader(this.#caller, parts, this.#cols, this.#stride, this.#memory);
    return this.#reader;
  }

  /** Deletes the file. */
  remove(): void {
    this.#reader?.close();
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
