/** A cache of the pages of files with a budget of bytes. Pages are checked when they are read, and written back when they were changed. */

import { badValue } from '../../core/check.ts';
import { fastCrc32 } from '../../files/checksum.ts';

/** The bytes of a page that has a checksum. */
export const pageBytes = 1 << 14;
/** The bytes of a page of a cache for rows that are read one by one: a part of a page with a checksum. */
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

/** This many whole pages with a checksum, or more, are read straight into the array of the caller, past the cache. */
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
  /** For each file 1 for each page that agreed with its checksum, and a page that is compared. */
  readonly #checked = new Map<PagedFile, Uint8Array>();
  #compared: Uint8Array | null = null;

  /** `memory` is the budget in bytes, at least 16 pages. Errors name `caller`. */
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
      const whole = at % pageBytes === 0 ? Math.floor((end - at) / pageBytes) : 0;
      if (whole >= straightPages) {
        this.#readStraight(file, at, target.subarray(at - position, at - position + whole * pageBytes));
        at += whole * pageBytes;
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
    this.#exchange(file, begin / 4, words, words, list, out, false);
  }

  /** Replaces columns of rows of a table. Pages reach the file when they leave the cache, or by `flush`. */
  scatter(
    file: PagedFile,
    begin: number,
    words: number,
    list: Int32Array,
    rows: Int32Array,
    taken: Columns = { from: 0, count: words },
  ): void {
    this.#exchange(file, begin / 4 + taken.from, words, taken.count, list, rows, true);
  }

  /**
   * Fills `out` with runs of numbers of 32 bits, one after the other. Run i begins with number begins[i] of the file, and is
   * copied to places ends[i]·factor to ends[i + 1]·factor − 1.
   */
  gatherRuns(file: PagedFile, begins: Float64Array, ends: Int32Array, factor: number, out: Int32Array): void {
    for (let i = 0; i < begins.length; i++) {
      this.#copyRun(file, begins[i], out, factor * ends[i], factor * (ends[i + 1] - ends[i]), false);
    }
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

  /** Copies `count` words of each row from the cache, or to it. */
  #exchange(
    file: PagedFile,
    begin: number,
    words: number,
    count: number,
    list: Int32Array,
    rows: Int32Array,
    isWritten: boolean,
  ): void {
    const index = this.#indexOf(file);
    const perPage = this.#pageBytes / 4;
    const [shift, mask] = [Math.log2(perPage), perPage - 1];
    const pages = this.#words;
    const used = this.#used;
    const changed = this.#changed;
    // Up to 8 GiB, words are counted by integers of 32 bits, which are faster.
    const isShort = file.reader.size < 2 ** 33;
    let hits = 0;
    for (let i = 0, at = 0; i < list.length; i++, at += count) {
      const row = (begin + Math.imul(list[i], words)) | 0;
      const within = row & mask;
      const slot = isShort ? index[row >>> shift] : -1;
      if (slot < 0 || within + count > perPage) {
        this.#copyRun(file, begin + list[i] * words, rows, at, count, isWritten);
        continue;
      }
      hits++;
      used[slot] = 1;
      const from = ((slot << shift) + within) | 0;
      if (isWritten) {
        changed[slot] = 1;
        for (let k = 0; k < count; k++) pages[from + k] = rows[at + k];
      } else if (count > longRun) rows.set(pages.subarray(from, from + count), at);
      else for (let k = 0; k < count; k++) rows[at + k] = pages[from + k];
    }
    this.#counts.hits += hits;
  }

  /** Copies words of the file from number `first` on to `rows`, or from there. A page may end within them. */
  #copyRun(file: PagedFile, first: number, rows: Int32Array, at: number, count: number, isWritten: boolean): void {
    const perPage = this.#pageBytes / 4;
    const pages = this.#words;
    for (let done = 0; done < count;) {
      const page = Math.floor((first + done) / perPage);
      const within = first + done - page * perPage;
      const slot = this.#load(file, page);
      const piece = Math.min(count - done, perPage - within);
      const from = slot * perPage + within;
      const to = at + done;
      if (isWritten) {
        this.#changed[slot] = 1;
        for (let k = 0; k < piece; k++) pages[from + k] = rows[to + k];
      } else if (piece > longRun) rows.set(pages.subarray(from, from + piece), to);
      else for (let k = 0; k < piece; k++) rows[to + k] = pages[from + k];
      done += piece;
    }
  }

  #writeBack(slot: number): void {
    const { reader } = this.#owners[slot]!;
    const first = this.#pageOf[slot] * this.#pageBytes;
    const from = slot * this.#pageBytes;
    reader.write!(this.#pages.subarray(from, from + Math.min(this.#pageBytes, reader.size - first)), first);
    this.#changed[slot] = 0;
  }

  #readStraight(file: PagedFile, position: number, target: Uint8Array): void {
    file.reader.read(target, position);
    this.#counts.bytesRead += target.length;
    for (let at = 0; at < target.length; at += pageBytes) {
      this.#check(file, (position + at) / pageBytes, target.subarray(at, at + pageBytes));
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
    this.#read(file, page * bytesOfPage, bytes);
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

  /** Reads a part of a page with a checksum, all of which is read and compared at the first time. */
  #read(file: PagedFile, position: number, bytes: Uint8Array): void {
    const { reader, checksums } = file;
    const whole = Math.floor(position / pageBytes);
    if (!checksums || this.#checkedPages(file)[whole] === 1) {
      reader.read(bytes, position);
      this.#counts.bytesRead += bytes.length;
      return;
    }
    const first = whole * pageBytes;
    this.#compared ??= new Uint8Array(pageBytes);
    const compared = this.#compared.subarray(0, Math.min(pageBytes, reader.size - first));
    reader.read(compared, first);
    this.#counts.bytesRead += compared.length;
    this.#check(file, whole, compared);
    bytes.set(compared.subarray(position - first, position - first + bytes.length));
  }

  #checkedPages(file: PagedFile): Uint8Array {
    let pages = this.#checked.get(file);
    if (!pages) {
      pages = new Uint8Array(file.checksums!.length);
      this.#checked.set(file, pages);
    }
    return pages;
  }

  /** Compares a page with its checksum, unless it has agreed before. */
  #check(file: PagedFile, page: number, bytes: Uint8Array): void {
    const { reader, checksums } = file;
    if (!checksums) return;
    const pages = this.#checkedPages(file);
    if (pages[page] === 1) return;
    if (fastCrc32(bytes) === checksums[page]) {
      pages[page] = 1;
      return;
    }
    const got = `a wrong checksum of bytes ${page * pageBytes} to ${page * pageBytes + bytes.length - 1}`;
    throw badValue(this.#caller, `an undamaged ${reader.path}`, got, 'Make the folder anew, or copy it again.');
  }
}

/** Some columns of a table. */
export interface Columns {
  readonly from: number;
  readonly count: number;
}

/** A loop is faster than `set` for so few numbers. */
const longRun = 64;
const leastPages = 16;
/** An array has at most 8 GiB. */
const mostBytes = 2 ** 33 - pageBytes;
