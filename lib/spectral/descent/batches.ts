/** The batches of an epoch: ⌈n/b⌉, or one less if a small remainder joins the last one. */

import type { Random } from '../../core/random.ts';
import { everyIndex } from '../../sparse/indices.ts';

export const batchOrders = ['shuffled', 'cyclic', 'random'] as const;

/** Every row once an epoch, shuffled or in order ('cyclic'), or batches drawn one by one ('random'). */
export type BatchOrder = (typeof batchOrders)[number];

/**
 * The batches of one epoch, each a part of one list, valid until the next one. A batch of all rows is always in order. A remainder
 * of fewer than `least` rows joins the batch before it.
 */
export function* batchesOf(
  size: number,
  batch: number,
  kind: BatchOrder,
  random: Random,
  least = 1,
): Generator<Int32Array, void> {
  // Each epoch starts from the same list, so that the state of the random generator determines the order.
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
