/** A cache of the pages of files with a budget of bytes. Pages are checked when they are read; the least recently used is dropped first. */

import { badValue } from '../../core/check.ts';
import { fastCrc32 } from '../../files/checksum.ts';
import type { FileReader } from '../../files/read.ts';

/** The bytes of a page, which is read and checked as a whole. */
export const pageBytes = 1 << 14;

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

/** A file whose pages a cache holds. */
export interface PagedFile {
  readonly reader: FileReader;
  /** The CRC-32 of every page, or null if nothing is known about the contents. */
  readonly checksums: Uint32Array | null;
}

/** This many whole pages or more in a row are read straight into the array of the caller, past the cache. */
const straightPages = 4;

/** A cache that several files share. */
export class PageCache {
  readonly #caller: string;
  readonly #slots: number;
  readonly #pages: Uint8Array;
  /** For each file the slot of each page, −1 for none. */
  readonly #slotOf = new Map<PagedFile, Int32Array>();
  /** For each slot the index that holds it, and its page. */
  readonly #owners: (Int32Array | null)[];
  readonly #pageOf: Int32Array;
  /** 1 if the slot was used since the hand passed it: the clock algorithm (Corbató 1968). */
  readonly #used: Uint8Array;
  #hand = 0;
  readonly #counts = { hits: 0, misses: 0, bytesRead: 0 };

  /** `memory` is the budget in bytes, at least 16 pages. Errors name `caller`. */
  constructor(caller: string, memory: number) {
    this.#caller = caller;
    if (!(memory >= leastPages * pageBytes && Number.isFinite(memory))) {
      throw badValue(caller, `memory of at least ${leastPages * pageBytes} bytes for the cache`, memory);
    }
    this.#slots = Math.min(Math.floor(memory / pageBytes), mostPages);
    this.#pages = new Uint8Array(this.#slots * pageBytes);
    this.#owners = new Array<Int32Array | null>(this.#slots).fill(null);
    this.#pageOf = new Int32Array(this.#slots);
    this.#used = new Uint8Array(this.#slots);
  }

  get statistics(): CacheStatistics {
    return { budget: this.#slots * pageBytes, ...this.#counts };
  }

  /** Fills `target` with the bytes of the file from `position` on. */
  read(file: PagedFile, position: number, target: Uint8Array): void {
    const end = position + target.length;
    for (let at = position; at < end;) {
      const page = Math.floor(at / pageBytes);
      const first = page * pageBytes;
      const whole = at === first ? Math.floor((end - at) / pageBytes) : 0;
      if (whole >= straightPages) {
        this.#readStraight(file, page, target.subarray(at - position, at - position + whole * pageBytes));
        at += whole * pageBytes;
        continue;
      }
      const count = Math.min(end, first + pageBytes) - at;
      const slot = this.#load(file, page) * pageBytes + (at - first);
      // A loop is faster than `set` for the few bytes of a row.
      if (count > 256) target.set(this.#pages.subarray(slot, slot + count), at - position);
      else for (let k = 0, to = at - position; k < count; k++) target[to + k] = this.#pages[slot + k];
      at += count;
    }
  }

  /** Forgets the pages of a file. */
  forget(file: PagedFile): void {
    const index = this.#slotOf.get(file);
    this.#slotOf.delete(file);
    for (let slot = 0; slot < this.#slots; slot++) if (this.#owners[slot] === index) this.#owners[slot] = null;
  }

  #readStraight(file: PagedFile, page: number, target: Uint8Array): void {
    file.reader.read(target, page * pageBytes);
    this.#counts.bytesRead += target.length;
    for (let at = 0; at < target.length; at += pageBytes, page++) {
      this.#check(file, page, target.subarray(at, at + pageBytes));
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
    const slot = this.#freeSlot();
    const length = Math.min(pageBytes, file.reader.size - page * pageBytes);
    const bytes = this.#pages.subarray(slot * pageBytes, slot * pageBytes + Math.max(0, length));
    file.reader.read(bytes, page * pageBytes);
    this.#counts.bytesRead += bytes.length;
    this.#check(file, page, bytes);
    this.#owners[slot] = index;
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
      if (owner) owner[this.#pageOf[slot]] = -1;
      this.#owners[slot] = null;
      return slot;
    }
  }

  #indexOf(file: PagedFile): Int32Array {
    let index = this.#slotOf.get(file);
    if (!index) {
      index = new Int32Array(Math.ceil(file.reader.size / pageBytes)).fill(-1);
      this.#slotOf.set(file, index);
    }
    return index;
  }

  #check({ reader, checksums }: PagedFile, page: number, bytes: Uint8Array): void {
    if (!checksums || fastCrc32(bytes) === checksums[page]) return;
    const got = `a wrong checksum of bytes ${page * pageBytes} to ${page * pageBytes + bytes.length - 1}`;
    throw badValue(this.#caller, `an undamaged ${reader.path}`, got, 'Make the folder anew, or copy it again.');
  }
}

const leastPages = 16;
/** Slots are counted in 32 bits, and an array has at most 8 GiB. */
const mostPages = 2 ** 19 - 1;
