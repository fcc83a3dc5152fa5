/** Where does the gradient of f2 vanish? At Z = D^-½V_ΩΛ_Ω^½Q for sets Ω of positive eigenvalues, and nowhere else. */

import { symmetricEigen } from '../../linalg/eigen.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Formulas } from '../instances/formulas.ts';
import type { Instance } from '../instances/instances.ts';
import { gradientOf, hessianOf, norm, rotated, selection, stationaryPoint, subsets } from '../instances/landscape.ts';
import { completeGraph, eigenpairs, gramOf, normalized, type SmallPencil } from '../instances/small-pencil.ts';
import type { Finding, PencilStatement } from '../instances/statement.ts';

/** So many sets are looked at, at most. */
const mostSets = 40;

export const stationaryPoints: PencilStatement = {
  about: 'pencils',
  label: 'eq:stationarypoints',
  claim: 'the gradient vanishes at UΛ^½PQ where P selects at most K positive eigenvalues, and at no other point',
  printed: 'any eigenvalues may be selected',
  expected: 'corrected',
  instances: 10_000,
  check(instance, formulas) {
    const { pencil, components: width, random } = instance;
    const whole = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const scale = Math.max(1, Math.abs(pairs.values[0])) ** 1.5;
    const positive = pairs.values.filter((value) => value > 0).length;
    const steepest = someSets(random, subsets(positive, width)).map((set) =>
      norm(gradientOf(whole, width, rotated(random, width, stationaryPoint(whole, pairs, set, width)), formulas)),
    );
    const search = searched(instance, whole, pairs.values, formulas);
    const negative = pairs.values.findIndex((value) => value < -1e-6);
    return {
      findings: [
        { what: 'gradient at the points of positive sets', measured: Math.max(...steepest) / scale, bound: 1e-10 },
        ...search,
      ],
      printed: negative < 0 ? [] : [slopeAtNegative(whole, negative, formulas)],
      notes: [{ what: 'sets of one instance', value: steepest.length }],
    };
  },
  refute(formulas) {
    for (let size = 2; size <= 6; size++) {
      const pencil = completeGraph(size);
      const negative = eigenpairs(pencil).values.findIndex((value) => value < 0);
      if (negative < 0) continue;
      const found = slopeAtNegative(pencil, negative, formulas);
      if (found.measured <= found.bound) continue;
      return [{ ...found, what: `complete graph of ${size} nodes, K = 1: ${found.what}`, pencil }];
    }
    return [];
  },
};

/** All sets where there are no more than `most`; else a different choice each time, large ones as likely as small ones. */
export function someSets(random: Instance['random'], sets: number[][], most = mostSets): number[][] {
  if (sets.length <= most) return sets;
  return [...random.permutation(sets.length).subarray(0, most)].map((index) => sets[index]);
}

/** The square root of a negative eigenvalue is not real; with that of its magnitude the gradient is 8|λ|^1.5 in X = D^½Z. */
function slopeAtNegative(pencil: SmallPencil, index: number, formulas: Formulas): Finding {
  const pairs = eigenpairs(pencil);
  const z = selection(pencil, pairs, [index], [Math.sqrt(Math.abs(pairs.values[index]))], 1);
  return {
    what: 'gradient where a negative λ is selected',
    measured: norm(gradientOf(pencil, 1, z, formulas)),
    bound: 1e-10,
  };
}

/** Larger ones take too long to search. */
const searchedSide = 12;
const searchSteps = 60;

/**
 * From a random point downhill in ‖∇F‖² (Levenberg-Marquardt on the Hessian). Where the gradient vanishes, XᵀX must have
 * no eigenvalues but zeros and positive λ.
 */
function searched(
  { components: width, random }: Instance,
  pencil: SmallPencil,
  values: Float64Array,
  formulas: Formulas,
): Finding[] {
  const side = pencil.size * width;
  if (side > searchedSide) return [];
  let x = Float64Array.from({ length: side }, () => random.normal() / 2);
  let slope = gradientOf(pencil, width, x, formulas);
  let damping = 1;
  for (let step = 0; step < searchSteps && norm(slope) > 1e-12; step++) {
    const { values: bends, vectors } = symmetricEigen(hessianOf(pencil, width, x));
    const next = x.slice();
    for (let q = 0; q < side; q++) {
      let along = 0;
      for (let p = 0; p < side; p++) along += vectors.data[p * side + q] * slope[p];
      const length = (bends[q] * along) / (bends[q] ** 2 + damping);
      for (let p = 0; p < side; p++) next[p] -= length * vectors.data[p * side + q];
    }
    const there = gradientOf(pencil, width, next, formulas);
    if (norm(there) < norm(slope)) {
      x = next;
      slope = there;
      damping *= 0.1;
    } else damping = Math.max(damping, 1e-12) * 8;
  }
  if (norm(slope) > 1e-10) return [];
  const sizes = symmetricEigen(new Tensor(gramOf(pencil, width, x), [width, width])).values;
  const allowed = [0, ...values.filter((value) => value > 0)];
  const apart = sizes.map((size) => Math.min(...allowed.map((value) => Math.abs(value - size))));
  return [
    {
      what: 'eigenvalues of ZᵀDZ from those allowed, at points that a search found',
      measured: Math.max(...apart),
      bound: 1e-6,
    },
  ];
}
