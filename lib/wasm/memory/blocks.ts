/** The free blocks of an address range. Allocation is best fit, and adjacent free blocks are merged. */

import { firstAtLeast } from '../../core/search.ts';
import { NumberMap } from './number-map.ts';

/**
 * Stretches are found by their length and by either end, never by a scan: after a garbage collection there are tens of
 * thousands. `take` and `give` take a few steps, and at worst as many more as there are different lengths.
 */
export class Blocks {
  /** The ends of free blocks by their starts, and their starts by their ends. */
  readonly #ends = new NumberMap<number>();
  readonly #starts = new NumberMap<number>();
  /** The free blocks of each length, in no order; the index of each block in its list; and the lengths, ascending. */
  readonly #ofLength = new NumberMap<number[]>();
  readonly #places = new NumberMap<number>();
  readonly #lengths: number[] = [];
  readonly #taken = new NumberMap<number>();
  readonly #alignment: number;
  /** Everything from here to the end is free. That block is in none of the tables, because it changes most often. */
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
    const alike = this.#ofLength.get(this.#lengths[this.#rankOf(size)]);
    let address = this.#top;
    if (alike) {
      address = alike[alike.length - 1];
      const end = this.#ends.get(address)!;
      this.#remove(address, end);
      if (end > address + size) this.#add(address + size, end);
    } else if (address + size > this.#end) return -1;
    else this.#top += size;
    this.#taken.set(address, size);
    this.highWater = Math.max(this.highWater, address + size);
    return address;
  }

  /** Frees what `take` returned. */
  give(address: number): void {
    const size = this.#taken.get(address);
    if (size === undefined) throw new RangeError(`Blocks.give: nothing taken at ${address}.`);
    this.#taken.delete(address);
    const start = this.#starts.get(address) ?? address;
    if (start < address) this.#remove(start, address);
    if (address + size === this.#top) {
      this.#top = start;
      return;
    }
    const end = this.#ends.get(address + size) ?? address + size;
    if (end > address + size) this.#remove(address + size, end);
    this.#add(start, end);
  }

  #add(start: number, end: number): void {
    const length = end - start;
    this.#ends.set(start, end);
    this.#starts.set(end, start);
    const alike = this.#ofLength.get(length);
    if (!alike) this.#lengths.splice(this.#rankOf(length), 0, length);
    this.#places.set(start, alike?.length ?? 0);
    if (alike) alike.push(start);
    else this.#ofLength.set(length, [start]);
  }

  #remove(start: number, end: number): void {
    const length = end - start;
    this.#ends.delete(start);
    this.#starts.delete(end);
    const alike = this.#ofLength.get(length)!;
    const place = this.#places.get(start)!;
    const last = alike.pop()!;
    this.#places.delete(start);
    if (last !== start) {
      alike[place] = last;
      this.#places.set(last, place);
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
