/** Points sorted by cells in files, so that the points of a cell are read in one piece. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badValue } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import { draftPath } from '../../files/drafts.ts';
import { TemporaryFile } from '../../files/pieces/temporary-file.ts';
import { readSealed, type SealedFormat, writeSealed } from '../../files/records/sealed-json.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';
import { ArrayReader, ArrayWriter } from '../arrays/array-file.ts';
import { readChecksums, writeChecksums } from '../arrays/checksum-file.ts';
import { PageCache } from '../arrays/page-cache.ts';
import { written } from '../graph/graph-writer.ts';
import { StoredPoints } from '../stored-points.ts';

/** Points sorted by cells, and by index within each cell. */
export interface Cells {
  readonly points: StoredPoints;
  readonly centers: Tensor;
  /** Cell c has rows starts[c] … starts[c + 1] − 1. */
  readonly starts: Int32Array;
  /** The number of cells in which the neighbors of a point are searched. */
  readonly probes: number;
  /** The indices of the points in rows from … to − 1. */
  indices(from: number, to: number): Int32Array;
  close(): void;
}

const recordFile = 'cell-search.json';
const names = ['points', 'indices', 'starts', 'centers'] as const;
type Name = (typeof names)[number];

const sealed: SealedFormat = {
  format: 'specnet-cells',
  version: 1,
  otherVersion: 'Delete the folder, or use the version of specnet that wrote it.',
  damaged: 'Delete the folder.',
  longest: 1 << 16,
};

/** What the record states, which is written last. */
interface CellRecord {
  readonly probes: number;
  /** The number of pages of each array, and a checksum of the checksums of all pages. */
  readonly pages: readonly number[];
  readonly checksums: string;
}

function fileOf(folder: string, name: Name | 'checksums'): string {
  return join(folder, `cell-${name}.npy`);
}

/** All files of cells, by their names. */
export const cellFiles: readonly string[] = [...names, 'checksums' as const]
  .map((name) => fileOf('', name))
  .concat(recordFile);

export function hasCells(folder: string): boolean {
  return existsSync(join(folder, recordFile));
}

/** Opens what `writeCellsSteps` wrote. Pages are compared with their checksums when they are read. */
export function openCells(caller: string, folder: string, memory: number): Cells {
  const record = readSealed(caller, join(folder, recordFile), sealed) as CellRecord;
  const cache = new PageCache(caller, smallCache);
  const sums = readChecksums(caller, fileOf(folder, 'checksums'), record.checksums, cache);
  const sumsOf = (name: Name): Uint32Array => {
    const first = record.pages.slice(0, names.indexOf(name)).reduce((sum, pages) => sum + pages, 0);
    return sums.subarray(first, first + record.pages[names.indexOf(name)]);
  };
  const open = (name: Name): ArrayReader =>
    new ArrayReader(caller, fileOf(folder, name), cache, { checksums: sumsOf(name) });
  const opened: { close(): void }[] = [];
  try {
    const points = new StoredPoints(caller, fileOf(folder, 'points'), memory, sumsOf('points'));
    opened.push(points);
    const indices = open('indices');
    opened.push(indices);
    const starts = readAll(open('starts'), (length) => new Int32Array(length));
    const centers = readAll(open('centers'), (length) => zeros([length / points.cols, points.cols]).data);
    return {
      points,
      centers: new Tensor(centers, [starts.length - 1, points.cols]),
      starts,
      probes: record.probes,
      indices(from, to) {
        const list = new Int32Array(to - from);
        indices.read(from, list);
        return list;
      },
      close: () => opened.forEach((each) => each.close()),
    };
  } catch (error) {
    for (const each of opened) each.close();
    throw error;
  }
}

/** All elements of an array, which is then closed. */
function readAll<T extends ArrayBufferView>(reader: ArrayReader, allocate: (length: number) => T): T {
  try {
    const array = allocate(reader.header.shape.reduce((a, b) => a * b, 1));
    reader.read(0, array);
    return array;
  } finally {
    reader.close();
  }
}

/** Enough for the indices of a cell. Long ranges bypass the cache. */
const smallCache = 2 ** 20;

/** The rows of each cell, and the points in this order: a counting sort. */
export function sortByCell(cellOf: Int32Array, count: number): { starts: Int32Array; order: Int32Array } {
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < cellOf.length; i++) starts[cellOf[i] + 1]++;
  for (let c = 0; c < count; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const order = new Int32Array(cellOf.length);
  for (let i = 0; i < cellOf.length; i++) order[next[cellOf[i]]++] = i;
  return { starts, order };
}

/** The memory for sorting: rows of a part that is sorted in memory, and rows of the buffers in front of all parts. */
export interface SortingRoom {
  readonly partRows: number;
  readonly bufferRows: number;
  readonly blockRows: number;
}

/** A process may open about a thousand files. */
const mostParts = 512;

/**
 * Writes the points in the order of their cells. They are first distributed over parts on disk, each of which has some cells
 * and is then sorted in memory. A cell with more rows than a part should have is a part by itself.
 */
