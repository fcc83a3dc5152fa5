/** Points on surfaces in space: the Swiss roll and the S-curve, as in scikit-learn. */

import type { Rules } from '../lib/core/options.ts';
import type { Dataset } from '../lib/formats/dataset.ts';
import { drawDefaults, drawFrom, type NoiseOptions, noiseRules, resolveDraw } from './draw.ts';

/** Whether the sheet has a hole. */
export interface SwissRollOptions extends NoiseOptions {
  /** Leaves out the middle ninth of the sheet. Default: false. */
  readonly hole?: boolean;
}

/** Points (t·cos t, height, t·sin t), t from 1.5π to 4.5π, height from 0 to 21. Intrinsic coordinates: t and height. */
export function swissRoll(options: SwissRollOptions = {}): Dataset {
  const rules: Rules<SwissRollOptions> = { ...noiseRules, hole: 'boolean' };
  const all = resolveDraw('swissRoll', options, rules, { ...drawDefaults, hole: false });
  return drawFrom(
    {
      caller: 'swissRoll',
      name: 'Swiss roll',
      dimension: 3,
      intrinsicDimension: 2,
      classes: 1,
      labeled: false,
      sample: (_, random, point, intrinsic) => {
        let along = random.uniform();
        let up = random.uniform();
        if (all.hole) {
          const ninth = outerNinths[random.integer(outerNinths.length)];
          along = (Math.floor(ninth / 3) + along) / 3;
          up = ((ninth % 3) + up) / 3;
        }
        const t = 1.5 * Math.PI * (1 + 2 * along);
        point[0] = t * Math.cos(t);
        point[1] = 21 * up;
        point[2] = t * Math.sin(t);
        intrinsic[0] = t;
        intrinsic[1] = point[1];
      },
    },
    all,
  );
}

/** Points (sin t, height, sign(t)·(cos t − 1)), |t| up to 1.5π, height from 0 to 2. Intrinsic coordinates: t and height. */
export function sCurve(options: NoiseOptions = {}): Dataset {
  const all = resolveDraw('sCurve', options, noiseRules, drawDefaults);
  return drawFrom(
    {
      caller: 'sCurve',
      name: 'S-curve',
      dimension: 3,
      intrinsicDimension: 2,
      classes: 1,
      labeled: false,
      sample: (_, random, point, intrinsic) => {
        const t = 3 * Math.PI * random.uniform(-0.5, 0.5);
        point[0] = Math.sin(t);
        point[1] = random.uniform(0, 2);
        point[2] = Math.sign(t) * (Math.cos(t) - 1);
        intrinsic[0] = t;
        intrinsic[1] = point[1];
      },
    },
    all,
  );
}

/** The ninths of the sheet without the middle one. */
const outerNinths = [0, 1, 2, 3, 5, 6, 7, 8] as const;
