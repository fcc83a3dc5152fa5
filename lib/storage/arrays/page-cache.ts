/** `PageCache`: bytes, rows and runs of files, read and replaced through pages in memory with a budget of bytes. */

import { badValue } from '../../core/check.ts';
import { copyWords, type PageKernels, plainPages } from '../../kernels/batch/pages.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { pageKernels } from '../../wasm/families.ts';
import { pageBytes, type PagedFile } from './paged-file.ts';
import { Pieces } from './pieces.ts';
import { type CachedFile, leastSlots, Slots } from './slots.ts';

/** Counts of the work of a cache since it was made. */
export interface CacheStatistics {
  /** The bytes that it may hold. */
  readonly budget: number;
  /** The pages that were found in the cache, and those that were not. */
  readonly hits: number;
  readonly misses: number;
  /** The bytes read from files, with those that bypass the cache. */
  readonly bytesRead: number;
  /** The pages that threads read for batches before their time, if they did. */
  readonly pagesAhead?: number;
}

/** Some columns of a table. */
export interface Columns {
  readonly from: number;
  readonly count: number;
}

/** This many whole pages with a checksum, or more, are read straight into the array of the caller, past the cache. */
const straightPages = 4;
/** A loop is faster than `set` for so few bytes. */
const shortRead = 64;

/** A cache that several files share. */
export class PageCache {
  readonly #slots: Slots;
  /** What a call needs of pages that are not in the cache. */
  readonly #pieces = new Pieces();
  #firsts = allocateIndices(0);

  /** `memory` is the budget in bytes, at least 16 pages. Errors name `caller`. */
  constructor(caller: string, memory: number, bytesOfPage = pageBytes) {
    if (!(memory >= leastSlots * bytesOfPage && Number.isFinite(memory))) {
      throw badValue(caller, `memory of at least ${leastSlots * bytesOfPage} bytes for the cache`, memory);
    }
    this.#slots = new Slots(caller, memory, bytesOfPage);
  }

  get statistics(): CacheStatistics {
    const { count, bytesOfPage, counts, reader } = this.#slots;
    return { budget: count * bytesOfPage, ...counts, bytesRead: reader.bytesRead };
  }

  /** Fills `target` with the bytes of the file from `position` on. */
  read(file: PagedFile, position: number, target: Uint8Array): void {
    const slots = this.#slots;
    const cached = slots.open(file);
    const { bytesOfPage } = slots;
    const end = position + target.length;
    for (let at = position; at < end;) {
      const page = Math.floor(at / bytesOfPage);
      const first = page * bytesOfPage;
      const whole = at % pageBytes === 0 ? Math.floor((end - at) / pageBytes) : 0;
      if (whole >= straightPages) {
        slots.reader.read(file, at, target.subarray(at - position, at - position + whole * pageBytes));
        at += whole * pageBytes;
        continue;
      }
      const count = Math.min(end, first + bytesOfPage) - at;
      const from = slots.load(cached, page) * bytesOfPage + (at - first);
      if (count > shortRead) target.set(slots.bytes.subarray(from, from + count), at - position);
      else for (let k = 0, to = at - position; k < count; k++) target[to + k] = slots.bytes[from + k];
      at += count;
    }
  }

