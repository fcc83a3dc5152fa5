/** `PageCache`: bytes, rows and runs of files, read and replaced through pages in memory with a budget of bytes. */

import { badValue } from '../../core/check.ts';
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

/** A cache that several files share. */
export class PageCache {
  readonly #slots: Slots;
  /** What a call needs of pages that are not in the cache. */
  readonly #pieces = new Pieces();

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
      if (count > longRun) target.set(slots.bytes.subarray(from, from + count), at - position);
      else for (let k = 0, to = at - position; k < count; k++) target[to + k] = slots.bytes[from + k];
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
    const slots = this.#slots;
    const cached = slots.open(file);
    const perPage = slots.bytesOfPage / 4;
    for (let i = 0; i < begins.length; i++) {
      const place = factor * ends[i];
      const count = factor * (ends[i + 1] - ends[i]);
      if (count === 0) continue;
      const page = Math.floor(begins[i] / perPage);
      const within = begins[i] - page * perPage;
      const slot = slots.find(cached, page, Math.ceil((within + count) / perPage));
      if (slot < 0) this.#pieces.add(begins[i], place, count);
      else copyWords(slots.words, slot * perPage + within, out, place, count);
    }
    this.#exchangePieces(cached, out, false);
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
    if (cached.reserved >= 0 && cached.missing === 0) {
      this.#exchangeInMemory(cached, begin, words, count, list, rows, isWritten);
      return;
    }
    const slots = this.#slots;
    const perPage = slots.bytesOfPage / 4;
    for (let i = 0, at = 0; i < list.length; i++, at += count) {
      const first = begin + list[i] * words;
      const page = Math.floor(first / perPage);
      const within = first - page * perPage;
      const pages = Math.ceil((within + count) / perPage);
      const slot = slots.find(cached, page, pages);
      if (slot < 0) this.#pieces.add(first, at, count);
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
    const base = reserved * perPage + begin;
    counts.hits += list.length;
    if (!isWritten) {
      for (let i = 0, at = 0; i < list.length; i++, at += count) {
        copyWords(pages, base + list[i] * words, rows, at, count);
      }
      return;
    }
    for (let i = 0, at = 0; i < list.length; i++, at += count) {
      const to = base + list[i] * words;
      copyWords(rows, at, pages, to, count);
      const last = Math.floor((to + count - 1) / perPage);
      for (let slot = Math.floor(to / perPage); slot <= last; slot++) changed[slot] = 1;
    }
  }

  /** Copies pieces whose pages were not there, in the order of the file, so that each page is read once, with those next to it. */
  #exchangePieces(cached: CachedFile, rows: Int32Array, isWritten: boolean): void {
    const [slots, pieces] = [this.#slots, this.#pieces];
    if (pieces.count === 0) return;
    const pages = pieces.sortedPages(slots.bytesOfPage / 4, cached.slotOf.length);
    const most = cached.reserved >= 0 ? pages.length : slots.mostPinned;
    try {
      for (let from = 0; from < pages.length; from += most) {
        const some = pages.subarray(from, from + most);
        slots.pin(cached, some);
        for (let k = 0; k < some.length; k++) {
          for (let piece = pieces.lastIn(some[k]); piece >= 0; piece = pieces.nextAfter(piece)) {
            this.#copyPiece(cached, piece, rows, isWritten);
          }
        }
        slots.unpin(cached, some);
      }
    } finally {
      pieces.release(pages);
    }
  }

  /** Copies a piece. Only its first page is sure to be in the cache. */
  #copyPiece(cached: CachedFile, piece: number, rows: Int32Array, isWritten: boolean): void {
    const [slots, pieces] = [this.#slots, this.#pieces];
    const perPage = slots.bytesOfPage / 4;
    const [first, place, count] = [pieces.firstOf(piece), pieces.placeOf(piece), pieces.countOf(piece)];
    for (let done = 0; done < count;) {
      const page = Math.floor((first + done) / perPage);
      const within = first + done - page * perPage;
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

/** A loop is faster than `set` for so few numbers. */
const longRun = 64;

function copyWords(source: Int32Array, from: number, target: Int32Array, to: number, count: number): void {
  if (count > longRun) target.set(source.subarray(from, from + count), to);
  else for (let k = 0; k < count; k++) target[to + k] = source[from + k];
}
