/** `Slots`: memory for pages of several files. It decides which pages stay, reads those that are missing, and writes changed ones. */

import { borrow } from '../../wasm/borrow.ts';
import { pageBytes, type PagedFile, PageReader } from './paged-file.ts';

/** The pages of a file in the cache. */
export interface CachedFile {
  readonly file: PagedFile;
  /** The slot of each page, −1 for none. */
  readonly slotOf: Int32Array;
  /** The slot that is reserved for page 0, with one for each further page after it; −1 if none are. */
  readonly reserved: number;
  /** The number of pages that are not in the cache. */
  missing: number;
}

export const leastSlots = 16;
/** The slots that are never reserved, for files that do not fit. */
const leastShared = 4;
/** Larger caches leave the kernels' memory to arrays. */
const mostKernelBytes = 2 ** 26;
/** An array has at most 8 GiB. */
const mostBytes = 2 ** 33 - pageBytes;
/** A slot that was used since the hand of the clock passed it, and one that must stay for now. */
const [used, pinned] = [1, 2];

/**
 * A file that fits has its pages in order, at a place of its own, where they stay. The others share the rest of the slots by the
 * clock algorithm (Corbató 1968).
 */
export class Slots {
  readonly bytesOfPage: number;
  readonly count: number;
  /** The memory of all slots while a file is open: that of the kernels if it is small, so that they reach the pages. */
  bytes: Uint8Array = new Uint8Array(0);
  /** The same memory, 32 bits at a time. */
  words: Int32Array = new Int32Array(0);
  readonly reader: PageReader;
  /** The pages that were found, and those that were read. */
  readonly counts = { hits: 0, misses: 0 };
  /** For each slot 1 if the page differs from the file. */
  readonly changed: Uint8Array;
  readonly #files = new Map<PagedFile, CachedFile>();
  /** For each slot the file that it belongs to, its page, and whether it was used. */
  readonly #owners: (CachedFile | null)[];
  readonly #pageOf: Int32Array;
  readonly #uses: Uint8Array;
  /** The number of reserved slots, which come first. */
  #reserved = 0;
  #hand = 0;
  #giveBack = (): void => {};

  /** `memory` is the budget in bytes, for at least 16 pages. Errors name `caller`. */
  constructor(caller: string, memory: number, bytesOfPage: number) {
    this.bytesOfPage = bytesOfPage;
    this.count = Math.min(Math.floor(memory / bytesOfPage), Math.floor(mostBytes / bytesOfPage));
    this.#owners = new Array<CachedFile | null>(this.count).fill(null);
    this.#pageOf = new Int32Array(this.count);
    this.#uses = new Uint8Array(this.count);
    this.changed = new Uint8Array(this.count);
    this.reader = new PageReader(caller);
  }

  /** The pages that can be pinned at a time, of a file without reserved slots. */
  get mostPinned(): number {
    const free = this.count - this.#reserved;
    return Math.max(Math.floor(free / 2), free - leastShared);
  }

