/** Statements on the curvature of f2: directions of descent at saddles, and the curvatures at minimizers. */

import { hessianFromGradient } from './hessian.ts';
import {
  curvatures,
  leading,
  minimizerOf,
  saddleSets,
  slopeAlong,
  stationaryPoint,
} from '../../instances/landscape.ts';
import { eigenpairs, normalized } from '../../instances/small-pencil.ts';
import { sampleSets } from './stationary.ts';
import type { Finding, PencilCheck } from '../../instances/statement.ts';

export const saddles: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const unit = normalized(pencil);
    const { size } = unit;
    const pairs = eigenpairs(pencil);
    const { values, orthonormal } = pairs;
    // The theorem assumes K positive eigenvalues and a gap after them.
    if (width >= size || values[width - 1] < 1e-3 || values[width - 1] - values[width] < 1e-6) return null;
    const sets = sampleSets(random, saddleSets(pairs, width), 12);
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
        const found = slopeAlong(unit, width, z, s, formulas);
        furthest = Math.max(furthest, Math.abs(found - expected));
        largest = Math.max(largest, found);
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
  check({ pencil, components: width }, formulas) {
    const unit = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const { values } = pairs;
    if (width >= pencil.size || values[width - 1] < 1e-3 || values[width - 1] - values[width] < 1e-4) return null;
    const scale = Math.max(1, values[0], Math.abs(values[pencil.size - 1]));
    const found = curvatures(hessianFromGradient(unit, width, minimizerOf(unit, pairs, width), formulas));
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
