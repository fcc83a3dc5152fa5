/** The free blocks of an address range. Allocation is best fit, and adjacent free blocks are merged. */

import { firstAtLeast } from '../../core/search.ts';

/** A free stretch, and its index among those of the same length. */
interface Free {
  readonly start: number;
  readonly end: number;
  place: number;
}

/**
 * Stretches are found by their length and by either end, never by a scan: after a garbage collection there are tens of
 * thousands. `take` and `give` take a few steps, and at worst as many more as there are different lengths.
 */
export class Blocks {
  /** The free blocks by their starts, by their ends, and by their lengths, in no order; and the lengths, ascending. */
  #byStart = new Map<number, Free>();
  #byEnd = new Map<number, Free>();
  readonly #ofLength = new Map<number, Free[]>();
  readonly #lengths: number[] = [];
  /** The sizes of what is taken. */
  #taken = new Map<number, number>();
  /** How often `give` was called since the maps were copied. */
  #given = 0;
  readonly #alignment: number;
  /** Everything from here to the end is free. That block is in none of the maps, because it changes most often. */
  #top: number;
  readonly #end: number;
  /** Nothing at or above this address has ever been taken. */
  highWater: number;

  constructor(start: number, end: number, alignment: number) {
    this.#alignment = alignment;
    this.highWater = this.#top = start;
    this.#end = end;
  }

  /** The address of `bytes` bytes, or −1 if no free stretch is that long. */
  take(bytes: number): number {
    const size = Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment;
    const block = this.#ofLength.get(this.#lengths[this.#rankOf(size)])?.at(-1);
    const address = block?.start ?? this.#top;
    if (block) {
      this.#remove(block);
      if (block.end > address + size) this.#add(address + size, block.end);
    } else if (address + size > this.#end) return -1;
    else this.#top += size;
    this.#taken.set(address, size);
    this.highWater = Math.max(this.highWater, this.#top);
    return address;
  }

  /** Frees what `take` returned. */
  give(address: number): void {
    const size = this.#taken.get(address);
    if (size === undefined) throw new RangeError(`Blocks.give: nothing taken at ${address}.`);
    this.#taken.delete(address);
    this.#copyMaps();
    const before = this.#byEnd.get(address);
    const start = before?.start ?? address;
    if (before) this.#remove(before);
    const after = this.#byStart.get(address + size);
    if (after) this.#remove(after);
    if (address + size === this.#top) this.#top = start;
    else this.#add(start, after?.end ?? address + size);
  }

  /**
   * A `Map` keeps deleted keys in its chains until it is rebuilt. Where a few addresses come and go beside many that stay, the chains
   * would grow to thousands of keys, and every operation walks along one. A copy has none of them. There are few
   * different lengths.
   */
  #copyMaps(): void {
    if (++this.#given < 64 + (this.#taken.size + this.#byEnd.size) / 16) return;
    this.#byStart = new Map(this.#byStart);
    this.#byEnd = new Map(this.#byEnd);
    this.#taken = new Map(this.#taken);
    this.#given = 0;
  }

  #add(start: number, end: number): void {
    const length = end - start;
    const alike = this.#ofLength.get(length) ?? [];
    if (alike.length === 0) this.#lengths.splice(this.#rankOf(length), 0, length);
    this.#ofLength.set(length, alike);
    const block = { start, end, place: alike.length };
    alike.push(block);
    this.#byStart.set(start, block);
    this.#byEnd.set(end, block);
  }

  #remove({ start, end, place }: Free): void {
    const length = end - start;
    this.#byStart.delete(start);
    this.#byEnd.delete(end);
    const alike = this.#ofLength.get(length)!;
    const last = alike.pop()!;
    if (place < alike.length) {
      alike[place] = last;
      last.place = place;
    }
    if (alike.length > 0) return;
    this.#ofLength.delete(length);
    this.#lengths.splice(this.#rankOf(length), 1);
  }

  /** How many of the lengths are below this one. */
  #rankOf(length: number): number {
    return firstAtLeast(this.#lengths, length);
  }
}
