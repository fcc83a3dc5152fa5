/** How does a step that is repeated avoid new memory? It takes its buffers in the same order every time, and they are handed out again. */

import { type DataOf, type Precision, type Shape, type Tensor, zeros } from './tensor.ts';

interface Slot {
  /** Room for the largest tensor this slot has held. */
  storage: Tensor;
  tensor: Tensor;
}

/** Slack for slots whose tensors vary in size from step to step. */
const growth = 1.25;

export class Workspace {
  readonly #slots: Record<Precision, Slot[]> = { single: [], double: [] };
  readonly #used: Record<Precision, number> = { single: 0, double: 0 };

  /** A tensor of this shape that is yours until `reset`. What is in it is left over from before. */
  take<P extends Precision = 'single'>(shape: Shape, precision?: P): Tensor<DataOf<P>>;
  take(shape: Shape, precision: Precision = 'single'): Tensor {
    const slots = this.#slots[precision];
    const index = this.#used[precision]++;
    let slot = slots[index];
    if (slot && sameShape(slot.tensor.shape, shape)) return slot.tensor;
    const size = shape.reduce((a, b) => a * b, 1);
    if (!slot || slot.storage.size < size) {
      const storage = zeros([slot ? Math.ceil(size * growth) : size], precision);
      slot = slots[index] = { storage, tensor: storage };
    }
    slot.tensor = slot.storage.rowRange(0, size).reshape(shape);
    return slot.tensor;
  }

  /** Everything taken so far is free to be handed out again, in the same order. */
  reset(): void {
    this.#used.single = 0;
    this.#used.double = 0;
  }

  /** What the buffers hold together. */
  get bytes(): number {
    return [...this.#slots.single, ...this.#slots.double].reduce((sum, slot) => sum + slot.storage.data.byteLength, 0);
  }
}

export function sameShape(a: Shape, b: Shape): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
