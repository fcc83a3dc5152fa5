/** How is a data set drawn? Places on a curve or surface from one fork of the seed, noise from another, point after point. */

import { badValue, checkCount } from '../lib/core/check.ts';
import { Random, type Seed } from '../lib/core/random.ts';
import { zeros } from '../lib/tensor/tensor.ts';
import { type Dataset, checkDataset } from '../lib/formats/dataset.ts';

/** How many points are drawn, and by which seed. */
export interface DrawOptions {
  /** The number of points, 2000 unless said otherwise. */
  readonly n?: number;
  readonly seed?: Seed;
  /** Name of the draw. Draws of one seed and different names are independent: 'train', the default, and 'test'. */
  readonly draw?: string;
}

/** The same, and how far noise moves the points. */
export interface NoiseOptions extends DrawOptions {
  /** Standard deviation of the normal noise in every coordinate. */
  readonly noise?: number;
}

/** The same, and whether the labels are mixed. */
export interface LabelledOptions extends NoiseOptions {
  /** Rows in random order; otherwise the points of a label stand together. */
  readonly shuffle?: boolean;
}

/** Even: the points of a curve divide it into equal parts, as scikit-learn draws circles. */
export type Spacing = 'random' | 'even';

/** One law of points. */
export interface Law {
  /** The public function's name; it also names the forks, so that no two laws share their numbers. */
  readonly caller: string;
  readonly name: string;
  readonly dimension: number;
  readonly intrinsicDimension: number;
  readonly classes: number;
  readonly labelled: boolean;
  /** Writes the place of point `index` of the `count` with this label, and its intrinsic coordinates. */
  readonly place: (place: Place, random: Random, point: Float64Array, intrinsic: Float64Array) => void;
}

export interface Place {
  label: number;
  index: number;
  count: number;
}

interface AllOptions {
  readonly n: number;
  readonly seed: Seed;
  readonly draw: string;
  readonly noise: number;
  readonly shuffle: boolean;
}

export const drawDefaults = { n: 2000, seed: 1, draw: 'train', noise: 0, shuffle: false } as const;

/**
 * A data set of this law. The places do not depend on the noise; without shuffling and with one label, fewer points are
 * the first of more.
 */
export function drawFrom(law: Law, options: AllOptions): Dataset {
  const { caller, dimension, intrinsicDimension, classes } = law;
  const { n, noise } = options;
  checkCount(caller, 'n', n, 1);
  checkAtLeast(caller, 'noise', noise, 0);
  const random = new Random(options.seed).fork(caller).fork(options.draw);
  const places = random.fork('places');
  const errors = random.fork('noise');
  const labels = labelBlocks(n, classes);
  if (options.shuffle) random.fork('order').shuffle(labels);

  const points = zeros([n, dimension]);
  const intrinsic = zeros([n, intrinsicDimension], 'double');
  const point = new Float64Array(dimension);
  const coordinates = new Float64Array(intrinsicDimension);
  const seen = new Int32Array(classes);
  for (let i = 0; i < n; i++) {
    const label = labels[i];
    law.place({ label, index: seen[label]++, count: sizeOf(label, n, classes) }, places, point, coordinates);
    for (let j = 0; j < dimension; j++) points.data[i * dimension + j] = point[j] + noise * errors.normal();
    intrinsic.data.set(coordinates, i * intrinsicDimension);
  }
  return checkDataset(caller, {
    name: law.name,
    points,
    ...(law.labelled && { labels }),
    ...(intrinsicDimension > 0 && { intrinsic }),
  });
}

export function checkAtLeast(caller: string, name: string, value: number, least: number): void {
  if (!Number.isFinite(value) || value < least) {
    throw badValue(caller, `${name} to be a finite number, at least ${least}`, value);
  }
}

/** Angles of a whole turn, or parts of [0, 1): at random, or divided evenly. */
export function fraction(spacing: Spacing, place: Place, random: Random): number {
  return spacing === 'even' ? place.index / place.count : random.uniform();
}

/** 0 … 0 1 … 1 2 …, as evenly as n allows; what is left over goes to the first labels. */
function labelBlocks(n: number, classes: number): Int32Array {
  const labels = new Int32Array(n);
  let at = 0;
  for (let label = 0; label < classes; label++) {
    const size = sizeOf(label, n, classes);
    labels.fill(label, at, at + size);
    at += size;
  }
  return labels;
}

function sizeOf(label: number, n: number, classes: number): number {
  return Math.floor(n / classes) + (label < n % classes ? 1 : 0);
}
