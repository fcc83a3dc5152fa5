/** Which stretches of an address range are free? Best fit, and neighbours that are both free become one. */

export class Blocks {
  /** Free stretches in ascending order, as [start, end) pairs in two arrays. */
  readonly #starts: number[];
  readonly #ends: number[];
  readonly #taken = new Map<number, number>();
  readonly #alignment: number;
  /** Nothing at or above this address has ever been taken. */
  highWater: number;

  constructor(start: number, end: number, alignment: number) {
    this.#starts = [start];
    this.#ends = [end];
    this.#alignment = alignment;
    this.highWater = start;
  }

  /** The address of `bytes` bytes, or −1 if no free stretch is that long. */
  take(bytes: number): number {
    const size = Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment;
    let best = -1;
    let slack = Infinity;
    for (let i = 0; i < this.#starts.length && slack > 0; i++) {
      const over = this.#ends[i] - this.#starts[i] - size;
      if (over >= 0 && over < slack) {
        best = i;
        slack = over;
      }
    }
    if (best < 0) return -1;
    const address = this.#starts[best];
    if (slack > 0) {
      this.#starts[best] += size;
    } else {
      this.#starts.splice(best, 1);
      this.#ends.splice(best, 1);
    }
    this.#taken.set(address, size);
    this.highWater = Math.max(this.highWater, address + size);
    return address;
  }

  /** Frees what `take` returned. */
  give(address: number): void {
    const size = this.#taken.get(address);
    if (size === undefined) throw new RangeError(`Blocks.give: nothing taken at ${address}.`);
    this.#taken.delete(address);
    const next = this.#starts.findIndex((start) => start > address);
    const at = next < 0 ? this.#starts.length : next;
    this.#starts.splice(at, 0, address);
    this.#ends.splice(at, 0, address + size);
    this.#join(at);
    this.#join(at - 1);
  }

  get freeBytes(): number {
    return this.#ends.reduce((sum, end, i) => sum + end - this.#starts[i], 0);
  }

  /** Makes one of stretch i and the next if nothing lies between. */
  #join(i: number): void {
    if (this.#ends[i] !== this.#starts[i + 1]) return;
    this.#ends.splice(i, 1);
    this.#starts.splice(i + 1, 1);
  }
}
