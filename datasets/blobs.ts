/** `blobs`: isotropic normal clusters around centers, as in scikit-learn's make_blobs. */

import { badKind, badValue, checkCount, checkFinite, showShape } from '../lib/core/check.ts';
import type { Rules } from '../lib/core/options.ts';
import { Random } from '../lib/core/random.ts';
import { Tensor, zeros } from '../lib/tensor/tensor.ts';
import type { Dataset } from '../lib/formats/dataset.ts';
import { checkAtLeast, drawDefaults, drawFrom, type DrawOptions, drawRules, resolveDraw } from './draw.ts';

/** The centers, and the standard deviations around them. */
export interface BlobsOptions extends DrawOptions {
  /** Shuffles the rows; else the points of a label are consecutive. Default: true. */
  readonly shuffle?: boolean;
  /** The number of centers to draw from the box, or the centers themselves, one per row. Default: 3. */
  readonly centers?: number | Tensor;
  /** The dimension of drawn centers. Ignored if centers are given. Default: 2. */
  readonly dimension?: number;
  /** The standard deviation of all blobs, or one for each. Default: 1. */
  readonly deviation?: number | readonly number[];
  /** The interval of every coordinate of drawn centers. Default: [−10, 10]. */
  readonly box?: readonly [low: number, high: number];
}

/** The points with the centers of their blobs. */
export interface Blobs extends Dataset {
  /** One per row. Drawn centers depend on the seed, not on the name of the draw, so that train and test share them. */
  readonly centers: Tensor;
}

const rules: Rules<BlobsOptions> = {
  ...drawRules,
  shuffle: 'boolean',
  centers: 'any',
  dimension: 'number',
  deviation: 'any',
  box: 'array',
};

const defaults = { ...drawDefaults, shuffle: true, centers: 3, dimension: 2, deviation: 1, box: [-10, 10] } as const;

/** Equally many points around every center, as far as n allows. The label is the index of the center. */
export function blobs(options: BlobsOptions = {}): Blobs {
  const caller = 'blobs';
  const all: Required<BlobsOptions> = resolveDraw(caller, options, rules, defaults);
  const centers =
    all.centers instanceof Tensor ? givenCenters(caller, all.centers) : drawnCenters(caller, all.centers, all);
  const { rows: classes, cols: dimension } = centers;
  if (typeof all.deviation !== 'number' && !Array.isArray(all.deviation)) {
    throw badKind(caller, 'deviation to be a number or an array, one for each center', all.deviation);
  }
  const deviations: readonly number[] =
    typeof all.deviation === 'number' ? new Array<number>(classes).fill(all.deviation) : all.deviation;
  if (deviations.length !== classes) {
    throw badValue(caller, `${classes} deviations, one for every center`, deviations.length);
  }
  for (const deviation of deviations) checkAtLeast(caller, 'deviation', deviation, 0);
  const drawn = drawFrom(
    {
      caller,
      name: 'blobs',
      dimension,
      intrinsicDimension: 0,
      classes,
      labeled: true,
      sample: ({ label }, random, point) => {
        for (let j = 0; j < dimension; j++) {
          point[j] = centers.data[label * dimension + j] + deviations[label] * random.normal();
        }
      },
    },
    { ...all, noise: 0 },
  );
  return { ...drawn, centers };
}

function givenCenters(caller: string, centers: Tensor): Tensor {
  if (centers.shape.length !== 2 || centers.size === 0) {
    throw badValue(caller, 'centers with two axes, one center per row', showShape(centers.shape));
  }
  checkFinite(caller, 'centers', centers.data, centers.cols);
  return centers;
}

function drawnCenters(caller: string, count: number, { dimension, box, seed }: Required<BlobsOptions>): Tensor {
  if (typeof count !== 'number') throw badKind(caller, 'centers to be a count or a Tensor', count);
  checkCount(caller, 'centers', count, 1);
  checkCount(caller, 'dimension', dimension, 1);
  const [low, high] = box;
  if (!(Number.isFinite(high - low) && low <= high)) {
    throw badValue(caller, 'box to be two finite numbers, the lower first', `${low}, ${high}`);
  }
  const result = zeros([count, dimension]);
  new Random(seed).fork(caller).fork('centers').fillUniform(result.data, low, high);
  return result;
}
