/** The statement on deflation: without the trivial pair, the minimizer belongs to the eigenvectors 2 … K + 1. */

import { principalAngles } from '../../../linalg/subspace.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { gradientNorm, leading, leastValue, minimizerOf, valueOf } from '../../instances/landscape.ts';
import { completeGraph, deflated, eigenpairs, type SmallPencil } from '../../instances/small-pencil.ts';
import type { Counterexample, Finding, PencilCheck } from '../../instances/statement.ts';

/** The least gap between eigenvalues. With less, rounding mixes their eigenvectors. */
const leastGap = 1e-3;

export const deflation: PencilCheck = {
  about: 'pencils',
  check({ pencil, whole, components: width }, formulas) {
    if (!whole || width + 1 > whole.size) return null;
    const { values: before, orthonormal } = eigenpairs(whole);
    const pairs = eigenpairs(pencil);
    const expected = Float64Array.from([0, ...before.subarray(1)])
      .toSorted()
      .toReversed();
    let furthest = 0;
    for (let i = 0; i < expected.length; i++) furthest = Math.max(furthest, Math.abs(expected[i] - pairs.values[i]));
    const z = minimizerOf(pencil, pairs, width);
    const slope = gradientNorm(pencil, width, z, formulas);
    const selected = leading(pairs, width).length;
    const positive = before.subarray(1, width + 1).filter((value) => value > 1e-9).length;
    const least = leastValue({ values: before.subarray(1), orthonormal: pairs.orthonormal }, width);
    const rank = pairs.values.subarray(0, width).filter((value) => value > 1e-9).length;
    return {
      findings: [
        { what: 'eigenvalues minus 0, λ₂, λ₃, …', measured: furthest, bound: 1e-10 },
        { what: 'gradient at the minimizer', measured: slope, bound: 1e-10 },
        {
          what: 'value at the minimizer minus −Σ max(λᵢ,0)², i = 2 … K+1',
          measured: Math.abs(valueOf(pencil, width, z) - least),
          bound: 1e-10,
        },
        {
          what: 'rank of the minimizer minus the number of positive λ₂ … λ_{K+1}',
          measured: Math.abs(rank - positive),
          bound: 0,
        },
        ...(isSimple(before, width) ? [angleToEigenvectors(orthonormal, width, pencil, z)] : []),
      ],
      printed: [{ what: 'columns missing in the minimizer', measured: width - rank, bound: 0 }],
      notes: [{ what: 'rank of the minimizer over K', value: selected / width }],
    };
  },
  refute() {
    // All complete graphs have λ₂ < 0. The smallest comes first; that of six nodes is another example.
    const found: Counterexample[] = [];
    for (const size of [3, 6]) {
      const pencil = deflated(completeGraph(size));
      const positive = eigenpairs(pencil).values.filter((value) => value > 1e-12).length;
      if (positive > 0) continue;
      const what = `complete graph of ${size} nodes, deflated, K = 1: no eigenvalue is positive, the minimizer is 0; columns missing`;
      found.push({ what, measured: 1 - positive, bound: 0, pencil });
    }
    return found;
  },
};

/** Whether λ₂ … λ_{K+1} are positive, with a gap on both sides. */
function isSimple(values: Float64Array, width: number): boolean {
  const next = width + 1 < values.length ? Math.max(0, values[width + 1]) : 0;
  return values[0] - values[1] >= leastGap && values[width] - next >= leastGap;
}

/** The angle between the span of z and that of the eigenvectors 2 … K+1 of the pencil before deflation. */
function angleToEigenvectors(
  orthonormal: Float64Array,
  width: number,
  { size, mass }: SmallPencil,
  z: Float64Array,
): Finding {
  const eigenvectors = Float64Array.from({ length: size * width }, (_, p) => {
    const i = Math.floor(p / width);
    return orthonormal[i * size + 1 + (p % width)] / Math.sqrt(mass[i]);
  });
  const angles = principalAngles(new Tensor(z, [size, width]), new Tensor(eigenvectors, [size, width]), mass);
  return { what: 'angle of the minimizer to the eigenvectors 2 … K+1', measured: Math.max(...angles), bound: 1e-10 };
}
