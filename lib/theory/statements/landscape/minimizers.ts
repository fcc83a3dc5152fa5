/** Statements on the minimizers of f2, and on the optimal values of f1 and f2. */

import { kernels } from '../../../kernels/table.ts';
import { thinQr } from '../../../linalg/qr.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import {
  fromX,
  gradientNorm,
  leading,
  leastValue,
  minimizerOf,
  normalRows,
  rotated,
  stationaryPoint,
  valueOf,
} from '../../instances/landscape.ts';
import {
  completeGraph,
  deflated,
  eigenpairs,
  normalized,
  type SmallPencil,
  timesWeights,
} from '../../instances/small-pencil.ts';
import type { PencilCheck } from '../../instances/statement.ts';

export const minimizers: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const pairs = eigenpairs(pencil);
    const z = rotated(random, width, minimizerOf(pencil, pairs, width));
    const least = leastValue(pairs, width);
    const scale = Math.max(1, pairs.values[0] ** 2);
    let lowest = Infinity;
    for (let trial = 0; trial < 12; trial++) {
      // From very close to far away.
      const other = normalRows(random, pencil, width, 10 ** random.uniform(-6, 0.5));
      kernels.add(z.length, z, other, other);
      lowest = Math.min(lowest, valueOf(pencil, width, other));
    }
    return {
      findings: [
        { what: 'gradient at the minimizer', measured: gradientNorm(pencil, width, z, formulas) / scale, bound: 1e-10 },
        {
          what: 'value at the minimizer minus −Σ max(λ,0)²',
          measured: Math.abs(valueOf(pencil, width, z) - least) / scale,
          bound: 1e-10,
        },
        {
          what: 'the minimum minus the lowest value at 12 other points',
          measured: (least - lowest) / scale,
          bound: 1e-12,
        },
      ],
      notes: [
        { what: 'fraction of positive eigenvalues among the leading K', value: leading(pairs, width).length / width },
      ],
    };
  },
};

export const optimalValues: PencilCheck = {
  about: 'pencils',
  check({ pencil, whole, components: width, random }) {
    if (!whole || width + 1 > whole.size) return null;
    const { size } = whole;
    const { values, orthonormal } = eigenpairs(whole);
    const pairs = eigenpairs(pencil);
    const least = leastValue({ values: values.subarray(1), orthonormal }, width);
    const reached = valueOf(pencil, width, minimizerOf(pencil, pairs, width));
    const printed = -least;
    let expected = 0;
    let plain = 0;
    let weighted = 0;
    // f1 = n⁻¹·tr Yᵀ(I − A)Y at Y = √n·V, and n⁻¹·tr Ỹᵀ(D − W)Ỹ at the appendix's Ỹ = n·D^-½V.
    const unit = normalized(whole);
    for (let k = 0; k < width; k++) {
      expected += 1 - values[k];
      const v = Float64Array.from({ length: size }, (_, i) => orthonormal[i * size + k]);
      plain += quadratic(unit, v);
      weighted += size * quadratic(whole, fromX(whole, 1, v));
    }
    let lowest = Infinity;
    for (let trial = 0; trial < 3; trial++) {
      // Other orthonormal columns, from close to the leading ones to arbitrary ones.
      const deviation = 10 ** random.uniform(-6, 0.5);
      const near = Float64Array.from(
        { length: size * width },
        (_, p) => orthonormal[Math.floor(p / width) * size + (p % width)] + deviation * random.normal(),
      );
      const { data } = thinQr(new Tensor(near, [size, width])).q;
      let f1 = 0;
      for (let k = 0; k < width; k++)
        f1 += quadratic(
          unit,
          Float64Array.from({ length: size }, (_, i) => data[i * width + k]),
        );
      lowest = Math.min(lowest, f1);
    }
    return {
      findings: [
        { what: 'K − Σλ minus the lowest f1 of 3 other frames', measured: expected - lowest, bound: 1e-12 },
        {
          what: 'value at the deflated minimizer minus −Σ max(λ,0)²',
          measured: Math.abs(reached - least),
          bound: 1e-10,
        },
        {
          what: 'f1 under ỸᵀDỸ = n²I minus n(K − Σλ), over n',
          measured: Math.abs(weighted / size - expected),
          bound: 1e-10,
        },
        { what: 'f1 under YᵀY = nI minus K − Σλ', measured: Math.abs(plain - expected), bound: 1e-10 },
      ],
      printed: [{ what: 'value at the minimizer minus +Σλ²', measured: Math.abs(reached - printed), bound: 1e-10 }],
    };
  },
  refute() {
    // The smallest graph whose second eigenvalue is positive: two nodes with loops, then three, …
    for (let size = 2; size <= 6; size++) {
      const weights = completeGraph(size).weights.map((weight, p) => (p % (size + 1) === 0 ? 2 : weight));
      const looped = deflated({ size, weights, mass: new Float64Array(size).fill(size + 1) });
      const pairs = eigenpairs(looped);
      if (pairs.values[0] <= 0) continue;
      const reached = valueOf(looped, 1, stationaryPoint(looped, pairs, [0], 1));
      const what = `complete graph of ${size} nodes with loops of weight 2, deflated, K = 1: f2* minus +λ₂²`;
      return [{ what, measured: Math.abs(reached - pairs.values[0] ** 2), bound: 1e-10, pencil: looped }];
    }
    return [];
  },
};

/** yᵀ(D − W)y. */
function quadratic(pencil: SmallPencil, y: Float64Array): number {
  const product = timesWeights(pencil, 1, y);
  return y.reduce((sum, entry, i) => sum + entry * (pencil.mass[i] * entry - product[i]), 0);
}
