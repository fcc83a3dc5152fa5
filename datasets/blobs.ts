/** What are blobs? Round normal clouds around centres, as scikit-learn's make_blobs draws them. */

import { badKind, badValue, checkCount, checkFinite, showShape } from '../lib/core/check.ts';
import { Random } from '../lib/core/random.ts';
import { Tensor, zeros } from '../lib/tensor/tensor.ts';
import type { Dataset } from '../lib/formats/dataset.ts';
import { checkAtLeast, drawDefaults, drawFrom, type DrawOptions } from './draw.ts';

/** Where the centres are, and how wide the clouds around them. */
export interface BlobsOptions extends DrawOptions {
  readonly shuffle?: boolean;
  /** How many centres to draw from the box, or the centres themselves, one a row. */
  readonly centers?: number | Tensor;
  /** Coordinates of drawn centres; given centres have their own. */
  readonly dimension?: number;
  /** One for all blobs, or one for each. */
  readonly deviation?: number | readonly number[];
  /** Drawn centres lie in this interval in every coordinate. */
  readonly box?: readonly [low: number, high: number];
}

/** The points with the centres of their clouds. */
export interface Blobs extends Dataset {
  /** One a row. Drawn centres depend on the seed, not on the name of the draw: train and test share them. */
  readonly centers: Tensor;
}

const defaults = { ...drawDefaults, shuffle: true, centers: 3, dimension: 2, deviation: 1, box: [-10, 10] } as const;

/** As many points around every centre, with its number as label. */
export function blobs(options: BlobsOptions = {}): Blobs {
  const caller = 'blobs';
  const all: Required<BlobsOptions> = { ...defaults, ...options };
  const centers =
    all.centers instanceof Tensor ? givenCenters(caller, all.centers) : drawnCenters(caller, all.centers, all);
  const { rows: classes, cols: dimension } = centers;
  const deviations = typeof all.deviation === 'number' ? new Array<number>(classes).fill(all.deviation) : all.deviation;
  if (deviations.length !== classes) {
    throw badValue(caller, `${classes} deviations, one for every centre`, deviations.length);
  }
  for (const deviation of deviations) checkAtLeast(caller, 'deviation', deviation, 0);
  const drawn = drawFrom(
    {
      caller,
      name: 'blobs',
      dimension,
      intrinsicDimension: 0,
      classes,
      labelled: true,
      place: ({ label }, random, point) => {
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
    throw badValue(caller, 'centres of two axes, one a row', showShape(centers.shape));
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
