/** `Workspace`: buffers for a step that is repeated, so that it allocates no new memory. */

import { checkChoice } from '../core/check.ts';
import { allocator } from '../kernels/table.ts';
import { prepareKernels } from '../wasm/simd.ts';
import { type DataOf, type Precision, precisions, type Shape, type Tensor, zeros } from './tensor.ts';

interface Slot {
  /** Storage for the largest tensor this slot has held so far. */
  storage: Tensor;
  tensor: Tensor;
}

/** Replaced storage is larger than needed by this factor, since sizes vary from step to step. */
const growth = 1.25;

/** Buffers of a repeated step, which takes them in the same order every time. After `reset` they are handed out again. */
export class Workspace {
  readonly #slots: Record<Precision, Slot[]> = { single: [], double: [] };
  readonly #used: Record<Precision, number> = { single: 0, double: 0 };
  readonly #lists: Int32Array[] = [];
  #usedLists = 0;

  /** A tensor of this shape, reserved for the caller until `reset`. Its contents are left over from its last use. */
  take<P extends Precision = 'single'>(shape: Shape, precision?: P): Tensor<DataOf<P>>;
  take(shape: Shape, precision: Precision = 'single'): Tensor {
    checkChoice('Workspace.take', 'precision', precision, precisions);
    const slots = this.#slots[precision];
    const index = this.#used[precision];
    let slot = slots[index];
    if (!slot || !sameShape(slot.tensor.shape, shape)) {
      const size = shape.reduce((a, b) => a * b, 1);
      const fits = slot !== undefined && slot.storage.size >= size;
      const storage = fits ? slot.storage : zeros([slot ? Math.ceil(size * growth) : size], precision);
      slot = slots[index] = { storage, tensor: storage.rowRange(0, size).reshape(shape) };
    }
    this.#used[precision]++;
    return slot.tensor;
  }

  /** A copy of a list of indices, reserved for the caller until `reset`. The caller may change the list afterwards. */
  keep(list: Int32Array): Int32Array {
    let storage = this.#lists[this.#usedLists];
    if (!storage || storage.length < list.length) {
      prepareKernels();
      storage = this.#lists[this.#usedLists] = allocator.int32(Math.ceil(list.length * growth));
    }
    this.#usedLists++;
    const copy = storage.subarray(0, list.length);
    copy.set(list);
    return copy;
  }

  /** Releases all buffers, to be handed out again in the same order. */
  reset(): void {
    this.#used.single = 0;
    this.#used.double = 0;
    this.#usedLists = 0;
  }

  /** The total size of the buffers. */
  get bytes(): number {
    const tensors = [...this.#slots.single, ...this.#slots.double].map(({ storage }) => storage.data);
    return [...tensors, ...this.#lists].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}

export function sameShape(a: Shape, b: Shape): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
