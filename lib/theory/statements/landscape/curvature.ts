/** Statements on the curvature of f2: directions of descent at saddles, and the curvatures at minimizers. */

import { reduceKernels } from '../../../wasm/families.ts';
import { hessianFromGradient } from './hessian.ts';
import {
  curvatures,
  exactDerivatives,
  gradientOf,
  leading,
  stationaryPoint,
  subsets,
} from '../../instances/landscape.ts';
import { eigenpairs, normalized } from '../../instances/small-pencil.ts';
import { sampleSets } from './stationary.ts';
import type { Finding, PencilCheck } from '../../instances/statement.ts';

export const saddles: PencilCheck = {
  about: 'pencils',
  instances: 1000,
  check({ pencil, components: width, random }, formulas) {
    const unit = normalized(pencil);
    const { size } = unit;
    const pairs = eigenpairs(pencil);
    const { values, orthonormal } = pairs;
    // The theorem assumes K positive eigenvalues and a gap after them.
    if (width >= size || values[width - 1] < 1e-3 || values[width - 1] - values[width] < 1e-6) return null;
    const positive = values.filter((value) => value > 0).length;
    const saddleSets = subsets(positive, width).filter((set) => leading(pairs, width).some((i) => !set.includes(i)));
    const sets = sampleSets(random, saddleSets, 12);
    const findings: Finding[] = [];
    let furthest = 0;
    let largest = -Infinity;
    for (const set of sets) {
      const z = stationaryPoint(unit, pairs, set, width);
      const missing = leading(pairs, width).filter((i) => !set.includes(i));
      const outside = set.findIndex((index) => index >= width);
      const column = set.length < width ? set.length : outside;
      for (const i of missing) {
        const s = new Float64Array(size * width);
        for (let row = 0; row < size; row++) s[row * width + column] = orthonormal[row * size + i];
        const expected = -4 * values[i] + (set.length < width ? 0 : 4 * values[set[outside]]);
        const { first } = exactDerivatives(
          (t) =>
            reduceKernels().dot(
              s.length,
              gradientOf(
                unit,
                width,
                z.map((entry, p) => entry + t * s[p]),
                formulas,
              ),
              s,
            ),
          0.5,
        );
        furthest = Math.max(furthest, Math.abs(first - expected));
        largest = Math.max(largest, first);
      }
    }
    findings.push({
      what: 'curvature minus the claimed one',
      measured: furthest / Math.max(1, values[0]),
      bound: 1e-10,
    });
    if (sets.length > 0)
      findings.push({ what: 'the largest curvature along these directions', measured: largest, bound: 0 });
    return { findings };
  },
};

export const minimizerCurvature: PencilCheck = {
  about: 'pencils',
  instances: 1000,
  check({ pencil, components: width }, formulas) {
    const unit = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const { values } = pairs;
    if (width >= pencil.size || values[width - 1] < 1e-3 || values[width - 1] - values[width] < 1e-4) return null;
    const scale = Math.max(1, values[0], Math.abs(values[pencil.size - 1]));
    const found = curvatures(
      hessianFromGradient(unit, width, stationaryPoint(unit, pairs, leading(pairs, width), width), formulas),
    );
    const flat = found.filter((value) => Math.abs(value) <= 1e-9 * scale).length;
    const least = Math.min(...found.filter((value) => value > 1e-9 * scale));
    const expected = Math.min(4 * (values[width - 1] - values[width]), 8 * values[width - 1]);
    return {
      findings: [
        { what: 'number of zeros minus K(K−1)/2', measured: Math.abs(flat - (width * (width - 1)) / 2), bound: 0 },
        { what: 'negative curvature', measured: Math.max(0, -found[found.length - 1]) / scale, bound: 1e-10 },
        {
          what: 'the least positive curvature minus the closed form',
          measured: Math.abs(least - expected) / scale,
          bound: 1e-10,
        },
      ],
    };
  },
};