  /** Reserves slots for all pages of a file that was not read before, if enough are free for other files then. */
  open(file: PagedFile): CachedFile {
    const known = this.#files.get(file);
    if (known) return known;
    if (this.#files.size === 0) this.#takeMemory();
    const pages = Math.ceil(file.reader.size / this.bytesOfPage);
    const isReserved = this.#reserved + pages + leastShared <= this.count;
    const reserved = isReserved ? this.#reserved : -1;
    const cached = { file, slotOf: new Int32Array(pages).fill(-1), reserved, missing: pages };
    this.#files.set(file, cached);
    if (!isReserved) return cached;
    for (let slot = reserved; slot < reserved + pages; slot++) {
      if (!this.#owners[slot]) continue;
      if (this.changed[slot] === 1) this.#writeBack(slot);
      this.#vacate(slot);
    }
    this.#reserved += pages;
    return cached;
  }

  /** Writes all changed pages to their files. */
  flush(): void {
    for (let slot = 0; slot < this.count; slot++) if (this.changed[slot] === 1) this.#writeBack(slot);
  }

  /** Forgets the pages of a file. Changes that were not flushed are lost. */
  forget(file: PagedFile): void {
    const cached = this.#files.get(file);
    if (!cached) return;
    this.#files.delete(file);
    for (let slot = 0; slot < this.count; slot++) if (this.#owners[slot] === cached) this.#vacate(slot);
    const { reserved, slotOf } = cached;
    if (reserved >= 0 && reserved + slotOf.length === this.#reserved) this.#reserved = reserved;
    if (this.#files.size > 0) return;
    [this.bytes, this.words] = [new Uint8Array(0), new Int32Array(0)];
    this.#giveBack();
  }

  #takeMemory(): void {
    const length = this.count * this.bytesOfPage;
    if (length > mostKernelBytes) this.bytes = new Uint8Array(length);
    else {
      const { array, giveBack } = borrow(length / 8);
      this.bytes = new Uint8Array(array.buffer, array.byteOffset, length);
      this.#giveBack = giveBack;
    }
    this.words = new Int32Array(this.bytes.buffer, this.bytes.byteOffset, length / 4);
  }

  /** Notes that a page was found. */
  use(slot: number): void {
    this.counts.hits++;
    if (this.#uses[slot] !== pinned) this.#uses[slot] = used;
  }

  /** The slot of the first of some pages if they are all in the cache, in consecutive slots; else −1. */
  find({ slotOf }: CachedFile, page: number, count: number): number {
    const slot = slotOf[page];
    if (slot < 0) return -1;
    for (let k = 1; k < count; k++) if (slotOf[page + k] !== slot + k) return -1;
    for (let k = 0; k < count; k++) this.use(slot + k);
    return slot;
  }

  /** The slot that holds the page, which is read if it is not there. */
  load(cached: CachedFile, page: number): number {
    const known = cached.slotOf[page];
    if (known >= 0) {
      this.use(known);
      return known;
    }
    const slot = this.#take(cached, page);
    this.#read(cached, page, slot, 1);
    this.#uses[slot] = used;
    return slot;
  }

  /** Loads ascending pages, and keeps them there until `unpin`. Pages next to each other are read at once. */
  pin(cached: CachedFile, pages: Int32Array): void {
    const { slotOf } = cached;
    for (let k = 0; k < pages.length; k++) {
      const slot = slotOf[pages[k]];
      if (slot < 0) continue;
      this.counts.hits++;
      this.#uses[slot] = pinned;
    }
    let [first, slot, count] = [0, 0, 0];
    try {
      for (let k = 0; k < pages.length; k++) {
        if (slotOf[pages[k]] >= 0) continue;
        const own = this.#take(cached, pages[k]);
        if (pages[k] !== first + count || own !== slot + count) {
          this.#read(cached, first, slot, count);
          [first, slot, count] = [pages[k], own, 0];
        }
        count++;
      }
      this.#read(cached, first, slot, count);
    } catch (error) {
      this.unpin(cached, pages);
      throw error;
    }
  }

  unpin({ slotOf }: CachedFile, pages: Int32Array): void {
    for (let k = 0; k < pages.length; k++) if (slotOf[pages[k]] >= 0) this.#uses[slotOf[pages[k]]] = used;
  }

  /** Reads pages into consecutive slots that were taken for them. Gives the slots back if that fails. */
  #read({ file }: CachedFile, page: number, slot: number, count: number): void {
    if (count === 0) return;
    const { bytesOfPage } = this;
    const length = Math.min(count * bytesOfPage, file.reader.size - page * bytesOfPage);
    const from = slot * bytesOfPage;
    try {
      this.reader.read(file, page * bytesOfPage, this.bytes.subarray(from, from + length));
    } catch (error) {
      for (let k = 0; k < count; k++) this.#vacate(slot + k);
      throw error;
    }
    this.counts.misses += count;
  }

  /** Takes a slot for a page that will be read. It is pinned. */
  #take(cached: CachedFile, page: number): number {
    const slot = cached.reserved >= 0 ? cached.reserved + page : this.#freeSlot();
    this.#owners[slot] = cached;
    this.#pageOf[slot] = page;
    this.#uses[slot] = pinned;
    cached.slotOf[page] = slot;
    cached.missing--;
    return slot;
  }

  /** A slot of the clock whose page was not used lately. */
  #freeSlot(): number {
    for (;;) {
      const slot = Math.max(this.#hand, this.#reserved);
      this.#hand = slot + 1 < this.count ? slot + 1 : this.#reserved;
      if (!this.#owners[slot]) return slot;
      if (this.#uses[slot] === pinned) continue;
      if (this.#uses[slot] === used) {
        this.#uses[slot] = 0;
        continue;
      }
      if (this.changed[slot] === 1) this.#writeBack(slot);
      this.#vacate(slot);
      return slot;
    }
  }

  #vacate(slot: number): void {
    const owner = this.#owners[slot]!;
    owner.slotOf[this.#pageOf[slot]] = -1;
    owner.missing++;
    this.#owners[slot] = null;
    this.#uses[slot] = 0;
    this.changed[slot] = 0;
  }

  /** Writes a changed page, and at once those that follow it in the file and in the slots. */
  #writeBack(slot: number): void {
    const owner = this.#owners[slot]!;
    const { reader } = owner.file;
    const { bytesOfPage, changed } = this;
    const page = this.#pageOf[slot];
    let end = slot + 1;
    while (changed[end] === 1 && this.#owners[end] === owner && this.#pageOf[end] === page + end - slot) end++;
    const from = slot * bytesOfPage;
    const length = Math.min((end - slot) * bytesOfPage, reader.size - page * bytesOfPage);
    reader.write!(this.bytes.subarray(from, from + length), page * bytesOfPage);
    changed.fill(0, slot, end);
  }
}
