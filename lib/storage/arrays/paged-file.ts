/** Files that are read in pages, and `PageReader`, which compares pages with their checksums when they are read first. */

import { badValue } from '../../core/check.ts';
import { fastCrc32 } from '../../files/checksum.ts';

/** The bytes of a page that has a checksum. */
export const pageBytes = 1 << 14;
/** The bytes of a page of a cache for rows that are read one by one: a part of a page with a checksum. */
export const smallPageBytes = 1 << 12;

/** Where pages are read from, and written to if they may change. */
export interface PageStore {
  readonly path: string;
  readonly size: number;
  read(target: Uint8Array, position: number): void;
  write?(bytes: Uint8Array, position: number): void;
}

/** A file whose pages a cache holds. */
export interface PagedFile<Store extends PageStore = PageStore> {
  readonly reader: Store;
  /** The CRC-32 of every page, or null if nothing is known about the contents. */
  readonly checksums: Uint32Array | null;
  /** Looks at bytes that were read: at every page at least once. */
  readonly inspect?: (bytes: Uint8Array) => void;
}

/** Where the rows of a file are: one for each point or node. */
export interface RowLayout {
  readonly path: string;
  /** The bytes before the first row, and those of a row. */
  readonly begin: number;
  readonly rowBytes: number;
}

/** Reads parts of files, and compares every page that has a checksum once. */
export class PageReader {
  /** The bytes read so far. */
  bytesRead = 0;
  readonly #caller: string;
  /** For each file 1 for each page that agreed with its checksum. */
  readonly #checked = new Map<PagedFile, Uint8Array>();
  /** For each file 1 for each small page that was inspected. */
  readonly #inspected = new Map<PagedFile, Uint8Array>();
  #compared: Uint8Array | null = null;

  /** Errors name `caller`. */
  constructor(caller: string) {
    this.#caller = caller;
  }

  /** Fills `bytes` from `position` on. A page that was not compared before is read as a whole. */
  read(file: PagedFile, position: number, bytes: Uint8Array): void {
    const end = position + bytes.length;
    const isWhole = position % pageBytes === 0 && (end % pageBytes === 0 || end === file.reader.size);
    if (!file.checksums || isWhole) this.#readStraight(file, position, bytes);
    else {
      for (let at = position; at < end;) {
        const to = this.#endOfStretch(file, at, end);
        const part = bytes.subarray(at - position, to - position);
        if (this.#pagesOf(file)[Math.floor(at / pageBytes)] === 1) this.#readStraight(file, at, part);
        else this.#readWithin(file, at, part);
        at = to;
      }
    }
    if (file.inspect) this.#inspect(file, position, bytes);
  }

  /** Shows bytes to the file unless they are parts of pages that it has seen. Every page of a cache begins in one of those. */
  #inspect(file: PagedFile, position: number, bytes: Uint8Array): void {
    let seen = this.#inspected.get(file);
    if (!seen) {
      seen = new Uint8Array(Math.ceil(file.reader.size / smallPageBytes));
      this.#inspected.set(file, seen);
    }
    const end = position + bytes.length;
    const [first, last] = [position / smallPageBytes, Math.ceil(end / smallPageBytes)];
    let isNew = false;
    for (let page = Math.floor(first); page < last; page++) isNew ||= seen[page] === 0;
    if (!isNew) return;
    file.inspect!(bytes);
    const isWhole = end === file.reader.size;
    for (let page = Math.ceil(first); page < (isWhole ? last : Math.floor(end / smallPageBytes)); page++)
      seen[page] = 1;
  }

  /** The end of the compared pages that begin at `at`, or of the page there that was not compared. */
  #endOfStretch(file: PagedFile, at: number, end: number): number {
    const checked = this.#pagesOf(file);
    let page = Math.floor(at / pageBytes);
    if (checked[page] === 0) page++;
    else while (page * pageBytes < end && checked[page] === 1) page++;
    return Math.min(end, page * pageBytes);
  }

  /** Reads bytes that are whole pages, or parts of pages that were compared. */
  #readStraight(file: PagedFile, position: number, bytes: Uint8Array): void {
    file.reader.read(bytes, position);
    this.bytesRead += bytes.length;
    if (!file.checksums || position % pageBytes !== 0) return;
    for (let at = 0; at < bytes.length; at += pageBytes) {
      this.#check(file, (position + at) / pageBytes, bytes.subarray(at, at + pageBytes));
    }
  }

  /** Reads the page of these bytes, compares it, and copies them. */
  #readWithin(file: PagedFile, position: number, bytes: Uint8Array): void {
    const page = Math.floor(position / pageBytes);
    const first = page * pageBytes;
    this.#compared ??= new Uint8Array(pageBytes);
    const compared = this.#compared.subarray(0, Math.min(pageBytes, file.reader.size - first));
    file.reader.read(compared, first);
    this.bytesRead += compared.length;
    this.#check(file, page, compared);
    bytes.set(compared.subarray(position - first, position - first + bytes.length));
  }

  #pagesOf(file: PagedFile): Uint8Array {
    let pages = this.#checked.get(file);
    if (!pages) {
      pages = new Uint8Array(file.checksums!.length);
      this.#checked.set(file, pages);
    }
    return pages;
  }

  /** Compares a page with its checksum, unless it has agreed before. */
  #check(file: PagedFile, page: number, bytes: Uint8Array): void {
    const pages = this.#pagesOf(file);
    if (pages[page] === 1) return;
    if (fastCrc32(bytes) === file.checksums![page]) {
      pages[page] = 1;
      return;
    }
    const got = `a wrong checksum of bytes ${page * pageBytes} to ${page * pageBytes + bytes.length - 1}`;
    const remedy = 'Make the folder anew, or copy it again.';
    throw badValue(this.#caller, `an undamaged ${file.reader.path}`, got, remedy);
  }
}
