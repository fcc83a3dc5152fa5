/** The statement on the whole spectrum of the Hessian of f2 at stationary points, in closed form. */

import { symmetrizeInPlace } from '../../../linalg/matrix.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Formulas } from '../../instances/formulas.ts';
import { curvatures, gradientOf, stationaryPoint, stationarySets } from '../../instances/landscape.ts';
import { type Eigenpairs, eigenpairs, normalized, type SmallPencil } from '../../instances/small-pencil.ts';
import { sampleSets } from './stationary.ts';
import type { PencilCheck } from '../../instances/statement.ts';

export const hessianSpectrum: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const unit = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const side = pencil.size * width;
    const sets = sampleSets(random, stationarySets(pairs, width), side <= 14 ? undefined : 4);
    let furthest = 0;
    for (const set of sets) {
      const found = curvatures(hessianFromGradient(unit, width, stationaryPoint(unit, pairs, set, width), formulas));
      const expected = closedForm(pairs, set, width);
      for (let p = 0; p < side; p++) furthest = Math.max(furthest, Math.abs(found[p] - expected[p]));
    }
    const scale = Math.max(1, Math.abs(pairs.values[0]), Math.abs(pairs.values[pencil.size - 1]));
    return {
      findings: [
        { what: 'largest error of the closed form, over all eigenvalues', measured: furthest / scale, bound: 1e-10 },
      ],
      notes: [{ what: 'sets per instance', value: sets.length }],
    };
  },
};

/** The nK eigenvalues of the Hessian by the closed form, descending. */
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

/** The Hessian as the derivative of the solver's gradient, column by column. It is exact, since the gradient is cubic. */
export function hessianFromGradient(
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
  symmetrizeInPlace(side, hessian);
  return new Tensor(hessian, [side, side]);
}
