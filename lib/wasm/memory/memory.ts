/** The memory of the kernels' buffers: one WebAssembly memory of fixed size, so that views on it are never detached. */

import { allocatorOf, type ArrayType } from '../../kernels/table.ts';
import { Blocks } from './blocks.ts';

/** Constants and scratch at the bottom of the memory, in bytes. */
export const layout = {
  /** 256 zero bytes, never written. */
  zeros: 0,
  /** 1 as a Float32 and as a Float64. */
  one: 256,
  one64: 264,
  /** Room for a mask: three numbers of 64 bits, which become all ones when they are first needed, then four zeros. */
  mask: 320,
  heap: 512,
} as const;

/** The address of Float64 weights, and the bytes between two: ones where there are none, at address 0. */
export function weightsAt(address: number): readonly [address: number, step: number] {
  return address ? [address, 8] : [layout.one64, 0];
}

const pageBytes = 65536;
/**
 * Sizes to try, in pages: untouched pages cost nothing, so 4 GiB of addresses where memory is shared. The engine counts memory
 * that is not shared as future garbage, so 1 GiB is the most there. Smaller sizes are for machines that refuse these.
 */
const sizes = [65536, 16384, 4096, 1024];
/** Kernels may read, never use, up to this many bytes beyond the end of an array. */
const guardBytes = 128;
const alignment = 64;
/**
 * The limit on allocations that the garbage collector has not freed yet. For the engine, an array here is a view of a few bytes
 * and not of megabytes, so it would let garbage pile up. Beyond the limit, arrays come from the heap of the engine, which makes
 * it collect.
 */
const mostBytes = 2 ** 30;
const mostArrays = 20_000;
/**
 * Arrays of at least this many bytes are probably no garbage, and kernels would copy them in every call. They may take the limit once
 * more. A buffer on the heap that nobody writes to then makes the engine collect.
 */
const largeBytes = 2 ** 22;

export class KernelMemory {
  readonly memory: WebAssembly.Memory;
  readonly pages: number;
  readonly shared: boolean;
  readonly buffer: ArrayBufferLike;
  /** The whole memory as integers. */
  readonly int32: Int32Array;
  /** Zeroed arrays in this memory, or on the heap once it is full or the budget spent; blocks come back by garbage collection. */
  readonly allocator = allocatorOf((Type, length) => this.#make(Type, length));
  /** The addresses of the arrays made here. A lookup is cheaper than asking an array for its buffer and its offset. */
  readonly addresses = new WeakMap<object, number>();
  readonly #blocks: Blocks;
  /** Frees a block when the array that was made on it is gone. */
  readonly #finalizer = new FinalizationRegistry<number>((address) => {
    this.#blocks.give(address);
    this.#bytes = this.#arrays = 0;
  });
  /** `mostBytes`, or less where memory is scarce. */
  mostGarbage = mostBytes;
  /** Handed out since the collector last freed something. */
  #bytes = 0;
  #arrays = 0;
  #scratch = -1;
  #scratchBytes = 0;

  constructor(sizesInPages?: readonly number[]) {
    // Sharing needs cross-origin isolation in browsers; there and only there it is forbidden.
    this.shared = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;
    [this.memory, this.pages] = reserve(sizesInPages ?? sizes.slice(this.shared ? 0 : 1), this.shared);
    this.buffer = this.memory.buffer;
    this.int32 = new Int32Array(this.buffer);
    this.#blocks = new Blocks(layout.heap, this.pages * pageBytes - guardBytes, alignment);
    new Float32Array(this.buffer, layout.one, 1).fill(1);
    new Float64Array(this.buffer, layout.one64, 1).fill(1);
  }

  /** The address of scratch memory of at least this many bytes, for one kernel call. −1 if there is no room. */
  scratch(bytes: number): number {
    if (bytes > this.#scratchBytes) {
      if (this.#scratch >= 0) this.#blocks.give(this.#scratch);
      this.#scratch = this.#blocks.take(bytes);
      this.#scratchBytes = this.#scratch < 0 ? 0 : bytes;
    }
    return this.#scratch;
  }

  /** The address of a block that the garbage collector does not free, or −1. */
  take(bytes: number): number {
    return this.#blocks.take(bytes);
  }

  give(address: number): void {
    this.#blocks.give(address);
  }

  /** The first entry of a CSR row, whose matrix has its starts at this address. */
  firstEntry(starts: number, row: number): number {
    return this.int32[starts / 4 + row];
  }

  /** How many entries the first rows of a CSR matrix have, whose starts are at this address. */
  entries(starts: number, rows: number): number {
    return this.firstEntry(starts, rows) - this.firstEntry(starts, 0);
  }

  /** Memory above the high-water mark has never been written, so only the part below is cleared. */
  #make<T extends object>(Type: ArrayType<T>, length: number): T {
    const bytes = length * Type.BYTES_PER_ELEMENT;
    const fresh = this.#blocks.highWater;
    const excess = this.#bytes + bytes - this.mostGarbage;
    const affordable = bytes > 0 && excess <= (bytes < largeBytes ? 0 : this.mostGarbage) && this.#arrays < mostArrays;
    const address = affordable ? this.#blocks.take(bytes) : -1;
    if (address < 0) return new Type(length);
    if (excess > 0) void new ArrayBuffer(bytes);
    this.#bytes += bytes;
    this.#arrays++;
    // Blocks are whole cache lines, and eight bytes are cleared as fast as one.
    if (address < fresh)
      new Float64Array(this.buffer, address, Math.ceil(Math.min(bytes, fresh - address) / 8)).fill(0);
    const array = new Type(this.buffer, address, length);
    this.#finalizer.register(array, address);
    this.addresses.set(array, address);
    return array;
  }
}

function reserve(sizesInPages: readonly number[], shared: boolean): [WebAssembly.Memory, number] {
  let refusal: unknown;
  for (const pages of sizesInPages) {
    try {
      return [new WebAssembly.Memory({ initial: pages, maximum: pages, shared }), pages];
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}
