/** The moons of the paper's appendix on numerical examples: half circles with normal noise. */

import type { Dataset } from '../lib/formats/dataset.ts';
import {
  type Distribution,
  drawDefaults,
  drawFrom,
  labeledRules,
  type LabeledOptions,
  type NoiseOptions,
  noiseRules,
  resolveDraw,
} from './draw.ts';

/** The half circle sign·(cos η, sin η) + (x, y), η from 0 to π. With sign −1 it opens upward. */
export interface Arc {
  readonly sign: 1 | -1;
  readonly x: number;
  readonly y: number;
}

export const oneMoonArcs: readonly Arc[] = [{ sign: 1, x: 0, y: 0 }];

export const twoMoonsArcs: readonly Arc[] = [
  { sign: 1, x: -0.5, y: -0.3 },
  { sign: -1, x: 0.5, y: 0.3 },
];

/** Standard deviations of the noise: the paper's variances are 0.01 and 0.0036. */
export const moonNoise = { oneMoon: 0.1, twoMoons: 0.06 } as const;

/** Points (cos η, sin η) + ξ, η uniform on [0, π], ξ normal with standard deviation 0.1. Intrinsic coordinate: η. */
export function oneMoon(options: NoiseOptions = {}): Dataset {
  const all = resolveDraw('oneMoon', options, noiseRules, { ...drawDefaults, noise: moonNoise.oneMoon });
  return drawFrom({ ...moonDistribution(oneMoonArcs), caller: 'oneMoon', name: 'one moon' }, all);
}

/**
 * Points (cos η − 0.5, sin η − 0.3) + ξ with label 0, then equally many (0.5 − cos η, 0.3 − sin η) + ξ with label 1. The
 * paper calls the labels 1 and 2. ξ is normal with standard deviation 0.06. Intrinsic coordinate: η.
 */
export function twoMoons(options: LabeledOptions = {}): Dataset {
  const all = resolveDraw('twoMoons', options, labeledRules, { ...drawDefaults, noise: moonNoise.twoMoons });
  return drawFrom({ ...moonDistribution(twoMoonsArcs), caller: 'twoMoons', name: 'two moons' }, all);
}

function moonDistribution(arcs: readonly Arc[]): Omit<Distribution, 'caller' | 'name'> {
  return {
    dimension: 2,
    intrinsicDimension: 1,
    classes: arcs.length,
    labeled: arcs.length > 1,
    sample: ({ label }, random, point, intrinsic) => {
      const { sign, x, y } = arcs[label];
      const angle = random.uniform(0, Math.PI);
      point[0] = sign * Math.cos(angle) + x;
      point[1] = sign * Math.sin(angle) + y;
      intrinsic[0] = angle;
    },
  };
}
