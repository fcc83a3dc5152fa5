/** How is f2 curved? The second derivative itself, and its whole spectrum at every stationary point. */

import { kernels } from '../kernels/table.ts';
import { symmetriseInPlace } from '../linalg/matrix.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { Formulas } from './formulas.ts';
import {
  curvature,
  curvatures,
  exactDerivatives,
  gradientOf,
  hessianOf,
  normalRows,
  stationaryPoint,
  subsets,
  valueOf,
} from './landscape.ts';
import { completeGraph, type Eigenpairs, eigenpairs, normalized, type SmallPencil } from './small-pencil.ts';
import { someSets } from './stationary.ts';
import type { PencilStatement } from './statement.ts';

export const hessianForm: PencilStatement = {
  about: 'pencils',
  label: 'proof of thm:minimizers, display of the Hessian',
  claim: 'SᵀHS = n⁻²[−4 tr SᵀWS + 4n⁻²(tr SᵀDS·YᵀDY + tr SᵀDY·SᵀDY + tr SᵀDY·YᵀDS)] is the second derivative of f2',
  printed: 'the same with n⁻¹ in the place of n⁻² everywhere, and no n⁻² before the bracket',
  expected: 'corrected',
  instances: 10_000,
  check({ pencil, components: width, random }, formulas) {
    const [z, s] = [normalRows(random, pencil, width, 1), normalRows(random, pencil, width, 1)];
    const along = (t: number): Float64Array => z.map((entry, p) => entry + t * s[p]);
    const { second } = exactDerivatives((t) => valueOf(pencil, width, along(t)), 0.5);
    const form = curvature(hessianOf(pencil, width, z), s);
    const bySlopes = exactDerivatives(
      (t) => kernels.dot(s.length, gradientOf(pencil, width, along(t), formulas), s),
      0.5,
    ).first;
    const scale =
      Math.abs(second) + Math.abs(valueOf(pencil, width, along(1))) + Math.abs(valueOf(pencil, width, along(-1)));
    return {
      findings: [
        {
          what: 'the form less the second derivative of f2, relative',
          measured: Math.abs(form - second) / scale,
          bound: 1e-10,
        },
        {
          what: 'the form less the derivative of the solver’s gradient, relative',
          measured: Math.abs(form - bySlopes) / scale,
          bound: 1e-10,
        },
      ],
      printed: [
        {
          what: 'the printed form less the second derivative, relative',
          measured: Math.abs(printedForm(pencil, width, z, s) - second) / scale,
          bound: 1e-10,
        },
      ],
    };
  },
  refute() {
    for (let size = 2; size <= 6; size++) {
      const pencil = completeGraph(size);
      const pairs = eigenpairs(pencil);
      // At the minimiser for K = 1, along itself: 8λ₁² is the second derivative.
      const z = stationaryPoint(pencil, pairs, [0], 1);
      const { second } = exactDerivatives(
        (t) =>
          valueOf(
            pencil,
            1,
            z.map((entry) => (1 + t) * entry),
          ),
        0.5,
      );
      const measured = Math.abs(printedForm(pencil, 1, z, z) - second);
      if (measured <= 1e-10) continue;
      return [
        {
          what: `complete graph of ${size} nodes, K = 1, at the minimiser along itself: printed less true`,
          measured,
          bound: 1e-10,
          pencil,
        },
      ];
    }
    return [];
  },
};

/** The display of the paper at Y = nZ along nS, which is the direction S in Z. */
function printedForm(pencil: SmallPencil, width: number, z: Float64Array, s: Float64Array): number {
  const { size, mass, weights } = pencil;
  // With y = nz and nS: tr SᵀWS/n grows by n, the terms with D/n twice by n².
  const empty = new Float64Array(z.length);
  const linear = curvature(hessianOf(pencil, width, empty), s);
  const quartic = curvature(hessianOf({ size, mass, weights: new Float64Array(weights.length) }, width, z), s);
  return size * linear + size ** 2 * quartic;
}

export const hessianSpectrum: PencilStatement = {
  about: 'pencils',
  label: 'not in the paper',
  claim:
    'at the point of a set Ω, in X = D^½Y/n: 4(μ_k − λᵢ) for i ∉ Ω, 8λ_ω, each pair 0 and 4(λ_a + λ_b), and r(K − r) zeros',
  printed: null,
  expected: 'holds',
  instances: 1000,
  check({ pencil, components: width, random }, formulas) {
    const whole = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const positive = pairs.values.filter((value) => value > 0).length;
    const all = subsets(positive, width);
    const side = pencil.size * width;
    const sets = side <= 14 ? someSets(random, all) : someSets(random, all).slice(0, 4);
    let furthest = 0;
    for (const set of sets) {
      const found = curvatures(differentiated(whole, width, stationaryPoint(whole, pairs, set, width), formulas));
      const expected = closedForm(pairs, set, width);
      for (let p = 0; p < side; p++) furthest = Math.max(furthest, Math.abs(found[p] - expected[p]));
    }
    const scale = Math.max(1, Math.abs(pairs.values[0]), Math.abs(pairs.values[pencil.size - 1]));
    return {
      findings: [
        { what: 'any eigenvalue of any Hessian from the closed form', measured: furthest / scale, bound: 1e-10 },
      ],
      notes: [{ what: 'sets of one instance', value: sets.length }],
    };
  },
};

/** Descending, nK of them. */
export function closedForm({ values }: Eigenpairs, chosen: readonly number[], width: number): Float64Array {
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (chosen.includes(i)) continue;
    for (let k = 0; k < width; k++) found.push(4 * ((k < chosen.length ? values[chosen[k]] : 0) - values[i]));
  }
  for (const [k, a] of chosen.entries()) {
    found.push(8 * values[a]);
    for (const b of chosen.slice(k + 1)) found.push(0, 4 * (values[a] + values[b]));
    for (let free = chosen.length; free < width; free++) found.push(0);
  }
  return Float64Array.from(found).toSorted().toReversed();
}

/** The Hessian as the derivative of the solver's own gradient, a cubic, column by column. */
export function differentiated(
  pencil: SmallPencil,
  width: number,
  z: Float64Array,
  formulas: Formulas,
): Tensor<Float64Array> {
  const side = z.length;
  const h = 0.5;
  const hessian = new Float64Array(side * side);
  const moved = z.slice();
  const at = (q: number, t: number): Float64Array => {
    moved[q] = z[q] + t;
    return gradientOf(pencil, width, moved, formulas);
  };
  for (let q = 0; q < side; q++) {
    const [a, b, c, d] = [at(q, -2 * h), at(q, -h), at(q, h), at(q, 2 * h)];
    moved[q] = z[q];
    for (let p = 0; p < side; p++) hessian[p * side + q] = (a[p] - 8 * b[p] + 8 * c[p] - d[p]) / (12 * h);
  }
  symmetriseInPlace(side, hessian);
  return new Tensor(hessian, [side, side]);
}
