/** `StoredGraph`: a graph in a folder, of which rows are read as they are needed. */

import { badKind, badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { isFolder } from '../../files/read.ts';
import { type Graph, graphOf } from '../../graph/graph.ts';
import type { Floats } from '../../kernels/types.ts';
import { checkedCsr, type CsrMatrix } from '../../sparse/csr.ts';
import { allocateIndices, checkIndices } from '../../sparse/indices.ts';
import { allocate, type Precision } from '../../tensor/tensor.ts';
import type { ArrayReader } from '../arrays/array-file.ts';
import { openArrays } from './graph-arrays.ts';
import { type ArrayName, arrayNames, readHeader } from './graph-header.ts';
import { type CacheStatistics, PageCache } from '../arrays/page-cache.ts';
import { smallPageBytes } from '../arrays/paged-file.ts';
import { checkEntries, mostEntries, RowRoom } from './row-room.ts';

/** The memory for reading. */
export interface StorageOptions {
  /** The budget of the cache in bytes. Default: 64 MiB. */
  readonly memory?: number;
}

export const storageRules: Rules<StorageOptions> = { memory: 'number' };

export const defaultCacheBytes = 2 ** 26;

/** Opens a graph that `storeGraph` wrote. Reads the header and the checksums only. */
export function openStoredGraph(folder: string, options: StorageOptions = {}): StoredGraph {
  const caller = 'openStoredGraph';
  if (typeof folder !== 'string') throw badKind(caller, 'the path of a folder', folder);
  checkOptions(caller, options, storageRules);
  return new StoredGraph(caller, folder, options.memory ?? defaultCacheBytes);
}

/**
 * A graph in a folder. Rows are read in batches, straight into arrays of the kernels' memory. Every page of a file is
 * compared with its checksum when it is read, and every row is checked to be one of a matrix of weights.
 */
export class StoredGraph {
  readonly folder: string;
  readonly size: number;
  readonly nonzeros: number;
  readonly precision: Precision;
  /** As in `Graph`. */
  readonly scale: number;
  readonly volume: number;
  /** The number of nodes of degree 0. */
  readonly isolated: number;
  /** The fraction of true neighbors, measured on a sample, if they were found by an approximate search. */
  readonly recall: number | undefined;
  /** A checksum of all arrays, to recognize the graph. */
  readonly checksum: string;
  readonly #caller: string;
  readonly #cache: PageCache;
  readonly #arrays: Record<ArrayName, ArrayReader>;
  /** The two halves of a start. */
  readonly #halves = new Int32Array(2);
  /** The rows of a batch, and what was read of their starts. */
  #pairs = { begins: new Float64Array(0), ends: allocateIndices(1), halves: allocateIndices(0) };

  /** Use `openStoredGraph`. */
  constructor(caller: string, folder: string, memory: number) {
    this.#caller = caller;
    this.folder = folder;
    if (!isFolder(folder)) throw badValue(caller, 'the folder of a stored graph', folder);
    const header = readHeader(caller, folder);
    const { size, nonzeros, precision, scale, volume, isolated } = header;
    [this.size, this.nonzeros, this.precision] = [size, nonzeros, precision];
    [this.scale, this.volume, this.isolated] = [scale, volume, isolated];
    this.recall = header.recall;
    this.checksum = header.checksums;
    this.#cache = new PageCache(caller, memory, smallPageBytes);
    this.#arrays = openArrays(caller, folder, header, this.#cache);
    try {
      const [[first], [last]] = [this.#startsOf(0, 0), this.#startsOf(size, size)];
      if (first !== 0 || last !== nonzeros) {
        throw badValue(caller, `indptr from 0 to ${nonzeros} in ${folder}`, `${first} to ${last}`);
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The bytes of its matrix in memory. */
  get bytes(): number {
    return this.nonzeros * (this.precision === 'double' ? 12 : 8) + 12 * this.size;
  }

  /** Whether its cache has room for all of its files. */
  get fitsCache(): boolean {
    return this.nonzeros * (this.precision === 'double' ? 12 : 8) + 16 * this.size <= this.statistics.budget;
  }

  /** What was read so far, and how often the cache had it. */
  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  /** Rows from … to − 1 of W as a new matrix of `size` columns. */
  rowRange(from: number, to: number): CsrMatrix {
    this.#checkRange('StoredGraph.rowRange', from, to);
    const starts = this.#startsOf(from, to);
    const entries = starts[to - from] - starts[0];
    checkEntries('StoredGraph.rowRange', entries);
    const { columns, values } = new RowRoom(this.precision).forEntries(entries);
    this.#arrays.indices.read(starts[0], columns);
    this.#arrays.data.read(starts[0], values);
    const own = allocateIndices(to - from + 1);
    for (let i = 0; i < own.length; i++) own[i] = starts[i] - starts[0];
    return this.#checked(own, columns, values);
  }

  /** The rows with these indices, in this order, as a new matrix of `size` columns. */
  rows(list: Int32Array): CsrMatrix {
    return this.#rows('StoredGraph.rows', list, new RowRoom(this.precision));
  }

  /** A function that reads rows as `rows` does, into memory that it keeps: a result is valid until the next call. */
  rowTaker(): (list: Int32Array) => CsrMatrix {
    const room = new RowRoom(this.precision);
    return (list) => this.#rows('StoredGraph.rowTaker', list, room);
  }

  #rows(caller: string, list: Int32Array, room: RowRoom): CsrMatrix {
    checkIndices(caller, 'the rows', list, this.size);
    const { starts, begins } = room.forRows(list.length);
    const halves = this.#startPairs(list);
    let entries = 0;
    starts[0] = 0;
    for (let i = 0; i < list.length; i++) {
      const begin = startIn(halves, 4 * i);
      const end = startIn(halves, 4 * i + 2);
      if (!(begin >= 0 && end >= begin && end <= this.nonzeros)) this.#startsOf(list[i], list[i] + 1);
      begins[i] = begin;
      entries += end - begin;
      starts[i + 1] = entries;
    }
    checkEntries(caller, entries);
    const { columns, values } = room.forEntries(entries);
    this.#arrays.indices.readRuns(begins, starts, columns);
    this.#arrays.data.readRuns(begins, starts, values);
    return this.#checked(starts, columns, values);
  }

  /** The starts of these rows and of those after them, as halves. */
  #startPairs(list: Int32Array): Int32Array {
    const count = list.length;
    if (this.#pairs.begins.length !== count) {
      const [ends, halves] = [allocateIndices(count + 1), allocateIndices(4 * count)];
      for (let i = 0; i <= count; i++) ends[i] = 2 * i;
      this.#pairs = { begins: new Float64Array(count), ends, halves };
    }
    const { begins, ends, halves } = this.#pairs;
    for (let i = 0; i < count; i++) begins[i] = list[i];
    this.#arrays.indptr.readRuns(begins, ends, halves);
    return halves;
  }

  /** Writes row and column of each of these entries of W to `ends`, which are counted row by row. */
  entries(list: Float64Array, ends: Int32Array): void {
    const column = new Int32Array(1);
    for (let k = 0; k < list.length; k++) {
      checkCount('StoredGraph.entries', 'an entry', list[k]);
      if (list[k] >= this.nonzeros) throw badValue('StoredGraph.entries', `entries below ${this.nonzeros}`, list[k]);
      let [low, high] = [0, this.size];
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (this.#startAt(middle) <= list[k]) low = middle;
        else high = middle;
      }
      this.#arrays.indices.read(list[k], column);
      if (!(column[0] >= 0 && column[0] < this.size)) {
        throw badValue(this.#caller, `columns below ${this.size} in ${this.folder}`, column[0]);
      }
      [ends[2 * k], ends[2 * k + 1]] = [low, column[0]];
    }
  }

  /** The weights of entries from … to − 1, counted row by row. */
  weights(from: number, to: number): Floats {
    const values = allocate(to - from, this.precision);
    this.#arrays.data.read(from, values);
    this.#checkWeights(values);
    return values;
  }

  /** The number of entries before each of the rows from … to − 1, and before row `to`. */
  starts(from: number, to: number): Float64Array {
    this.#checkRange('StoredGraph.starts', from, to);
    return this.#startsOf(from, to);
  }

  /** The degrees of nodes from … to − 1, in the kernels' memory. */
  degrees(from: number, to: number): Float64Array {
    this.#checkRange('StoredGraph.degrees', from, to);
    const degrees = allocate(to - from, 'double');
    this.#arrays.degrees.read(from, degrees);
    return degrees;
  }

  /** The graph in memory, with the bits that were stored. Its origin is that of given weights. */
  toGraph(): Graph {
    if (this.nonzeros > mostEntries) {
      const remedy = 'Read rows in batches.';
      throw badValue('StoredGraph.toGraph', `at most ${mostEntries} entries in memory`, this.nonzeros, remedy);
    }
    return graphOf(this.rowRange(0, this.size), { kind: 'given' }, this.scale);
  }

  /** Closes the files. */
  close(): void {
    for (const name of arrayNames) this.#arrays[name].close();
  }

  #checkRange(caller: string, from: number, to: number): void {
    checkCount(caller, 'from', from);
    checkCount(caller, 'to', to);
    if (from > to || to > this.size) throw badValue(caller, `from ≤ to ≤ ${this.size} rows`, `${from} … ${to}`);
  }

  #startAt(row: number): number {
    this.#arrays.indptr.read(row, this.#halves);
    return startIn(this.#halves, 0);
  }

  /** The starts of rows from … to. Checks that they are ascending and within the arrays. */
  #startsOf(from: number, to: number): Float64Array {
    const halves = new Int32Array(2 * (to - from + 1));
    this.#arrays.indptr.read(from, halves);
    const starts = new Float64Array(to - from + 1);
    let last = 0;
    for (let i = 0; i < starts.length; i++) {
      starts[i] = startIn(halves, 2 * i);
      if (!(starts[i] >= last && starts[i] <= this.nonzeros)) {
        const rule = `indptr in ${this.folder} that never decreases and ends with ${this.nonzeros}`;
        throw badValue(this.#caller, rule, `${starts[i]} at index ${from + i}`);
      }
      last = starts[i];
    }
    return starts;
  }

  #checked(starts: Int32Array, columns: Int32Array, values: Floats): CsrMatrix {
    const matrix = checkedCsr(this.#caller, starts.length - 1, this.size, starts, columns, values);
    this.#checkWeights(values);
    return matrix;
  }

  #checkWeights(values: Floats): void {
    for (let e = 0; e < values.length; e++) {
      if (!(values[e] > 0)) throw badValue(this.#caller, `weights above 0 in the data of ${this.folder}`, values[e]);
    }
  }
}

/** A number of 64 bits, of which the lower half comes first. */
function startIn(halves: Int32Array, at: number): number {
  return halves[at + 1] * 2 ** 32 + (halves[at] >>> 0);
}
