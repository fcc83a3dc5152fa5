/** The statement on the stationary points of f2: Z = D^-½V_ΩΛ_Ω^½Q for sets Ω of positive eigenvalues, and no others. */

import { symmetricEigen } from '../../../linalg/eigen.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Formulas } from '../../instances/formulas.ts';
import type { Instance } from '../../instances/instances.ts';
import {
  gradientOf,
  hessianOf,
  norm,
  rotated,
  selection,
  stationaryPoint,
  stationarySets,
} from '../../instances/landscape.ts';
import { completeGraph, eigenpairs, gramOf, normalized, type SmallPencil } from '../../instances/small-pencil.ts';
import type { Finding, PencilCheck } from '../../instances/statement.ts';

/** The maximal number of sets that are checked. */
const mostSets = 40;

export const stationaryPoints: PencilCheck = {
  about: 'pencils',
  check(instance, formulas) {
    const { pencil, components: width, random } = instance;
    const unit = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const scale = Math.max(1, Math.abs(pairs.values[0])) ** 1.5;
    // eq:stationarycond: ∇f2 = 0.
    const gradientNorms = sampleSets(random, stationarySets(pairs, width)).map((set) =>
      norm(gradientOf(unit, width, rotated(random, width, stationaryPoint(unit, pairs, set, width)), formulas)),
    );
    const search = searchFindings(instance, unit, pairs.values, formulas);
    const negative = pairs.values.findIndex((value) => value < -1e-6);
    return {
      findings: [
        { what: 'gradient at the points of positive sets', measured: Math.max(...gradientNorms) / scale, bound: 1e-10 },
        ...search,
      ],
      printed: negative < 0 ? [] : [gradientAtNegative(unit, negative, formulas)],
      notes: [{ what: 'sets per instance', value: gradientNorms.length }],
    };
  },
  refute(formulas) {
    for (let size = 2; size <= 6; size++) {
      const pencil = completeGraph(size);
      const negative = eigenpairs(pencil).values.findIndex((value) => value < 0);
      if (negative < 0) continue;
      const found = gradientAtNegative(pencil, negative, formulas);
      if (found.measured <= found.bound) continue;
      return [{ ...found, what: `complete graph of ${size} nodes, K = 1: ${found.what}`, pencil }];
    }
    return [];
  },
};

/** All sets if there are at most `most`; else a random sample of that many, large sets as likely as small ones. */
export function sampleSets(random: Instance['random'], sets: number[][], most = mostSets): number[][] {
  if (sets.length <= most) return sets;
  return [...random.permutation(sets.length).subarray(0, most)].map((index) => sets[index]);
}

/** The square root of a negative λ is not real. With that of |λ|, the norm of the gradient in X = D^½Z is 8|λ|^1.5. */
function gradientAtNegative(pencil: SmallPencil, index: number, formulas: Formulas): Finding {
  const pairs = eigenpairs(pencil);
  const z = selection(pencil, pairs, [index], [Math.sqrt(Math.abs(pairs.values[index]))], 1);
  return {
    what: 'gradient where a negative λ is selected',
    measured: norm(gradientOf(pencil, 1, z, formulas)),
    bound: 1e-10,
  };
}

/** The largest side of a Hessian for the search. Larger ones take too long. */
const largestSide = 12;
const searchSteps = 60;

/**
 * Minimizes ‖∇F‖² from a random point by Levenberg-Marquardt. If the gradient vanishes there, all eigenvalues of XᵀX must
 * be 0 or a positive λ.
 */
function searchFindings(
  { components: width, random }: Instance,
  pencil: SmallPencil,
  values: Float64Array,
  formulas: Formulas,
): Finding[] {
  const side = pencil.size * width;
  if (side > largestSide) return [];
  let x = Float64Array.from({ length: side }, () => random.normal() / 2);
  let gradient = gradientOf(pencil, width, x, formulas);
  let damping = 1;
  for (let step = 0; step < searchSteps && norm(gradient) > 1e-12; step++) {
    const { values: curvatures, vectors } = symmetricEigen(hessianOf(pencil, width, x));
    const next = x.slice();
    for (let q = 0; q < side; q++) {
      let along = 0;
      for (let p = 0; p < side; p++) along += vectors.data[p * side + q] * gradient[p];
      const length = (curvatures[q] * along) / (curvatures[q] ** 2 + damping);
      for (let p = 0; p < side; p++) next[p] -= length * vectors.data[p * side + q];
    }
    const nextGradient = gradientOf(pencil, width, next, formulas);
    if (norm(nextGradient) < norm(gradient)) {
      x = next;
      gradient = nextGradient;
      damping *= 0.1;
    } else damping = Math.max(damping, 1e-12) * 8;
  }
  if (norm(gradient) > 1e-10) return [];
  const found = symmetricEigen(new Tensor(gramOf(pencil, width, x), [width, width])).values;
  const allowed = [0, ...values.filter((value) => value > 0)];
  const distances = found.map((eigenvalue) => Math.min(...allowed.map((value) => Math.abs(value - eigenvalue))));
  return [
    {
      what: 'distance of eigenvalues of ZᵀDZ to the allowed ones, at points found by search',
      measured: Math.max(...distances),
      bound: 1e-6,
    },
  ];
}
