/** `ArrayGarbage`: arrays that nobody uses any more are collected before they exceed a limit. */

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A look takes 10 µs, so there is at most one in this time. */
const lookMilliseconds = 2;

/** The arrays outside of the engine's heap that it has not collected yet. */
export class ArrayGarbage {
  readonly #most: number;
  readonly #collect = findCollector();
  /** The bytes of arrays after the last collection, or the fewest since then. What exceeds them may be garbage. */
  #kept = 0;
  #looked = -Infinity;

  /** Collects all garbage that there is, and later garbage once there are more than `most` bytes of it. */
  constructor(most: number) {
    this.#most = most;
    this.#collectAll();
  }

  /** Collects garbage if there may be more than the most. */
  collectExcess(): void {
    const now = performance.now();
    if (now < this.#looked + lookMilliseconds) return;
    this.#looked = now;
    const held = arrayBytes();
    this.#kept = Math.min(this.#kept, held);
    if (held - this.#kept > this.#most) this.#collectAll();
  }

  #collectAll(): void {
    this.#collect();
    this.#kept = arrayBytes();
  }
}

function arrayBytes(): number {
  return getHeapStatistics().external_memory;
}

/** The collector of the engine, which Node offers to those who ask for it. Other engines have none, and collect when they please. */
function findCollector(): () => void {
  try {
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('globalThis.gc');
    if (typeof found === 'function') return found as () => void;
  } catch {
    // The engine does not know the flag.
  }
  return () => undefined;
}
