/** How do the SIMD kernels reach arrays? Those in their memory by address; others through a copy that lasts one call. */

import type { KernelMemory } from './memory.ts';

export type AnyArray = Float32Array | Float64Array | Int32Array;

export class Stage {
  readonly memory: KernelMemory;
  readonly #buffer: ArrayBufferLike;
  readonly #guests: AnyArray[] = [];
  readonly #addresses: number[] = [];

  constructor(memory: KernelMemory) {
    this.memory = memory;
    this.#buffer = memory.buffer;
  }

  /** `admit` for kernels on Float32 alone: false as well if any of the arrays is Float64. */
  open(a: AnyArray, b?: AnyArray | null, c?: AnyArray | null, d?: AnyArray | null, e?: AnyArray | null): boolean {
    const doubles = isDouble(a) || isDouble(b) || isDouble(c) || isDouble(d) || isDouble(e);
    return !doubles && this.admit(a, b, c, d, e);
  }

  /** Makes every array reachable; false if the memory has no room for a copy. Then the plain twin has to do the work. */
  admit(
    a: AnyArray,
    b?: AnyArray | null,
    c?: AnyArray | null,
    d?: AnyArray | null,
    e?: AnyArray | null,
    f?: AnyArray | null,
  ): boolean {
    if (this.#guests.length > 0) this.#release(); // a call before this one ended in an exception
    return this.#admit(a) && this.#admit(b) && this.#admit(c) && this.#admit(d) && this.#admit(e) && this.#admit(f);
  }

  /** `admit` for any number of arrays. */
  admitAll(arrays: readonly AnyArray[]): boolean {
    if (this.#guests.length > 0) this.#release();
    for (let k = 0; k < arrays.length; k++) if (!this.#admit(arrays[k])) return false;
    return true;
  }

  /** The address of an opened array. */
  at(array: AnyArray): number {
    const address = this.memory.addresses.get(array);
    if (address !== undefined) return address;
    if (this.#guests.length === 0) return array.byteOffset;
    const guest = this.#guests.indexOf(array);
    return guest < 0 ? array.byteOffset : this.#addresses[guest];
  }

  /** Copies results back to arrays from elsewhere and gives up their room. */
  close(out?: AnyArray, out2?: AnyArray, out3?: AnyArray): void {
    if (this.#guests.length === 0) return;
    for (const array of [out, out2, out3]) {
      const guest = array ? this.#guests.indexOf(array) : -1;
      if (guest >= 0) array!.set(this.#copyOf(guest) as never);
    }
    this.#release();
  }

  #admit(array: AnyArray | null | undefined): boolean {
    if (!array || this.memory.addresses.has(array)) return true;
    if (array.buffer === this.#buffer || array.length === 0 || this.#guests.includes(array)) return true;
    const address = this.memory.take(array.byteLength);
    if (address < 0) {
      this.#release();
      return false;
    }
    this.#addresses[this.#guests.push(array) - 1] = address;
    this.#copyOf(this.#guests.length - 1).set(array as never);
    return true;
  }

  #copyOf(guest: number): AnyArray {
    const array = this.#guests[guest];
    const Type = array.constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => AnyArray;
    return new Type(this.#buffer, this.#addresses[guest], array.length);
  }

  #release(): void {
    for (const address of this.#addresses) this.memory.give(address);
    this.#guests.length = 0;
    this.#addresses.length = 0;
  }
}

function isDouble(array: AnyArray | null | undefined): array is Float64Array {
  return array instanceof Float64Array;
}

export function isSingle(array: AnyArray): array is Float32Array {
  return array instanceof Float32Array;
}
