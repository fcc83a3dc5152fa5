/** A cache of the pages of files with a budget of bytes. Pages are checked when they are read, and written back when they were changed. */

import { badValue } from '../../core/check.ts';
import { fastCrc32 } from '../../files/checksum.ts';

/** The bytes of a page, which is read and checked as a whole. */
export const pageBytes = 1 << 14;
/** The bytes of a page of files without checksums, whose rows are read one by one. */
export const smallPageBytes = 1 << 12;

/** Counts of the work of a cache since it was made. */
export interface CacheStatistics {
  /** The bytes that it may hold. */
  readonly budget: number;
  /** The pages that were found in the cache, and those that were not. */
  readonly hits: number;
  readonly misses: number;
  /** The bytes read from files, with those that bypass the cache. */
  readonly bytesRead: number;
}

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
}

/** This many whole pages or more in a row are read straight into the array of the caller, past the cache. */
const straightPages = 4;

/** A cache that several files share. */
export class PageCache {
  readonly #caller: string;
  readonly #pageBytes: number;
  readonly #slots: number;
  readonly #pages: Uint8Array;
  /** The same memory, 32 bits at a time. */
  readonly #words: Int32Array;
  /** For each file the slot of each page, −1 for none. */
  readonly #slotOf = new Map<PagedFile, Int32Array>();
  /** For each slot the file that it belongs to, and its page. */
  readonly #owners: (PagedFile | null)[];
  readonly #pageOf: Int32Array;
  /** 1 if the slot was used since the hand passed it: the clock algorithm (Corbató 1968). */
  readonly #used: Uint8Array;
  /** 1 if the page differs from the file. */
  readonly #changed: Uint8Array;
  #hand = 0;
  readonly #counts = { hits: 0, misses: 0, bytesRead: 0 };

  /** `memory` is the budget in bytes, at least 16 pages. Errors name `caller`. Files with checksums need the default size of pages. */
  constructor(caller: string, memory: number, bytes = pageBytes) {
    this.#caller = caller;
    this.#pageBytes = bytes;
    if (!(memory >= leastPages * bytes && Number.isFinite(memory))) {
      throw badValue(caller, `memory of at least ${leastPages * bytes} bytes for the cache`, memory);
    }
    this.#slots = Math.min(Math.floor(memory / bytes), Math.floor(mostBytes / bytes));
    this.#pages = new Uint8Array(this.#slots * bytes);
    this.#words = new Int32Array(this.#pages.buffer);
    this.#owners = new Array<PagedFile | null>(this.#slots).fill(null);
    this.#pageOf = new Int32Array(this.#slots);
    this.#used = new Uint8Array(this.#slots);
    this.#changed = new Uint8Array(this.#slots);
  }

