/** How do lists of several replicas become one curve? Their mean, and how far they lie apart. */

import type { Course } from '../../charts/figure.ts';
import { deviation, mean, overReplicas } from './statistics.ts';

const words = { range: 'band from the least to the largest', deviation: 'band of one standard deviation' } as const;

/** What a curve shows, for the caption. */
export function courseWords(starts: number, apart: keyof typeof words, of = 'start'): string {
  return starts === 1 ? `One ${of}` : `Mean over ${starts} ${of}s, ${words[apart]}`;
}

/** From the least to the largest, or one standard deviation to either side; over 1, 2, 3, … unless x is given. */
export function courseOf(
  lists: readonly (readonly number[])[],
  apart: 'range' | 'deviation',
  x?: readonly number[],
): Course {
  const y = overReplicas(lists, mean);
  const places = x ?? y.map((_, i) => i + 1);
  if (apart === 'range') {
    const low = overReplicas(lists, (values) => Math.min(...values));
    return { x: places, y, low, high: overReplicas(lists, (values) => Math.max(...values)) };
  }
  const width = overReplicas(lists, deviation);
  return {
    x: places,
    y,
    low: y.map((value, i) => value - width[i]),
    high: y.map((value, i) => value + width[i]),
  };
}
