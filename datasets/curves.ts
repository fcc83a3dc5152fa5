/** Which curves in the plane are there? A ring, two circles one in the other, and a spiral of several arms. */

import { badValue, checkChoice, checkCount } from '../lib/core/check.ts';
import type { Dataset } from '../lib/formats/dataset.ts';
import {
  checkAtLeast,
  drawDefaults,
  drawFrom,
  fraction,
  type LabelledOptions,
  type NoiseOptions,
  type Spacing,
} from './draw.ts';

/** How large the circle is, and how its points are spaced. */
export interface RingOptions extends NoiseOptions {
  readonly radius?: number;
  readonly spacing?: Spacing;
}

/** How small the inner circle is, and how points are spaced. */
export interface CirclesOptions extends LabelledOptions {
  /** Radius of the inner circle; the outer one has radius 1. */
  readonly factor?: number;
  readonly spacing?: Spacing;
}

/** How many arms there are, and how they wind. */
export interface SpiralOptions extends LabelledOptions {
  readonly arms?: number;
  /** How often an arm goes round. */
  readonly turns?: number;
  /** The radius at which the arms begin; they end at 1. */
  readonly inner?: number;
}

const ringDefaults = { ...drawDefaults, radius: 1, spacing: 'random' } as const;
const circlesDefaults = { ...drawDefaults, shuffle: true, factor: 0.8, spacing: 'random' } as const;
const spiralDefaults = { ...drawDefaults, shuffle: true, arms: 2, turns: 1.5, inner: 0.1 } as const;

/** One circle around the origin, whose eigenfunctions are sines and cosines. Intrinsic: the angle. */
export function ring(options: RingOptions = {}): Dataset {
  const caller = 'ring';
  const all = { ...ringDefaults, ...options };
  checkAtLeast(caller, 'radius', all.radius, 0);
  checkChoice(caller, 'spacing', all.spacing, ['random', 'even']);
  const law = { caller, name: 'ring', dimension: 2, intrinsicDimension: 1, classes: 1, labelled: false };
  return drawFrom(
    {
      ...law,
      place: (place, random, point, intrinsic) => {
        intrinsic[0] = 2 * Math.PI * fraction(all.spacing, place, random);
        point[0] = all.radius * Math.cos(intrinsic[0]);
        point[1] = all.radius * Math.sin(intrinsic[0]);
      },
    },
    all,
  );
}

/**
 * scikit-learn's make_circles: label 0 on the unit circle, label 1 on the inner one. Angles are drawn at random, so
 * that two draws differ; `spacing: 'even'` divides the circles as scikit-learn does. Intrinsic: the angle.
 */
export function circles(options: CirclesOptions = {}): Dataset {
  const caller = 'circles';
  const all = { ...circlesDefaults, ...options };
  if (!(all.factor >= 0 && all.factor < 1)) throw badValue(caller, 'factor to be at least 0 and below 1', all.factor);
  checkChoice(caller, 'spacing', all.spacing, ['random', 'even']);
  const law = { caller, name: 'circles', dimension: 2, intrinsicDimension: 1, classes: 2, labelled: true };
  return drawFrom(
    {
      ...law,
      place: (place, random, point, intrinsic) => {
        const radius = place.label === 0 ? 1 : all.factor;
        intrinsic[0] = 2 * Math.PI * fraction(all.spacing, place, random);
        point[0] = radius * Math.cos(intrinsic[0]);
        point[1] = radius * Math.sin(intrinsic[0]);
      },
    },
    all,
  );
}

/**
 * Arms r·(cos φ, sin φ), r from `inner` to 1, that go round `turns` times, one label each. The density along r is that
 * of a disc, so that the points lie about evenly along the arm. Intrinsic: t from 0 to 1, the part of the arm behind.
 */
export function spiral(options: SpiralOptions = {}): Dataset {
  const caller = 'spiral';
  const all = { ...spiralDefaults, ...options };
  const { arms, turns, inner } = all;
  checkCount(caller, 'arms', arms, 1);
  if (!Number.isFinite(turns)) throw badValue(caller, 'turns to be a finite number', turns);
  if (!(inner >= 0 && inner < 1)) throw badValue(caller, 'inner to be at least 0 and below 1', inner);
  const law = { caller, name: 'spiral', dimension: 2, intrinsicDimension: 1, classes: arms, labelled: true };
  return drawFrom(
    {
      ...law,
      place: ({ label }, random, point, intrinsic) => {
        const radius = Math.sqrt(random.uniform(inner * inner, 1));
        const part = (radius - inner) / (1 - inner);
        const angle = 2 * Math.PI * (turns * part + label / arms);
        point[0] = radius * Math.cos(angle);
        point[1] = radius * Math.sin(angle);
        intrinsic[0] = part;
      },
    },
    all,
  );
}