  get statistics(): CacheStatistics {
    return { budget: this.#slots * this.#pageBytes, ...this.#counts };
  }

  /** Fills `target` with the bytes of the file from `position` on. */
  read(file: PagedFile, position: number, target: Uint8Array): void {
    const bytesOfPage = this.#pageBytes;
    const end = position + target.length;
    for (let at = position; at < end;) {
      const page = Math.floor(at / bytesOfPage);
      const first = page * bytesOfPage;
      const whole = at === first ? Math.floor((end - at) / bytesOfPage) : 0;
      if (whole >= straightPages) {
        this.#readStraight(file, page, target.subarray(at - position, at - position + whole * bytesOfPage));
        at += whole * bytesOfPage;
        continue;
      }
      const count = Math.min(end, first + bytesOfPage) - at;
      const slot = this.#load(file, page) * bytesOfPage + (at - first);
      // A loop is faster than `set` for the few bytes of a row.
      if (count > 256) target.set(this.#pages.subarray(slot, slot + count), at - position);
      else for (let k = 0, to = at - position; k < count; k++) target[to + k] = this.#pages[slot + k];
      at += count;
    }
  }

  /**
   * Fills `out` with rows of a table, in the order of the list. A row has `words` numbers of 32 bits, and the first one begins
   * at a multiple of four bytes.
   */
  gather(file: PagedFile, begin: number, words: number, list: Int32Array, out: Int32Array): void {
    this.#exchange(file, begin, words, list, out, false);
  }

  /** Replaces rows of a table, as `gather` returns them. Pages reach the file when they leave the cache, or by `flush`. */
  scatter(file: PagedFile, begin: number, words: number, list: Int32Array, rows: Int32Array): void {
    this.#exchange(file, begin, words, list, rows, true);
  }

  /** Writes all changed pages to their files. */
  flush(): void {
    for (let slot = 0; slot < this.#slots; slot++) if (this.#changed[slot] === 1) this.#writeBack(slot);
  }

  /** Forgets the pages of a file. Changes that were not flushed are lost. */
  forget(file: PagedFile): void {
    this.#slotOf.delete(file);
    for (let slot = 0; slot < this.#slots; slot++) {
      if (this.#owners[slot] !== file) continue;
      this.#owners[slot] = null;
      this.#changed[slot] = 0;
    }
  }

  /** Copies rows from the cache, or to it. A page may end within a row. */
  #exchange(
    file: PagedFile,
    begin: number,
    words: number,
    list: Int32Array,
    rows: Int32Array,
    isWritten: boolean,
  ): void {
    const index = this.#indexOf(file);
    const perPage = this.#pageBytes / 4;
    const pages = this.#words;
    for (let i = 0, at = 0; i < list.length; i++) {
      const row = begin / 4 + list[i] * words;
      for (let done = 0; done < words;) {
        const page = Math.floor((row + done) / perPage);
        const within = row + done - page * perPage;
        let slot = index[page];
        if (slot < 0) slot = this.#load(file, page);
        else {
          this.#counts.hits++;
          this.#used[slot] = 1;
        }
        const count = Math.min(words - done, perPage - within);
        const from = slot * perPage + within;
        if (isWritten) {
          this.#changed[slot] = 1;
          for (let k = 0; k < count; k++) pages[from + k] = rows[at + k];
        } else if (count > 64) rows.set(pages.subarray(from, from + count), at);
        else for (let k = 0; k < count; k++) rows[at + k] = pages[from + k];
        at += count;
        done += count;
      }
    }
  }

  #writeBack(slot: number): void {
    const { reader } = this.#owners[slot]!;
    const first = this.#pageOf[slot] * this.#pageBytes;
    const from = slot * this.#pageBytes;
    reader.write!(this.#pages.subarray(from, from + Math.min(this.#pageBytes, reader.size - first)), first);
    this.#changed[slot] = 0;
  }

  #readStraight(file: PagedFile, page: number, target: Uint8Array): void {
    const bytesOfPage = this.#pageBytes;
    file.reader.read(target, page * bytesOfPage);
    this.#counts.bytesRead += target.length;
    for (let at = 0; at < target.length; at += bytesOfPage, page++) {
      this.#check(file, page, target.subarray(at, at + bytesOfPage));
    }
  }

  /** The slot that holds the page, which is read if it is not there. */
  #load(file: PagedFile, page: number): number {
    const index = this.#indexOf(file);
    const known = index[page];
    if (known >= 0) {
      this.#counts.hits++;
      this.#used[known] = 1;
      return known;
    }
    this.#counts.misses++;
    const bytesOfPage = this.#pageBytes;
    const slot = this.#freeSlot();
    const length = Math.min(bytesOfPage, file.reader.size - page * bytesOfPage);
    const bytes = this.#pages.subarray(slot * bytesOfPage, slot * bytesOfPage + Math.max(0, length));
    file.reader.read(bytes, page * bytesOfPage);
    this.#counts.bytesRead += bytes.length;
    this.#check(file, page, bytes);
    this.#owners[slot] = file;
    this.#pageOf[slot] = page;
    this.#used[slot] = 1;
    index[page] = slot;
    return slot;
  }

  #freeSlot(): number {
    for (;;) {
      const slot = this.#hand;
      this.#hand = (slot + 1) % this.#slots;
      const owner = this.#owners[slot];
      if (owner && this.#used[slot] === 1) {
        this.#used[slot] = 0;
        continue;
      }
      if (owner) {
        if (this.#changed[slot] === 1) this.#writeBack(slot);
        this.#slotOf.get(owner)![this.#pageOf[slot]] = -1;
      }
      this.#owners[slot] = null;
      return slot;
    }
  }

  #indexOf(file: PagedFile): Int32Array {
    let index = this.#slotOf.get(file);
    if (!index) {
      index = new Int32Array(Math.ceil(file.reader.size / this.#pageBytes)).fill(-1);
      this.#slotOf.set(file, index);
    }
    return index;
  }

  #check({ reader, checksums }: PagedFile, page: number, bytes: Uint8Array): void {
    if (!checksums || fastCrc32(bytes) === checksums[page]) return;
    const bytesOfPage = this.#pageBytes;
    const got = `a wrong checksum of bytes ${page * bytesOfPage} to ${page * bytesOfPage + bytes.length - 1}`;
    throw badValue(this.#caller, `an undamaged ${reader.path}`, got, 'Make the folder anew, or copy it again.');
  }
}

const leastPages = 16;
/** An array has at most 8 GiB. */
const mostBytes = 2 ** 33 - pageBytes;
