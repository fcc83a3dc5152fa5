/** A simulation of what one thread finds in its caches and in its branch predictor: no timing, only counts. */

export const lineBytes = 64;

/** A cache of lines, set-associative; the line that was not used for the longest time leaves. */
export class Cache {
  readonly #ways: number;
  readonly #sets: number;
  /** The lines of a set, the last used one first; −1 where there is none. */
  readonly #lines: Int32Array;

  /** `bytes` over `ways` lines is a power of two. */
  constructor(bytes: number, ways: number) {
    this.#ways = ways;
    this.#sets = bytes / lineBytes / ways;
    this.#lines = new Int32Array(this.#sets * ways).fill(-1);
  }

  has(line: number): boolean {
    const first = (line & (this.#sets - 1)) * this.#ways;
    for (let k = first; k < first + this.#ways; k++) if (this.#lines[k] === line) return true;
    return false;
  }

  /** Uses a line, and returns whether it was there. */
  use(line: number): boolean {
    const lines = this.#lines;
    const first = (line & (this.#sets - 1)) * this.#ways;
    const last = first + this.#ways - 1;
    let at = first;
    while (at < last && lines[at] !== line) at++;
    const isThere = lines[at] === line;
    for (; at > first; at--) lines[at] = lines[at - 1];
    lines[first] = line;
    return isThere;
  }
}

/** A branch predictor: two-bit counters, found by the branch and the last outcomes of all branches (gshare). */
export class Predictor {
  readonly #counters: Uint8Array;
  readonly #bits: number;
  #history = 0;
  mispredicted = 0;

  constructor(bits: number) {
    this.#bits = bits;
    this.#counters = new Uint8Array(2 ** bits).fill(1);
  }

  branch(place: number, isTaken: boolean): void {
    const mask = 2 ** this.#bits - 1;
    const at = ((place * 0x9e3779b1) ^ this.#history) & mask;
    const counter = this.#counters[at];
    if (counter >= 2 !== isTaken) this.mispredicted++;
    this.#counters[at] = isTaken ? Math.min(3, counter + 1) : Math.max(0, counter - 1);
    this.#history = ((this.#history << 1) | Number(isTaken)) & mask;
  }
}