  /** Whether all pages of a file are in the cache. */
  holds(file: PagedFile): boolean {
    return isInMemory(this.#slots.open(file));
  }

  /**
   * Fills `out` with columns of rows of a table, in the order of the list. A row has `words` numbers of 32 bits, and the first
   * one begins at a multiple of four bytes.
   */
  gather(
    file: PagedFile,
    begin: number,
    words: number,
    list: Int32Array,
    out: Int32Array,
    taken: Columns = { from: 0, count: words },
  ): void {
    this.#exchange(file, begin / 4 + taken.from, words, taken.count, list, out, false);
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
    const [slots, pieces] = [this.#slots, this.#pieces];
    const cached = slots.open(file);
    const perPage = slots.bytesOfPage / 4;
    if (isInMemory(cached)) {
      const base = cached.reserved * perPage;
      const firsts = this.#firstsOf(begins.length);
      for (let i = 0; i < begins.length; i++) firsts[i] = (base + begins[i]) | 0;
      kernelsFor(begins.length).readRuns(begins.length, factor, firsts, ends, slots.words, out);
      slots.counts.hits += begins.length;
      return;
    }
    pieces.begin(cached.slotOf.length);
    for (let i = 0; i < begins.length; i++) {
      const place = factor * ends[i];
      const count = factor * (ends[i + 1] - ends[i]);
      if (count === 0) continue;
      const page = Math.floor(begins[i] / perPage);
      const within = begins[i] - page * perPage;
      const slot = slots.find(cached, page, Math.ceil((within + count) / perPage));
      if (slot < 0) pieces.add(page, within, place, count, perPage);
      else copyWords(slots.words, slot * perPage + within, out, place, count);
    }
    this.#exchangePieces(cached, out, false);
  }

  /** Room for `count` places, in the kernels' memory. */
  #firstsOf(count: number): Int32Array {
    if (this.#firsts.length < count) this.#firsts = allocateIndices(2 * count);
    return this.#firsts;
  }

  /** Writes all changed pages to their files. */
  flush(): void {
    this.#slots.flush();
  }

  /** Forgets the pages of a file. Changes that were not flushed are lost. */
  forget(file: PagedFile): void {
    this.#slots.forget(file);
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
    const cached = this.#slots.open(file);
    if (isInMemory(cached)) {
      this.#exchangeInMemory(cached, begin, words, count, list, rows, isWritten);
      return;
    }
    const [slots, pieces] = [this.#slots, this.#pieces];
    const perPage = slots.bytesOfPage / 4;
    pieces.begin(cached.slotOf.length);
    for (let i = 0, at = 0; i < list.length; i++, at += count) {
      const first = begin + list[i] * words;
      const page = Math.floor(first / perPage);
      const within = first - page * perPage;
      const pages = within + count <= perPage ? 1 : Math.ceil((within + count) / perPage);
      const slot = slots.find(cached, page, pages);
      if (slot < 0) pieces.add(page, within, at, count, perPage);
      else if (isWritten) {
        copyWords(rows, at, slots.words, slot * perPage + within, count);
        for (let k = 0; k < pages; k++) slots.changed[slot + k] = 1;
      } else copyWords(slots.words, slot * perPage + within, rows, at, count);
    }
    this.#exchangePieces(cached, rows, isWritten);
  }

  /** The same for a file all of which is in the cache, one page after the other. */
  #exchangeInMemory(
    { reserved }: CachedFile,
    begin: number,
    words: number,
    count: number,
    list: Int32Array,
    rows: Int32Array,
    isWritten: boolean,
  ): void {
    const { words: pages, changed, counts, bytesOfPage } = this.#slots;
    const perPage = bytesOfPage / 4;
    const shift = Math.log2(perPage);
    // An array of reserved slots has fewer than 2³¹ words.
    const base = (reserved * perPage + begin) | 0;
    counts.hits += list.length;
    const { readRows, writeRows } = kernelsFor(list.length);
    if (!isWritten) {
      readRows(list.length, count, words, base, list, pages, rows);
      return;
    }
    writeRows(list.length, count, words, base, list, rows, pages);
    for (let i = 0; i < list.length; i++) {
      const to = (base + Math.imul(list[i], words)) | 0;
      const last = (to + count - 1) >> shift;
      for (let slot = to >> shift; slot <= last; slot++) changed[slot] = 1;
    }
  }

  /** Copies pieces whose pages were not there, in the order of the file, so that each page is read once, with those next to it. */
  #exchangePieces(cached: CachedFile, rows: Int32Array, isWritten: boolean): void {
    const [slots, pieces] = [this.#slots, this.#pieces];
    if (pieces.count === 0) return;
    const pages = pieces.sortedPages();
    const perPage = slots.bytesOfPage / 4;
    const most = cached.reserved >= 0 ? pages.length : slots.mostPinned;
    try {
      const groups = Math.ceil(pages.length / most);
      for (let group = 0; group < groups; group++) {
        // Rows are written in the opposite order: the pages that were read last are still there.
        const from = most * (isWritten ? groups - 1 - group : group);
        const some = pages.subarray(from, from + most);
        slots.pin(cached, some);
        for (let k = 0; k < some.length; k++) {
          const slot = cached.slotOf[some[k]];
          const base = slot * perPage;
          for (let piece = pieces.lastIn(some[k]); piece >= 0; piece = pieces.nextAfter(piece)) {
            const [within, place, count] = [pieces.within[piece], pieces.places[piece], pieces.counts[piece]];
            if (within + count > perPage) this.#copyLong(cached, some[k], piece, rows, isWritten);
            else if (isWritten) {
              copyWords(rows, place, slots.words, base + within, count);
              slots.changed[slot] = 1;
            } else copyWords(slots.words, base + within, rows, place, count);
          }
        }
        slots.unpin(cached, some);
      }
    } finally {
      pieces.release(pages);
    }
  }

  /** Copies a piece that ends in a later page than it begins. Only the first is sure to be in the cache. */
  #copyLong(cached: CachedFile, first: number, piece: number, rows: Int32Array, isWritten: boolean): void {
    const [slots, pieces] = [this.#slots, this.#pieces];
    const perPage = slots.bytesOfPage / 4;
    const [place, count] = [pieces.places[piece], pieces.counts[piece]];
    for (let done = 0, page = first, within = pieces.within[piece]; done < count; page++, within = 0) {
      const known = cached.slotOf[page];
      const slot = known >= 0 ? known : slots.load(cached, page);
      const part = Math.min(count - done, perPage - within);
      if (isWritten) {
        copyWords(rows, place + done, slots.words, slot * perPage + within, part);
        slots.changed[slot] = 1;
      } else copyWords(slots.words, slot * perPage + within, rows, place + done, part);
      done += part;
    }
  }
}

/** Fewer rows or runs are copied faster without a call to WebAssembly. */
const fewRows = 16;

function kernelsFor(count: number): PageKernels {
  return count < fewRows ? plainPages : pageKernels();
}

function isInMemory({ reserved, missing }: CachedFile): boolean {
  return reserved >= 0 && missing === 0;
}
