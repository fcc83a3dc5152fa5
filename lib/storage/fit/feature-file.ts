/** Landmark features of points in files: computed once, read row by row for the sums of the Ritz problem. */

import { join } from 'node:path';
import { draftPath, sweepFolder } from '../../files/drafts.ts';
import { FileReader } from '../../files/read.ts';
import { TemporaryFile } from '../../files/pieces/temporary-file.ts';
import { firstAtLeast } from '../../core/search.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { checkedCsr, type CsrMatrix, renumberColumns } from '../../sparse/csr.ts';
import { type CacheStatistics, PageCache } from '../arrays/page-cache.ts';
import type { PagedFile } from '../arrays/paged-file.ts';
import { written } from '../graph/graph-writer.ts';
import type { StoredGraph } from '../graph/stored-graph.ts';
import { VisitedRows } from './visited-rows.ts';

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
  /** Rows as they are in the files. */
  #room = allocateIndices(0);

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

  /** The features of these points, which ascend; new. */
  rows(list: Int32Array): CsrMatrix {
    const stride = this.#stride;
    if (this.#room.length < list.length * stride) this.#room = allocateIndices(2 * list.length * stride);
    const words = this.#room.subarray(0, list.length * stride);
    for (let at = 0; at < list.length;) {
      const part = firstAtLeast(this.#begins, list[at] + 1) - 1;
      const end = firstAtLeast(list, this.#begins[part + 1] ?? Infinity);
      const own = list.subarray(at, end).map((point) => point - this.#begins[part]);
      this.#cache.gather(this.#files[part], 0, stride, own, words.subarray(at * stride, end * stride));
      at = end;
    }
    return this.#unpack(list.length, new Float32Array(words.buffer, words.byteOffset, words.length));
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
  #unpack(count: number, numbers: Float32Array): CsrMatrix {
    const stride = this.#stride;
    const r = stride / 2;
    const integers = new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length);
    const starts = Int32Array.from({ length: count + 1 }, (_, i) => i * r);
    const [columns, values] = [new Int32Array(count * r), new Float32Array(count * r)];
    for (let i = 0, at = 0; i < count; i++, at += r) {
      const from = i * stride;
      for (let k = 0; k < r; k++) columns[at + k] = integers[from + k];
      for (let k = 0; k < r; k++) values[at + k] = numbers[from + r + k];
    }
    return checkedCsr(this.#caller, count, this.#cols, starts, columns, values);
  }

  close(): void {
    for (const file of this.#files) {
      this.#cache.forget(file);
      file.reader.close();
    }
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

/** A function that returns W[B, S] of the rows from … to − 1. Its entries have the order that they have in W. */
export function supportFinder(graph: StoredGraph): (from: number, to: number) => SupportedRows {
  const visited = new VisitedRows();
  return (from, to) => {
    const matrix = graph.rowRange(from, to);
    const batch = Int32Array.from({ length: to - from }, (_, i) => from + i);
    const visits = visited.of(batch, matrix);
    const support = visits.rows.toSorted();
    // For each visit the place of its row in S.
    const placeOf = visits.rows.map((row) => firstAtLeast(support, row));
    const columns = new Int32Array(visits.places.length);
    for (let e = 0; e < columns.length; e++) columns[e] = placeOf[visits.places[e]];
    const weights = renumberColumns(matrix, columns, support.length);
    return { support, places: placeOf.slice(0, batch.length), weights };
  };
}
