/** How densely do the moons' points lie? The law's exact density, by quadrature along the arc to near rounding. */

import { badValue } from '../lib/core/check.ts';
import { type Arc, moonNoise, oneMoonArcs, twoMoonsArcs } from './moons.ts';

/** Integrates to 1 over the plane. */
export type Density = (x: number, y: number) => number;

/** Of which noise the density is. */
export interface DensityOptions {
  /** As for the draw; it has to be positive, as a curve alone has no density in the plane. */
  readonly noise?: number;
}

/** The density that the points of `oneMoon` are drawn from. */
export function oneMoonDensity(options: DensityOptions = {}): Density {
  const { noise } = { noise: moonNoise.oneMoon, ...options };
  return densityAround('oneMoonDensity', oneMoonArcs, noise);
}

/** Both moons together, half and half. */
export function twoMoonsDensity(options: DensityOptions = {}): Density {
  const { noise } = { noise: moonNoise.twoMoons, ...options };
  return densityAround('twoMoonsDensity', twoMoonsArcs, noise);
}

function densityAround(caller: string, arcs: readonly Arc[], noise: number): Density {
  if (!Number.isFinite(noise) || noise <= 0) {
    throw badValue(caller, 'noise to be a positive number', noise, 'Without noise the points lie on a curve.');
  }
  return (x, y) => {
    let sum = 0;
    for (const { turn, x: left, y: below } of arcs) sum += aroundArc(turn * (x - left), turn * (y - below), noise);
    return sum / arcs.length;
  };
}

/** Beyond this drop of the exponent an integrand adds less than half a unit in the last place. */
const negligible = 40;

/**
 * The density of (cos η, sin η) + ξ. With polar coordinates r, φ of the point and κ = r/s²,
 *   p = exp(−(r − 1)²/2s²) / (2π²s²) · ∫ exp(−κ(1 − cos θ)) dθ over θ = η − φ from −φ to π − φ,
 * an incomplete Bessel integral without a closed form.
 */
function aroundArc(x: number, y: number, noise: number): number {
  const radius = Math.hypot(x, y);
  const variance = noise * noise;
  const offArc = (radius - 1) ** 2 / (2 * variance);
  const kappa = radius / variance;
  const angle = Math.atan2(y, x);
  // The integrand is even and 2π-periodic and falls on both sides of θ = 0; the pieces stay within [0, π].
  const integral =
    angle >= 0
      ? falling(kappa, 0, Math.PI - angle, offArc) + falling(kappa, 0, angle, offArc)
      : falling(kappa, -angle, Math.PI, offArc) + falling(kappa, Math.PI + angle, Math.PI, offArc);
  return integral / (2 * Math.PI * Math.PI * variance);
}

/** ∫ exp(−shift − κ(1 − cos θ)) dθ over from ≤ θ ≤ to within [0, π], where it only falls; cut where it has died away. */
function falling(kappa: number, from: number, to: number, shift: number): number {
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

/** 32 nodes leave a relative 1e-15 of an exponential or normal curve that falls by exp(−40) over the interval. */
const { nodes, weights } = gaussLegendre(32);

/** Nodes and weights on [−1, 1]: the zeros of the Legendre polynomial by Newton's method. */
function gaussLegendre(count: number): { nodes: Float64Array; weights: Float64Array } {
  const result = { nodes: new Float64Array(count), weights: new Float64Array(count) };
  for (let k = 0; k < count; k++) {
    let x = Math.cos((Math.PI * (k + 0.75)) / (count + 0.5));
    let slope = 0;
    for (let round = 0; round < 6; round++) {
      let before = 1;
      let value = x;
      for (let degree = 2; degree <= count; degree++) {
        [before, value] = [value, ((2 * degree - 1) * x * value - (degree - 1) * before) / degree];
      }
      slope = (count * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    result.nodes[k] = x;
    result.weights[k] = 2 / ((1 - x * x) * slope * slope);
  }
  return result;
}
