/** The exact density of the moons, by quadrature along the arc, accurate nearly to rounding. */

import { badValue } from '../lib/core/check.ts';
import { checkOptions, type Rules } from '../lib/core/options.ts';
import { type Arc, moonNoise, oneMoonArcs, twoMoonsArcs } from './moons.ts';

/** A density on the plane, whose integral is 1. */
export type Density = (x: number, y: number) => number;

/** The noise of the density. */
export interface DensityOptions {
  /** Must be positive, since a curve without noise has no density in the plane. Default: that of the draw. */
  readonly noise?: number;
}

const rules: Rules<DensityOptions> = { noise: 'number' };

/** The density that the points of `oneMoon` are drawn from. */
export function oneMoonDensity(options: DensityOptions = {}): Density {
  checkOptions('oneMoonDensity', options, rules);
  const { noise = moonNoise.oneMoon } = options;
  return densityAround('oneMoonDensity', oneMoonArcs, noise);
}

/** The density that the points of `twoMoons` are drawn from: the mean of the densities of both moons. */
export function twoMoonsDensity(options: DensityOptions = {}): Density {
  checkOptions('twoMoonsDensity', options, rules);
  const { noise = moonNoise.twoMoons } = options;
  return densityAround('twoMoonsDensity', twoMoonsArcs, noise);
}

function densityAround(caller: string, arcs: readonly Arc[], noise: number): Density {
  if (!Number.isFinite(noise) || noise <= 0) {
    throw badValue(caller, 'noise to be a positive number', noise, 'Without noise the points lie on a curve.');
  }
  return (x, y) => {
    let sum = 0;
    for (const { sign, x: left, y: below } of arcs) sum += arcDensity(sign * (x - left), sign * (y - below), noise);
    return sum / arcs.length;
  };
}

/** Where the exponent has dropped by more than this, the integrand contributes less than half a unit in the last place. */
const negligible = 40;

/**
 * The density of (cos η, sin η) + ξ. With polar coordinates r, φ of the point and κ = r/s²,
 *   p = exp(−(r − 1)²/2s²) / (2π²s²) · ∫ exp(−κ(1 − cos θ)) dθ over θ = η − φ from −φ to π − φ,
 * an incomplete Bessel integral without a closed form.
 */
function arcDensity(x: number, y: number, noise: number): number {
  const radius = Math.hypot(x, y);
  const variance = noise * noise;
  const offArc = (radius - 1) ** 2 / (2 * variance);
  const kappa = radius / variance;
  const angle = Math.atan2(y, x);
  // The integrand is even and 2π-periodic and decreases on both sides of θ = 0. The pieces stay within [0, π].
  const integral =
    angle >= 0
      ? integrateDecreasing(kappa, 0, Math.PI - angle, offArc) + integrateDecreasing(kappa, 0, angle, offArc)
      : integrateDecreasing(kappa, -angle, Math.PI, offArc) +
        integrateDecreasing(kappa, Math.PI + angle, Math.PI, offArc);
  return integral / (2 * Math.PI * Math.PI * variance);
}

/** ∫ exp(−shift − κ(1 − cos θ)) dθ over from ≤ θ ≤ to within [0, π], where it decreases; truncated where it is negligible. */
function integrateDecreasing(kappa: number, from: number, to: number, shift: number): number {
  const start = 2 * Math.sin(from / 2) ** 2;
  const reach = (start + negligible / kappa) / 2;
  const end = reach < 1 ? Math.min(to, 2 * Math.asin(Math.sqrt(reach))) : to;
  const half = (end - from) / 2;
  let sum = 0;
  for (let k = 0; k < nodes.length; k++) {
    const sine = Math.sin((from + half * (1 + nodes[k])) / 2);
    sum += weights[k] * Math.exp(-shift - 2 * kappa * sine * sine);
  }
  return half * sum;
}

/** With 32 nodes the relative error is 1e-15 for exponential or normal curves that drop by exp(−40) over the interval. */
const { nodes, weights } = gaussLegendre(32);

/** Nodes and weights of Gauss-Legendre quadrature on [−1, 1]. Newton's method finds the zeros of the Legendre polynomial. */
function gaussLegendre(count: number): { nodes: Float64Array; weights: Float64Array } {
  const result = { nodes: new Float64Array(count), weights: new Float64Array(count) };
  for (let k = 0; k < count; k++) {
    let x = Math.cos((Math.PI * (k + 0.75)) / (count + 0.5));
    let slope = 0;
    for (let iteration = 0; iteration < 6; iteration++) {
      let previous = 1;
      let value = x;
      for (let degree = 2; degree <= count; degree++) {
        [previous, value] = [value, ((2 * degree - 1) * x * value - (degree - 1) * previous) / degree];
      }
      slope = (count * (x * value - previous)) / (x * x - 1);
      x -= value / slope;
    }
    result.nodes[k] = x;
    result.weights[k] = 2 / ((1 - x * x) * slope * slope);
  }
  return result;
}
