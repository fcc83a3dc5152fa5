/** How is f2 curved? The second derivative itself, and its whole spectrum at every stationary point. */

import { Tensor } from '../tensor/tensor.ts';
import { symmetriseInPlace } from '../linalg/matrix.ts';
import type { Formulas } from './formulas.ts';
import {
  curvature,
  curvatures,
  exactDerivatives,
  gradientOf,
  hessianOf,
  leading,
  stationaryPoint,
  subsets,
  valueOf,
} from './landscape.ts';
import { completeGraph, type Eigenpairs, eigenpairs, normalized, type SmallPencil } from './small-pencil.ts';
import { someSets } from './stationary.ts';
import type { Finding, PencilStatement } from './statement.ts';

export const hessianForm: PencilStatement = {
  about: 'pencils',
  label: 'proof of thm:minimizers, display of the Hessian',
  claim: 'SᵀHS = n⁻²[−4 tr SᵀWS + 4n⁻²(tr SᵀDS·YᵀDY + tr SᵀDY·SᵀDY + tr SᵀDY·YᵀDS)] is the second derivative of f2',
  printed: 'the same with n⁻¹ in the place of n⁻² everywhere, and no n⁻² before the bracket',
  expected: 'corrected',
  instances: 10_000,
  check({ pencil, components: width, random }, formulas) {
    const { size, mass } = pencil;
    const draw = () =>
      Float64Array.from({ length: size * width }, (_, p) => random.normal() / Math.sqrt(mass[Math.floor(p / width)]));
    const [z, s] = [draw(), draw()];
    const along = (t: number): Float64Array => z.map((entry, p) => entry + t * s[p]);
    const { second } = exactDerivatives((t) => valueOf(pencil, width, along(t)), 0.5);
    const form = curvature(hessianOf(pencil, width, z), s);
    const bySlopes = exactDerivatives((t) => dot(gradientOf(pencil, width, along(t), formulas), s), 0.5).first;
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
  return Float64Array.from(found).sort().reverse();
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

export const saddles: PencilStatement = {
  about: 'pencils',
  label: 'proof of thm:minimizers, saddle points',
  claim:
    'where one of the leading K is not selected, f2 falls: curvature −4λᵢ where fewer than K are selected, else −4λᵢ + 4λⱼ, with UᵢᵀDUᵢ = n²',
  printed: null,
  expected: 'holds',
  instances: 1000,
  check({ pencil, components: width, random }, formulas) {
    const whole = normalized(pencil);
    const { size } = whole;
    const pairs = eigenpairs(pencil);
    const { values, orthonormal } = pairs;
    // As the theorem assumes: K positive eigenvalues, and a gap after them.
    if (width >= size || values[width - 1] < 1e-3 || values[width - 1] - values[width] < 1e-6) return null;
    const positive = values.filter((value) => value > 0).length;
    const sets = someSets(random, subsets(positive, width)).filter((set) =>
      leading(pairs, width).some((i) => !set.includes(i)),
    );
    const findings: Finding[] = [];
    let furthest = 0;
    let flattest = -Infinity;
    for (const set of sets.slice(0, 12)) {
      const z = stationaryPoint(whole, pairs, set, width);
      const missing = leading(pairs, width).filter((i) => !set.includes(i));
      const outside = set.findIndex((index) => index >= width);
      const columnOf = set.length < width ? set.length : outside;
      for (const i of missing) {
        const s = new Float64Array(size * width);
        for (let row = 0; row < size; row++) s[row * width + columnOf] = orthonormal[row * size + i];
        const expected = -4 * values[i] + (set.length < width ? 0 : 4 * values[set[outside]]);
        const { first } = exactDerivatives(
          (t) =>
            dot(
              gradientOf(
                whole,
                width,
                z.map((entry, p) => entry + t * s[p]),
                formulas,
              ),
              s,
            ),
          0.5,
        );
        furthest = Math.max(furthest, Math.abs(first - expected));
        flattest = Math.max(flattest, first);
      }
    }
    findings.push({
      what: 'curvature from what is claimed',
      measured: furthest / Math.max(1, values[0]),
      bound: 1e-10,
    });
    if (sets.length > 0) findings.push({ what: 'the flattest way down', measured: flattest, bound: 0 });
    return { findings };
  },
};

export const minimizerCurvature: PencilStatement = {
  about: 'pencils',
  label: 'not in the paper',
  claim:
    'at a minimiser exactly K(K−1)/2 curvatures are zero, the rotations; the least of the others is min{4(λ_K − λ_{K+1}), 8λ_K}',
  printed: null,
  expected: 'holds',
  instances: 1000,
  check({ pencil, components: width }, formulas) {
    const whole = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const { values } = pairs;
    if (width >= pencil.size || values[width - 1] < 1e-3 || values[width - 1] - values[width] < 1e-4) return null;
    const scale = Math.max(1, values[0], Math.abs(values[pencil.size - 1]));
    const found = curvatures(
      differentiated(whole, width, stationaryPoint(whole, pairs, leading(pairs, width), width), formulas),
    );
    const flat = found.filter((bend) => Math.abs(bend) <= 1e-9 * scale).length;
    const least = Math.min(...found.filter((bend) => bend > 1e-9 * scale));
    const expected = Math.min(4 * (values[width - 1] - values[width]), 8 * values[width - 1]);
    return {
      findings: [
        { what: 'zeros more or fewer than K(K−1)/2', measured: Math.abs(flat - (width * (width - 1)) / 2), bound: 0 },
        { what: 'negative curvature', measured: Math.max(0, -found[found.length - 1]) / scale, bound: 1e-10 },
        {
          what: 'the least positive curvature from the closed form',
          measured: Math.abs(least - expected) / scale,
          bound: 1e-10,
        },
      ],
    };
  },
};

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p] * b[p];
  return sum;
}
