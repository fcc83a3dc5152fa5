/** The errors and gaps of a run, thinned out as they grow, so that a long run costs no more than a short one. */

import type { Frame } from '../protocol.ts';

/** At twice this length, every second entry is dropped. */
const enough = 400;

export class History {
  readonly seconds: number[] = [];
  readonly gaps: number[] = [];
  readonly errors: number[][] = [];
  /** The number of frames skipped for each one kept. */
  #stride = 1;
  #seen = 0;

  add({ seconds, gap, errors }: Frame): void {
    const last = this.seconds[this.seconds.length - 1];
    if (last !== undefined && seconds <= last) return; // shown again without learning
    if (this.#seen++ % this.#stride !== 0) return;
    this.seconds.push(seconds);
    this.gaps.push(gap);
    for (const [k, error] of errors.entries()) (this.errors[k] ??= []).push(error);
    if (this.seconds.length >= 2 * enough) this.#halve();
  }

  #halve(): void {
    for (const list of [this.seconds, this.gaps, ...this.errors]) {
      const kept = list.filter((_, i) => i % 2 === 0);
      list.splice(0, list.length, ...kept);
    }
    this.#stride *= 2;
  }
}
