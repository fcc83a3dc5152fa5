/** Who does the work of a kernel? The caller alone, or with threads that somebody brought. */

import type { Routine } from '../simd/module.ts';

export interface Crew {
  /** How many take part, the caller counted. */
  readonly count: number;
  /** The routine, or a stand-in whose calls are made by `finish` at the latest, in any order and by anyone. */
  later(routine: Routine): Routine;
  /** Others may begin with what is noted, while the caller does something else. */
  begin(): void;
  finish(): void;
}

/** Asked by kernels: who does so much work? */
export type Share = (flops: number) => Crew;

export const alone: Crew = { count: 1, later: (routine) => routine, begin() {}, finish() {} };

/** Parts of `items`, a few for each of several, so that nobody waits long for the last; one part for the caller alone. */
export function strip(items: number, { count }: Crew): number {
  return Math.max(1, count > 1 ? Math.ceil(items / (8 * count)) : items);
}
