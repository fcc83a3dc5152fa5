/** How does a step that is repeated avoid new memory? It takes its buffers in the same order every time, and they are handed out again. */

import { checkChoice } from '../core/check.ts';
import { allocator } from '../kernels/table.ts';
import { prepareKernels } from '../wasm/simd.ts';
import { type DataOf, type Precision, type Shape, type Tensor, zeros } from './tensor.ts';

interface Slot {
  /** Room for the largest tensor this slot has held. */
  storage: Tensor;
  tensor: Tensor;
}

/** Slack for slots whose tensors vary in size from step to step. */
const growth = 1.25;

/** Buffers of a step that is repeated: taken in the same order every time, and handed out again after `reset`. */
export class Workspace {
  readonly #slots: Record<Precision, Slot[]> = { single: [], double: [] };
  readonly #used: Record<Precision, number> = { single: 0, double: 0 };
  readonly #lists: Int32Array[] = [];
  #usedLists = 0;

  /** A tensor of this shape that is yours until `reset`. What is in it is left over from before. */
  take<P extends Precision = 'single'>(shape: Shape, precision?: P): Tensor<DataOf<P>>;
  take(shape: Shape, precision: Precision = 'single'): Tensor {
    checkChoice('Workspace.take', 'precision', precision, ['single', 'double']);
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

  /** A copy of a list of indices, yours until `reset`: what the caller does to the list afterwards does not matter. */
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

  /** Everything taken so far is free to be handed out again, in the same order. */
  reset(): void {
    this.#used.single = 0;
    this.#used.double = 0;
    this.#usedLists = 0;
  }

  /** What the buffers hold together. */
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