export function* writeCellsSteps(
  points: StoredPoints,
  folder: string,
  centers: Tensor,
  cellOf: Int32Array,
  probes: number,
  room: SortingRoom,
): Task<void> {
  const { starts, order } = sortByCell(cellOf, centers.rows);
  const bounds = divideCells(starts, room.partRows);
  checkParts(bounds.length - 1);
  const partOf = new Int32Array(centers.rows);
  bounds.slice(0, -1).forEach((first, k) => partOf.fill(k, first, bounds[k + 1]));
  const parts = new PointParts(folder, bounds.length - 1, points.cols, room.bufferRows);
  const writers: ArrayWriter[] = [];
  let isWritten = false;
  const writerOf = (name: Name, descr: string, columns: number | null): ArrayWriter => {
    const writer = new ArrayWriter(written, fileOf(folder, name), descr, columns);
    writers.push(writer);
    return writer;
  };
  try {
    for (let from = 0; from < points.size; from += room.blockRows) {
      const rows = points.rowRange(from, Math.min(points.size, from + room.blockRows));
      for (let i = 0; i < rows.rows; i++) parts.push(partOf[cellOf[from + i]], rows.data, i * points.cols);
      yield (0.5 * from) / points.size;
    }
    const out = writerOf('points', '<f4', points.cols);
    for (let k = 0; k + 1 < bounds.length; k++) {
      const [first, last] = [starts[bounds[k]], starts[bounds[k + 1]]];
      out.append(inOrder(parts.take(k), order.subarray(first, last), points.cols));
      yield 0.5 + (0.5 * last) / points.size;
    }
    writerOf('indices', '<i4', null).append(order);
    writerOf('starts', '<i4', null).append(starts);
    writerOf('centers', '<f4', points.cols).append(centers.data);
    const pages = writers.map((writer) => writer.finish());
    const checksums = writeChecksums(fileOf(folder, 'checksums'), pages);
    const record: CellRecord = { probes, pages: pages.map(({ length }) => length), checksums };
    writeSealed(written, join(folder, recordFile), sealed, record);
    isWritten = true;
  } finally {
    if (!isWritten) for (const writer of writers) writer.discard(); // also if the task is aborted
    parts.remove();
  }
}

/** Refuses more parts than files can be open. */
export function checkParts(parts: number): void {
  if (parts > mostParts) {
    throw badValue(written, `memory for points in at most ${mostParts} parts`, parts, 'Allow more memory.');
  }
}

/** The first cells of parts that have at most `most` rows, or one cell, and the number of cells at the end. */
function divideCells(starts: Int32Array, most: number): number[] {
  const bounds = [0];
  for (let c = 1; c + 1 < starts.length; c++) if (starts[c + 1] - starts[bounds.at(-1)!] > most) bounds.push(c);
  return [...bounds, starts.length - 1];
}

/** The rows of a part, which come by ascending index, in the order of these indices. */
function inOrder(rows: Float32Array, order: Int32Array, cols: number): Float32Array {
  const ascending = order.toSorted();
  const sorted = new Float32Array(rows.length);
  for (let to = 0; to < order.length; to++) {
    const from = placeIn(ascending, order[to]);
    sorted.set(rows.subarray(from * cols, (from + 1) * cols), to * cols);
  }
  return sorted;
}

/** The place of a number in a sorted list that has it. */
function placeIn(sorted: Int32Array, wanted: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows of points in temporary files, which keep the order in which they came. */
class PointParts {
  readonly #files: TemporaryFile[] = [];
  readonly #cols: number;
  readonly #capacity: number;
  readonly #buffer: Float32Array;
  readonly #filled: Int32Array;

  constructor(folder: string, count: number, cols: number, bufferRows: number) {
    this.#cols = cols;
    this.#capacity = Math.max(1, Math.floor(bufferRows / count));
    this.#buffer = new Float32Array(count * this.#capacity * cols);
    this.#filled = new Int32Array(count);
    try {
      for (let k = 0; k < count; k++) {
        this.#files.push(new TemporaryFile(written, draftPath(join(folder, `cell-part-${k}`))));
      }
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** Adds the row that begins at place `at` of the data. */
  push(part: number, data: Float32Array, at: number): void {
    if (this.#filled[part] === this.#capacity) this.#flush(part);
    const to = (part * this.#capacity + this.#filled[part]++) * this.#cols;
    for (let j = 0; j < this.#cols; j++) this.#buffer[to + j] = data[at + j];
  }

  /** All rows of a part, whose file is deleted. */
  take(part: number): Float32Array {
    this.#flush(part);
    const { buffer } = this.#files[part].read();
    this.#files[part].remove();
    return new Float32Array(buffer);
  }

  remove(): void {
    for (const file of this.#files) file.remove();
  }

  #flush(part: number): void {
    const begin = part * this.#capacity * this.#cols;
    const rows = this.#buffer.subarray(begin, begin + this.#filled[part] * this.#cols);
    this.#files[part].append(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength));
    this.#filled[part] = 0;
  }
}
