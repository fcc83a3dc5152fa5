/** Arrays in .npy files: written piece by piece with a checksum for every page, read through a cache. */

import { badValue, showShape } from '../../core/check.ts';
import { fastCrc32 } from '../../files/checksum.ts';
import { GrowingFile } from '../../files/pieces/growing-file.ts';
import { FileReader } from '../../files/read.ts';
import type { Floats } from '../../kernels/types.ts';
import {
  contentLength,
  hostIsLittleEndian,
  joinHeader,
  type NpyHeader,
  parseHeader,
} from '../../formats/numpy/npy-header.ts';
import type { PageCache } from './page-cache.ts';
import { pageBytes, type PagedFile } from './paged-file.ts';

/** The length of the headers that are written here: enough for every shape. */
export const headerBytes = 128;
/** The number of pages that are written at a time. */
const bufferPages = 64;
/** More than the length of any .npy header that is read here. */
const longestHeader = 1 << 16;

/** Writes an array of one or two axes whose length is known only at the end. */
export class ArrayWriter {
  readonly #file: GrowingFile;
  readonly #descr: string;
  readonly #size: number;
  readonly #columns: number | null;
  readonly #buffer = new Uint8Array(bufferPages * pageBytes);
  readonly #checksums: number[] = [];
  #filled = headerBytes;
  #firstPage: Uint8Array | null = null;

  /** `descr` is NumPy's name of the element type, such as '<f4'. With `columns` the array has two axes. */
  constructor(flag: string, path: string, descr: string, columns: number | null = null) {
    checkByteOrder(flag);
    this.#file = new GrowingFile(flag, path);
    this.#descr = descr;
    this.#size = Number(descr.slice(2));
    this.#columns = columns;
  }

  /** Adds elements, in the memory layout of the file. */
  append(elements: ArrayBufferView): void {
    const bytes = new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(bytes.length - at, this.#buffer.length - this.#filled);
      this.#buffer.set(bytes.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === this.#buffer.length) this.#flush();
    }
  }

  /** Completes the file, and returns the checksums of its pages. */
  finish(): Uint32Array {
    try {
      this.#flush();
      const content = this.#file.length - headerBytes;
      const rows = content / (this.#size * (this.#columns ?? 1));
      const header = joinHeader(
        this.#descr,
        this.#columns === null ? [rows] : [rows, this.#columns],
        new Uint8Array(0),
      );
      this.#file.overwrite(header, 0);
      this.#firstPage!.set(header);
      this.#checksums[0] = fastCrc32(this.#firstPage!);
    } catch (error) {
      this.discard();
      throw error;
    }
    this.#file.finish();
    return Uint32Array.from(this.#checksums);
  }

  /** Deletes what was written. */
  discard(): void {
    this.#file.discard();
  }

  #flush(): void {
    const bytes = this.#buffer.subarray(0, this.#filled);
    this.#firstPage ??= bytes.slice(0, pageBytes);
    for (let at = 0; at < bytes.length; at += pageBytes) {
      this.#checksums.push(fastCrc32(bytes.subarray(at, at + pageBytes)));
    }
    this.#file.append(bytes);
    this.#filled = 0;
  }
}

/** An array in a .npy file of which parts are read. */
export class ArrayReader {
  readonly header: NpyHeader;
  readonly file: PagedFile<FileReader>;
  readonly #cache: PageCache;
  #room = new Float64Array(0);
  /** The bytes of an element. */
  readonly elementBytes: number;

  /** Checks the header and the length of the file. Errors name `caller`. */
  constructor(
    caller: string,
    path: string,
    cache: PageCache,
    { checksums = null, inspect }: Partial<Pick<PagedFile, 'checksums' | 'inspect'>> = {},
  ) {
    checkByteOrder(caller);
    const reader = new FileReader(caller, path);
    try {
      const begin = new Uint8Array(Math.min(reader.size, longestHeader));
      reader.read(begin, 0);
      const header = headerOf(caller, path, begin);
      const { dtype, shape, offset } = header;
      const bytes = contentLength(dtype, shape);
      if (reader.size - offset !== bytes) {
        const rule = `${bytes} bytes of ${dtype} for shape ${showShape(shape)} in ${path}`;
        throw badValue(caller, rule, reader.size - offset, 'The file may be truncated.');
      }
      this.header = header;
    } catch (error) {
      reader.close();
      throw error;
    }
    this.file = { reader, checksums, ...(inspect && { inspect }) };
    this.#cache = cache;
    this.elementBytes = Number(this.header.dtype.slice(1));
  }

  /** Fills `target` with the elements from index `from` on, as they are in the file. */
  read(from: number, target: ArrayBufferView): void {
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    this.#cache.read(this.file, this.header.offset + from * this.elementBytes, bytes);
  }

  /** Fills `target` with runs of elements of 4 or 8 bytes: run i begins with element begins[i], and ends before place ends[i + 1]. */
  readRuns(begins: Float64Array, ends: Int32Array, target: Int32Array | Floats): void {
    const factor = this.elementBytes / 4;
    const words = this.#words(begins.length);
    for (let i = 0; i < begins.length; i++) words[i] = this.header.offset / 4 + factor * begins[i];
    const out = new Int32Array(target.buffer, target.byteOffset, target.byteLength / 4);
    this.#cache.gatherRuns(this.file, words, ends, factor, out);
  }

  /** Room for `count` numbers. */
  #words(count: number): Float64Array {
    if (this.#room.length !== count) this.#room = new Float64Array(count);
    return this.#room;
  }

  close(): void {
    this.#cache.forget(this.file);
    this.file.reader.close();
  }
}

/** Elements are copied between files and arrays as they are. */
function checkByteOrder(caller: string): void {
  if (!hostIsLittleEndian) throw badValue(caller, 'a little-endian processor', 'a big-endian one');
}

function headerOf(caller: string, path: string, begin: Uint8Array): NpyHeader {
  try {
    return parseHeader(caller, begin);
  } catch (error) {
    (error as Error).message += ` The file is ${path}.`;
    throw error;
  }
}
