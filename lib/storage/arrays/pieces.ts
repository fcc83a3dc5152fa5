/** `Pieces`: parts of a file that a batch needs, sorted by the page in which they begin. */

export class Pieces {
  /** For each piece its first word in the file, its place in memory and its length, in words. */
  #firsts = new Float64Array(64);
  #places = new Int32Array(64);
  #counts = new Int32Array(64);
  /** The next piece of the same page, −1 for none. */
  #next = new Int32Array(64);
  /** For each page of the file its last piece, −1 for none; −1 everywhere between calls. */
  #last = new Int32Array(0);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
  }

  add(first: number, place: number, count: number): void {
    const piece = this.#count;
    if (piece === this.#firsts.length) this.#grow();
    this.#firsts[piece] = first;
    this.#places[piece] = place;
    this.#counts[piece] = count;
    this.#count++;
  }

  firstOf(piece: number): number {
    return this.#firsts[piece];
  }

  placeOf(piece: number): number {
    return this.#places[piece];
  }

  countOf(piece: number): number {
    return this.#counts[piece];
  }

  /** All pages of the pieces, ascending, of a file with `pages` pages. Call `release` after use. */
  sortedPages(perPage: number, pages: number): Int32Array {
    if (this.#last.length < pages) this.#last = new Int32Array(pages).fill(none);
    const last = this.#last;
    const needed: number[] = [];
    for (let piece = 0; piece < this.#count; piece++) {
      const page = Math.floor(this.#firsts[piece] / perPage);
      const end = Math.floor((this.#firsts[piece] + this.#counts[piece] - 1) / perPage);
      this.#next[piece] = last[page] === needless ? none : last[page];
      if (last[page] === none) needed.push(page);
      last[page] = piece;
      for (let further = page + 1; further <= end; further++) {
        if (last[further] !== none) continue;
        last[further] = needless;
        needed.push(further);
      }
    }
    return Int32Array.from(needed).toSorted();
  }

  /** A piece that begins in the page, −1 for none. */
  lastIn(page: number): number {
    return Math.max(none, this.#last[page]);
  }

  /** Another piece that begins in the same page, −1 for none. */
  nextAfter(piece: number): number {
    return this.#next[piece];
  }

  release(pages: Int32Array): void {
    for (let k = 0; k < pages.length; k++) this.#last[pages[k]] = none;
    this.#count = 0;
  }

  #grow(): void {
    const length = 2 * this.#firsts.length;
    const larger = <T extends Float64Array | Int32Array>(old: T, fresh: T): T => {
      fresh.set(old);
      return fresh;
    };
    this.#firsts = larger(this.#firsts, new Float64Array(length));
    this.#places = larger(this.#places, new Int32Array(length));
    this.#counts = larger(this.#counts, new Int32Array(length));
    this.#next = new Int32Array(length);
  }
}

const none = -1;
/** A page in which pieces end, but none begins. */
const needless = -2;
