/** Points on curves in the plane: a ring, two concentric circles, and a spiral with several arms. */

import { badValue, checkCount } from '../lib/core/check.ts';
import type { Rules } from '../lib/core/options.ts';
import type { Dataset } from '../lib/formats/dataset.ts';
import {
  checkAtLeast,
  drawDefaults,
  drawFrom,
  fraction,
  labeledRules,
  type LabeledOptions,
  type NoiseOptions,
  noiseRules,
  resolveDraw,
  type Spacing,
  spacings,
} from './draw.ts';

/** The radius of the circle, and the spacing of its points. */
export interface RingOptions extends NoiseOptions {
  /** Default: 1. */
  readonly radius?: number;
  /** Default: 'random'. */
  readonly spacing?: Spacing;
}

/** The radius of the inner circle, and the spacing of points. */
export interface CirclesOptions extends LabeledOptions {
  /** The radius of the inner circle; the outer one has radius 1. Default: 0.8. */
  readonly factor?: number;
  /** Default: 'random'. */
  readonly spacing?: Spacing;
}

/** The number of arms, their revolutions and their inner radius. */
export interface SpiralOptions extends LabeledOptions {
  /** Default: 2. */
  readonly arms?: number;
  /** The number of revolutions of an arm. Default: 1.5. */
  readonly turns?: number;
  /** The radius at which the arms begin; they end at radius 1. Default: 0.1. */
  readonly inner?: number;
}

const ringRules: Rules<RingOptions> = { ...noiseRules, radius: 'number', spacing: spacings };
const circlesRules: Rules<CirclesOptions> = { ...labeledRules, factor: 'number', spacing: spacings };
const spiralRules: Rules<SpiralOptions> = { ...labeledRules, arms: 'number', turns: 'number', inner: 'number' };

const ringDefaults = { ...drawDefaults, radius: 1, spacing: 'random' } as const;
const circlesDefaults = { ...drawDefaults, shuffle: true, factor: 0.8, spacing: 'random' } as const;
const spiralDefaults = { ...drawDefaults, shuffle: true, arms: 2, turns: 1.5, inner: 0.1 } as const;

/** Points on a circle around the origin, whose eigenfunctions are sines and cosines. Intrinsic coordinate: the angle. */
export function ring(options: RingOptions = {}): Dataset {
  const caller = 'ring';
  const all = resolveDraw(caller, options, ringRules, ringDefaults);
  checkAtLeast(caller, 'radius', all.radius, 0);
  const distribution = { caller, name: 'ring', dimension: 2, intrinsicDimension: 1, classes: 1, labeled: false };
  return drawFrom(
    {
      ...distribution,
      sample: (index, random, point, intrinsic) => {
        intrinsic[0] = 2 * Math.PI * fraction(all.spacing, index, random);
        point[0] = all.radius * Math.cos(intrinsic[0]);
        point[1] = all.radius * Math.sin(intrinsic[0]);
      },
    },
    all,
  );
}

/**
 * scikit-learn's make_circles: label 0 on the unit circle, label 1 on the inner circle. Angles are random, so that two draws
 * differ; `spacing: 'even'` spaces them evenly as scikit-learn does. Intrinsic coordinate: the angle.
 */
export function circles(options: CirclesOptions = {}): Dataset {
  const caller = 'circles';
  const all = resolveDraw(caller, options, circlesRules, circlesDefaults);
  if (!(all.factor >= 0 && all.factor < 1)) throw badValue(caller, 'factor to be at least 0 and below 1', all.factor);
  const distribution = { caller, name: 'circles', dimension: 2, intrinsicDimension: 1, classes: 2, labeled: true };
  return drawFrom(
    {
      ...distribution,
      sample: (index, random, point, intrinsic) => {
        const radius = index.label === 0 ? 1 : all.factor;
        intrinsic[0] = 2 * Math.PI * fraction(all.spacing, index, random);
        point[0] = radius * Math.cos(intrinsic[0]);
        point[1] = radius * Math.sin(intrinsic[0]);
      },
    },
    all,
  );
}

/**
 * Points on arms r·(cos φ, sin φ), r from `inner` to 1, with `turns` revolutions and one label per arm. The density along r
 * is that of a disk, so that points are spaced about evenly along the arm. Intrinsic coordinate: the fraction
 * (r − inner)/(1 − inner) of the arm, from 0 to 1.
 */
export function spiral(options: SpiralOptions = {}): Dataset {
  const caller = 'spiral';
  const all = resolveDraw(caller, options, spiralRules, spiralDefaults);
  const { arms, turns, inner } = all;
  checkCount(caller, 'arms', arms, 1);
  if (!Number.isFinite(turns)) throw badValue(caller, 'turns to be a finite number', turns);
  if (!(inner >= 0 && inner < 1)) throw badValue(caller, 'inner to be at least 0 and below 1', inner);
  const distribution = { caller, name: 'spiral', dimension: 2, intrinsicDimension: 1, classes: arms, labeled: true };
  return drawFrom(
    {
      ...distribution,
      sample: ({ label }, random, point, intrinsic) => {
        const radius = Math.sqrt(random.uniform(inner * inner, 1));
        const along = (radius - inner) / (1 - inner);
        const angle = 2 * Math.PI * (turns * along + label / arms);
        point[0] = radius * Math.cos(angle);
        point[1] = radius * Math.sin(angle);
        intrinsic[0] = along;
      },
    },
    all,
  );
}
