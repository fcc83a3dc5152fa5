/** The null space of a graph's Laplacian, which its components span. */

import type { AffinityGraph } from './hierarchy/finest.ts';

/**
 * The first `count` orthonormal vectors of the null space of M^-½LM^-½: M^½ times functions that are constant on every
 * component. The first is M^½ times the constant. They are exact up to rounding: a reflection maps the indicators, as an
 * orthonormal basis, to one that begins with the constant.
 */
export function nullVectors({ size, components }: AffinityGraph, mass: Float64Array, count: number): Float64Array[] {
  const volumes = new Float64Array(components.count);
  for (let i = 0; i < size; i++) volumes[components.labels[i]] += mass[i];
  const volume = volumes.reduce((sum, part) => sum + part, 0);
  // The mirror vector of the reflection that exchanges the first axis and the unit vector `axis`, up to sign.
  const axis = volumes.map((part) => Math.sqrt(part / volume));
  const mirror = axis.slice();
  mirror[0] += 1;
  const square = mirror.reduce((sum, x) => sum + x * x, 0);
  return Array.from({ length: count }, (_, k) => {
    const heights = volumes.map((part, c) => {
      const entry = (c === k ? 1 : 0) - (2 * mirror[c] * mirror[k]) / square;
      return (k === 0 ? -entry : entry) / Math.sqrt(part);
    });
    return mass.map((m, i) => heights[components.labels[i]] * Math.sqrt(m));
  });
}
