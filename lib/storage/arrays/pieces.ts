/** `Pieces`: parts of a file that a batch needs, by the page in which they begin. */

export class Pieces {
  /** For each piece where it begins within its page, its place in memory and its length, in words. */
  within = new Int32Array(64);
  places = new Int32Array(64);
  counts = new Int32Array(64);
  /** The next piece of the same page, −1 for none. */
  #next = new Int32Array(64);
  /** For each page of the file its last piece, −1 for none; −1 everywhere between calls. */
  #last = new Int32Array(0);
  /** The pages of all pieces. */
  #needed = new Int32Array(64);
  #pages = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Makes room for pieces of a file with `pages` pages. */
  begin(pages: number): void {
    if (this.#last.length < pages) this.#last = new Int32Array(pages).fill(none);
  }

  /** Adds `count` words from place `within` of a page on, which may end in a later page. */
  add(page: number, within: number, place: number, count: number, perPage: number): void {
    const piece = this.#count;
    if (piece === this.places.length) this.#grow();
    this.within[piece] = within;
    this.places[piece] = place;
    this.counts[piece] = count;
    const before = this.#last[page];
    if (before === none) this.#need(page);
    this.#next[piece] = before;
    this.#last[page] = piece;
    this.#count++;
    for (let end = within + count - perPage, further = page + 1; end > 0; end -= perPage, further++) {
      if (this.#last[further] !== none) continue;
      this.#need(further);
      this.#last[further] = needless;
    }
  }

  /** The pages of all pieces, ascending. Call `release` with them after use. */
  sortedPages(): Int32Array {
    return this.#needed.subarray(0, this.#pages).toSorted();
  }

  /** A piece that begins in the page, below 0 for none. */
  lastIn(page: number): number {
    return this.#last[page];
  }

  /** Another piece that begins in the same page, below 0 for none. */
  nextAfter(piece: number): number {
    return this.#next[piece];
  }

  release(pages: Int32Array): void {
    for (let k = 0; k < pages.length; k++) this.#last[pages[k]] = none;
    [this.#count, this.#pages] = [0, 0];
  }

  #need(page: number): void {
    if (this.#pages === this.#needed.length) this.#needed = longer(this.#needed);
    this.#needed[this.#pages++] = page;
  }

  #grow(): void {
    [this.within, this.places, this.counts, this.#next] = [this.within, this.places, this.counts, this.#next].map(
      longer,
    );
  }
}

function longer(old: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const fresh = new Int32Array(2 * old.length);
  fresh.set(old);
  return fresh;
}

const none = -1;
/** A page in which pieces end, but none begins. */
const needless = -2;
