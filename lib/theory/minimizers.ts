/** Where is f2 least, and how low is it there? */

import { gradientOf, leading, leastValue, norm, rotated, stationaryPoint, valueOf } from './landscape.ts';
import { completeGraph, deflated, eigenpairs } from './small-pencil.ts';
import type { PencilStatement } from './statement.ts';

export const minimizers: PencilStatement = {
  about: 'pencils',
  label: 'thm:minimizers, cor:minimizers',
  claim:
    'Y = UΛ^½Q with UᵀDU = n²I makes f2 least, −Σ max(λ,0)² over the leading K; its rank is the number of positive λ',
  printed: null,
  expected: 'holds',
  instances: 2000,
  check({ pencil, components: width, random }, formulas) {
    const { mass } = pencil;
    const pairs = eigenpairs(pencil);
    const z = rotated(random, width, stationaryPoint(pencil, pairs, leading(pairs, width), width));
    const least = leastValue(pairs, width);
    const scale = Math.max(1, pairs.values[0] ** 2);
    const slope = gradientOf(pencil, width, z, formulas).map(
      (entry, p) => entry / Math.sqrt(mass[Math.floor(p / width)]),
    );
    let lowest = Infinity;
    for (let trial = 0; trial < 12; trial++) {
      // From nearly there to far away.
      const away = 10 ** random.uniform(-6, 0.5);
      const other = z.map((entry, p) => entry + (away * random.normal()) / Math.sqrt(mass[Math.floor(p / width)]));
      lowest = Math.min(lowest, valueOf(pencil, width, other));
    }
    return {
      findings: [
        { what: 'gradient there', measured: norm(slope) / scale, bound: 1e-10 },
        {
          what: 'value there less −Σ max(λ,0)²',
          measured: Math.abs(valueOf(pencil, width, z) - least) / scale,
          bound: 1e-10,
        },
        { what: 'how far any of 12 other points is below', measured: (least - lowest) / scale, bound: 1e-12 },
      ],
      notes: [{ what: 'positive among the leading, of K', value: leading(pairs, width).length / width }],
    };
  },
};

export const optimalValues: PencilStatement = {
  about: 'pencils',
  label: 'MNIST section, f1* and f2*',
  claim: 'f2* = −Σ max(λᵢ,0)² over i = 2…K with deflation; f1* = K − Σλᵢ under YᵀY = nI, n times that under ỸᵀDỸ = n²I',
  printed: 'f2* = +Σλᵢ² over i = 2…K',
  expected: 'corrected',
  instances: 10_000,
  check({ pencil, whole, components: width }) {
    if (!whole || width + 1 > whole.size) return null;
    const { size } = whole;
    const { values, orthonormal } = eigenpairs(whole);
    const pairs = eigenpairs(pencil);
    const least = leastValue({ values: values.subarray(1), orthonormal }, width);
    const reached = valueOf(pencil, width, stationaryPoint(pencil, pairs, leading(pairs, width), width));
    const printed = -least;
    let expected = 0;
    let squares = 0;
    // f1 = n⁻¹·tr Yᵀ(I − A)Y at Y = √n·V, and with the appendix's Ỹ = n·D^-½V its n times larger twin n⁻¹·tr Ỹᵀ(D − W)Ỹ.
    const columns = Array.from({ length: width }, (_, k) => column(orthonormal, size, k));
    for (const [k, v] of columns.entries()) {
      expected += 1 - values[k];
      squares += quotient(
        whole.weights,
        whole.mass,
        v.map((entry, i) => (size * entry) / Math.sqrt(whole.mass[i])),
      );
    }
    return {
      findings: [
        {
          what: 'value at the deflated minimiser less −Σ max(λ,0)²',
          measured: Math.abs(reached - least),
          bound: 1e-10,
        },
        {
          what: 'f1 under ỸᵀDỸ = n²I less n(K − Σλ), over n',
          measured: Math.abs(squares / size - size * expected) / size,
          bound: 1e-10,
        },
      ],
      printed: [{ what: 'value at the minimiser less +Σλ²', measured: Math.abs(reached - printed), bound: 1e-10 }],
    };
  },
  refute() {
    // The least graph whose second eigenvalue is positive: two nodes with loops, then three, …
    for (let size = 2; size <= 6; size++) {
      const pencil = { ...completeGraph(size) };
      const weights = pencil.weights.map((weight, p) => (p % (size + 1) === 0 ? 2 : weight));
      const looped = deflated({ size, weights, mass: new Float64Array(size).fill(size + 1) });
      const pairs = eigenpairs(looped);
      if (pairs.values[0] <= 0) continue;
      const reached = valueOf(looped, 1, stationaryPoint(looped, pairs, [0], 1));
      const what = `complete graph of ${size} nodes with loops of weight 2, deflated, K = 1: f2* less +λ₂²`;
      return [{ what, measured: Math.abs(reached - pairs.values[0] ** 2), bound: 1e-10, pencil: looped }];
    }
    return [];
  },
};

function column(matrix: Float64Array, size: number, k: number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => matrix[i * size + k]);
}

/** yᵀ(D − W)y. */
function quotient(weights: Float64Array, mass: Float64Array, y: Float64Array): number {
  const size = y.length;
  let sum = 0;
  for (let i = 0; i < size; i++) {
    sum += mass[i] * y[i] ** 2;
    for (let j = 0; j < size; j++) sum -= y[i] * weights[i * size + j] * y[j];
  }
  return sum;
}
