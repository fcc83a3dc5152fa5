/** What are the paper's moons? Half circles with normal noise, as its appendix on the numerical examples draws them. */

import type { Dataset } from '../lib/formats/dataset.ts';
import { drawDefaults, drawFrom, type LabelledOptions, type Law, type NoiseOptions } from './draw.ts';

/** The half circle turn·(cos η, sin η) + (x, y), η from 0 to π; a turn of −1 opens it upward. */
export interface Arc {
  readonly turn: 1 | -1;
  readonly x: number;
  readonly y: number;
}

export const oneMoonArcs: readonly Arc[] = [{ turn: 1, x: 0, y: 0 }];

export const twoMoonsArcs: readonly Arc[] = [
  { turn: 1, x: -0.5, y: -0.3 },
  { turn: -1, x: 0.5, y: 0.3 },
];

/** Variances 0.01 and 0.0036. */
export const moonNoise = { oneMoon: 0.1, twoMoons: 0.06 } as const;

/** n = 2000 points (cos η, sin η) + ξ, η uniform on [0, π], ξ normal of deviation 0.1. Intrinsic: η. */
export function oneMoon(options: NoiseOptions = {}): Dataset {
  const all = { ...drawDefaults, noise: moonNoise.oneMoon, ...options };
  return drawFrom({ ...lawOf(oneMoonArcs), caller: 'oneMoon', name: 'one moon' }, all);
}

/**
 * n = 2000 points, half of them (cos η − 0.5, sin η − 0.3) + ξ with label 0, then half (0.5 − cos η, 0.3 − sin η) + ξ
 * with label 1 (the paper counts 1 and 2), ξ normal of deviation 0.06. Intrinsic: η.
 */
export function twoMoons(options: LabelledOptions = {}): Dataset {
  const all = { ...drawDefaults, noise: moonNoise.twoMoons, ...options };
  return drawFrom({ ...lawOf(twoMoonsArcs), caller: 'twoMoons', name: 'two moons' }, all);
}

function lawOf(arcs: readonly Arc[]): Omit<Law, 'caller' | 'name'> {
  return {
    dimension: 2,
    intrinsicDimension: 1,
    classes: arcs.length,
    labelled: arcs.length > 1,
    place: ({ label }, random, point, intrinsic) => {
      const { turn, x, y } = arcs[label];
      const angle = random.uniform(0, Math.PI);
      point[0] = turn * Math.cos(angle) + x;
      point[1] = turn * Math.sin(angle) + y;
      intrinsic[0] = angle;
    },
  };
}
