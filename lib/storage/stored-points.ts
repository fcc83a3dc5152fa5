/** `StoredPoints`: points in a .npy file, of which rows are read as they are needed. */

import { badKind, badValue, checkCount, checkFinite, showShape } from '../core/check.ts';
import { checkOptions } from '../core/options.ts';
import { fastCrc32 } from '../files/checksum.ts';
import { checkIndices } from '../sparse/indices.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { Workspace } from '../tensor/workspace.ts';
import { ArrayReader } from './arrays/array-file.ts';
import { checkElements, decodeElements } from './arrays/elements.ts';
import { type CacheStatistics, PageCache } from './arrays/page-cache.ts';
import { type RowLayout, smallPageBytes } from './arrays/paged-file.ts';
import { defaultCacheBytes, type StorageOptions, storageRules } from './graph/stored-graph.ts';

/**
 * Opens points in a .npy file: numbers of any type, also half precision and bytes, row by row. The first axis counts points,
 * and all others are columns. Reads the header only.
 */
export function openStoredPoints(path: string, options: StorageOptions = {}): StoredPoints {
  const caller = 'openStoredPoints';
  if (typeof path !== 'string') throw badKind(caller, 'the path of a .npy file', path);
  checkOptions(caller, options, storageRules);
  return new StoredPoints(caller, path, options.memory ?? defaultCacheBytes);
}

/** The bytes of each of the nine parts that a fingerprint depends on. */
const fingerprintBytes = 1 << 16;

/** Points in a file, in single precision when they are read. */
export class StoredPoints {
  readonly path: string;
  /** The number of points. */
  readonly size: number;
  readonly cols: number;
  readonly #cache: PageCache;
  readonly #array: ArrayReader;
  /** Whether a page was read in which a number of single precision may be NaN or infinite. Rows are then checked one by one. */
  #mayBeInfinite = false;

  /** Use `openStoredPoints`. With `checksums`, the CRC-32 of every page is compared when it is read. */
  constructor(caller: string, path: string, memory: number, checksums: Uint32Array | null = null) {
    this.path = path;
    this.#cache = new PageCache(caller, memory, smallPageBytes);
    const inspect = (bytes: Uint8Array): void => {
      this.#mayBeInfinite ||= hasInfinity(bytes);
    };
    this.#array = new ArrayReader(caller, path, this.#cache, { checksums, inspect });
    try {
      const { header } = this.#array;
      checkElements(caller, path, header);
      const [size = 0, ...others] = header.shape;
      const isTransposed = header.fortranOrder && header.shape.length > 1;
      if (header.shape.length === 0 || isTransposed) {
        const got = isTransposed ? 'one that is stored column by column' : showShape(header.shape);
        throw badValue(caller, `an array of points, row by row, in ${path}`, got, 'Save np.ascontiguousarray(points).');
      }
      this.size = size;
      this.cols = others.reduce((a, b) => a * b, 1);
      checkCount(caller, 'the number of points', size, 1);
      checkCount(caller, 'the number of columns', this.cols, 1);
    } catch (error) {
      this.#array.close();
      throw error;
    }
  }

  /** Where its rows are. */
  get table(): RowLayout {
    const { header, elementBytes } = this.#array;
    return { path: this.path, begin: header.offset, rowBytes: this.cols * elementBytes };
  }

  /** What was read so far, and how often the cache had it. */
  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  /** Points from … to − 1, new, in the kernels' memory. Refuses NaN and infinities. */
  rowRange(from: number, to: number): Tensor<Float32Array> {
    const caller = 'StoredPoints.rowRange';
    checkCount(caller, 'from', from);
    checkCount(caller, 'to', to);
    if (from > to || to > this.size) throw badValue(caller, `from ≤ to ≤ ${this.size} points`, `${from} … ${to}`);
    const points = zeros([to - from, this.cols]);
    this.#read(caller, from, points.data);
    return points;
  }

  /** Fills `out` with rows from `from` on. Refuses NaN and infinities. */
  readRows(from: number, out: Float32Array): void {
    this.#read('StoredPoints.readRows', from, out);
  }

  /** The points with these indices, in this order, new. */
  rows(list: Int32Array): Tensor<Float32Array> {
    return this.#rows('StoredPoints.rows', list, zeros([list.length, this.cols]));
  }

  /** A function that reads rows as `rows` does, into memory that it keeps: a result is valid until the next call. */
  rowTaker(): (list: Int32Array) => Tensor<Float32Array> {
    const workspace = new Workspace();
    return (list) => {
      workspace.reset();
      return this.#rows('StoredPoints.rowTaker', list, workspace.take([list.length, this.cols]));
    };
  }

  #rows(caller: string, list: Int32Array, points: Tensor<Float32Array>): Tensor<Float32Array> {
    checkIndices(caller, 'the rows', list, this.size);
    const { cols } = this;
    const { header, file } = this.#array;
    if (header.dtype === 'f4' && !header.bigEndian && header.offset % 4 === 0) {
      const { buffer, byteOffset, length } = points.data;
      this.#cache.gather(file, header.offset, cols, list, new Int32Array(buffer, byteOffset, length));
      if (this.#mayBeInfinite) checkFinite(caller, `${this.path} among the rows asked for`, points.data, cols);
      return points;
    }
    for (let i = 0; i < list.length; i++) {
      this.#read(caller, list[i], points.data.subarray(i * cols, (i + 1) * cols));
    }
    return points;
  }

  /** A checksum of the length and of parts of the file, to recognize it. */
  fingerprint(): number {
    const { reader } = this.#array.file;
    const part = new Uint8Array(Math.min(reader.size, fingerprintBytes));
    const sums = Float64Array.from({ length: 9 }, (_, k) => {
      reader.read(part, Math.floor(((reader.size - part.length) * k) / 8));
      return fastCrc32(part);
    });
    return fastCrc32(new Uint8Array(Float64Array.of(reader.size, ...sums).buffer));
  }

  /** Closes the file. */
  close(): void {
    this.#array.close();
  }

  /** Fills `out` with the rows from `from` on. */
  #read(caller: string, from: number, out: Float32Array): void {
    const { header, elementBytes } = this.#array;
    if (header.dtype === 'f4' && !header.bigEndian) this.#array.read(from * this.cols, out);
    else {
      const bytes = new Uint8Array(out.length * elementBytes);
      this.#array.read(from * this.cols, bytes);
      decodeElements(header, bytes, out);
    }
    checkFinite(caller, `${this.path} from row ${from} on`, out, this.cols);
  }
}

/** The bits of the exponent of a number in single precision. All of them are set in NaN and infinities only. */
const exponentBits = 0x7f800000;

/** Whether some bytes, as numbers of single precision, have one that is not finite. */
function hasInfinity({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  if (byteOffset % 4 !== 0) return true;
  const words = new Int32Array(buffer, byteOffset, Math.floor(byteLength / 4));
  for (let i = 0; i < words.length; i++) if ((words[i] & exponentBits) === exponentBits) return true;
  return false;
}
