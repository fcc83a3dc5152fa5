/** Curves that average several replicas, with a band for their spread. */

import type { Curve } from '../../charts/figure.ts';
import { deviation, mean, overReplicas } from './statistics.ts';

const bandCaptions = {
  range: 'band from the minimum to the maximum',
  deviation: 'band of one standard deviation',
} as const;

/** The caption of a curve, such as `Mean over 5 starts, band of one standard deviation`. */
export function replicaCurveCaption(count: number, spread: keyof typeof bandCaptions, unit = 'start'): string {
  return count === 1 ? `One ${unit}` : `Mean over ${count} ${unit}s, ${bandCaptions[spread]}`;
}

/** The mean of the lists, with a band from minimum to maximum or of one standard deviation. Default of x: 1, 2, 3, … */
export function replicaCurve(
  lists: readonly (readonly number[])[],
  spread: 'range' | 'deviation',
  x?: readonly number[],
): Curve {
  const y = overReplicas(lists, mean);
  const positions = x ?? y.map((_, i) => i + 1);
  if (spread === 'range') {
    const low = overReplicas(lists, (values) => Math.min(...values));
    return { x: positions, y, low, high: overReplicas(lists, (values) => Math.max(...values)) };
  }
  const deviations = overReplicas(lists, deviation);
  return {
    x: positions,
    y,
    low: y.map((value, i) => value - deviations[i]),
    high: y.map((value, i) => value + deviations[i]),
  };
}
