/** The order of batches. An epoch has ⌈n/b⌉ of them, or one less where a small rest joins the last one. */

import type { Random } from '../../core/random.ts';
import { everyIndex } from '../../sparse/indices.ts';

/** shuffled: every row once, in an order drawn for each epoch. cyclic: every row once, in order. random: drawn one by one. */
export const batchOrders = ['shuffled', 'cyclic', 'random'] as const;

/** Every row once an epoch, shuffled or in order ('cyclic'), or batches drawn one by one ('random'). */
export type BatchOrder = (typeof batchOrders)[number];

/**
 * The batches of one epoch, as views that hold until the next one. A batch of all rows is always in order, and a rest of
 * fewer than `least` rows joins the batch before it.
 */
export function* batchesOf(
  size: number,
  batch: number,
  kind: BatchOrder,
  random: Random,
  least = 1,
): Generator<Int32Array, void> {
  // Each epoch begins from the same list, so that the generator's position is all there is to remember.
  const order = everyIndex(size);
  if (batch >= size) return yield order;
  if (kind === 'shuffled') random.shuffle(order);
  for (let from = 0, to = 0; from < size; from = to) {
    to = size - from < batch + least ? size : from + batch;
    if (kind === 'random') {
      random.bringToFront(order, batch);
      yield order.subarray(0, batch);
    } else yield order.subarray(from, to);
  }
}
