/** Which ways does f2 fall at saddles, and how does it rise around minimisers? */

import { kernels } from '../../kernels/table.ts';
import { differentiated } from './hessian.ts';
import { curvatures, exactDerivatives, gradientOf, leading, stationaryPoint, subsets } from '../instances/landscape.ts';
import { eigenpairs, normalized } from '../instances/small-pencil.ts';
import { someSets } from './stationary.ts';
import type { Finding, PencilStatement } from '../instances/statement.ts';

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
    const saddlesOf = subsets(positive, width).filter((set) => leading(pairs, width).some((i) => !set.includes(i)));
    const sets = someSets(random, saddlesOf, 12);
    const findings: Finding[] = [];
    let furthest = 0;
    let flattest = -Infinity;
    for (const set of sets) {
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
            kernels.dot(
              s.length,
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
