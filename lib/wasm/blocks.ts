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
    if (size === undefined) throw new RangeError(`Blocks.give: nothing was taken at ${address}.`);
    this.#taken.delete(address);
    const end = address + size;
    const at = this.#firstAfter(address);
    const joinsLeft = at > 0 && this.#ends[at - 1] === address;
    const joinsRight = at < this.#starts.length && this.#starts[at] === end;
    if (joinsLeft && joinsRight) {
      this.#ends[at - 1] = this.#ends[at];
      this.#starts.splice(at, 1);
      this.#ends.splice(at, 1);
    } else if (joinsLeft) {
      this.#ends[at - 1] = end;
    } else if (joinsRight) {
      this.#starts[at] = address;
    } else {
      this.#starts.splice(at, 0, address);
      this.#ends.splice(at, 0, end);
    }
  }

  get freeBytes(): number {
    return this.#ends.reduce((sum, end, i) => sum + end - this.#starts[i], 0);
  }

  #firstAfter(address: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
