/** Draws data sets point by point: positions on a curve or surface from one fork of the seed, noise from another. */

import { badValue, checkCount } from '../lib/core/check.ts';
import { checkOptions, defined, type Rules } from '../lib/core/options.ts';
import { Random, type Seed } from '../lib/core/random.ts';
import { zeros } from '../lib/tensor/tensor.ts';
import { checkDataset, type Dataset } from '../lib/formats/dataset.ts';

/** The number of points and the seed. */
export interface DrawOptions {
  /** The number of points. Default: 2000. */
  readonly n?: number;
  /** Default: 1. */
  readonly seed?: Seed;
  /** The name of the draw. Draws with the same seed and different names are independent. Default: 'train'. */
  readonly draw?: string;
}

export const drawRules = { n: 'number', seed: 'seed', draw: 'string' } as const satisfies Rules<DrawOptions>;

/** `DrawOptions`, and the noise. */
export interface NoiseOptions extends DrawOptions {
  /** The standard deviation of the noise in every coordinate. Default: 0.1 for `oneMoon`, 0.06 for `twoMoons`, else 0. */
  readonly noise?: number;
}

export const noiseRules = { ...drawRules, noise: 'number' } as const satisfies Rules<NoiseOptions>;

/** `NoiseOptions`, and whether rows are shuffled. */
export interface LabeledOptions extends NoiseOptions {
  /** Shuffles the rows; else the points of a label are consecutive. Default: false for `twoMoons`, else true. */
  readonly shuffle?: boolean;
}

export const labeledRules = { ...noiseRules, shuffle: 'boolean' } as const satisfies Rules<LabeledOptions>;

export const spacings = ['random', 'even'] as const;

/** 'even' points divide a curve into equal parts, as in scikit-learn's make_circles. */
export type Spacing = (typeof spacings)[number];

/** A distribution of points. */
export interface Distribution {
  /** The name of the public function. It also names the forks of the seed, so that no two distributions share numbers. */
  readonly caller: string;
  readonly name: string;
  readonly dimension: number;
  readonly intrinsicDimension: number;
  readonly classes: number;
  readonly labeled: boolean;
  /** Writes the coordinates of one point, without noise, and its intrinsic coordinates. */
  readonly sample: (index: PointIndex, random: Random, point: Float64Array, intrinsic: Float64Array) => void;
}

/** Point number `rank`, from 0 on, of the `count` points with this label. */
export interface PointIndex {
  label: number;
  rank: number;
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

/** The options with their defaults. Refuses unknown options and wrong kinds in the name of `caller`. */
export function resolveDraw<Options extends object, Defaults extends object>(
  caller: string,
  options: Options,
  rules: Rules<Options>,
  defaults: Defaults,
): Defaults & Options {
  checkOptions(caller, options, rules);
  return { ...defaults, ...defined(options) };
}

/**
 * A data set from this distribution. The positions do not depend on the noise. Without shuffling and with one label, a
 * smaller n gives the first points of a larger one.
 */
export function drawFrom(distribution: Distribution, options: AllOptions): Dataset {
  const { caller, dimension, intrinsicDimension, classes } = distribution;
  const { n, noise } = options;
  checkCount(caller, 'n', n, 1);
  checkAtLeast(caller, 'noise', noise, 0);
  const random = new Random(options.seed).fork(caller).fork(options.draw);
  const positions = random.fork('places');
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
    distribution.sample(
      { label, rank: seen[label]++, count: sizeOf(label, n, classes) },
      positions,
      point,
      coordinates,
    );
    for (let j = 0; j < dimension; j++) points.data[i * dimension + j] = point[j] + noise * errors.normal();
    intrinsic.data.set(coordinates, i * intrinsicDimension);
  }
  return checkDataset(caller, {
    name: distribution.name,
    points,
    ...(distribution.labeled && { labels }),
    ...(intrinsicDimension > 0 && { intrinsic }),
  });
}

export function checkAtLeast(caller: string, name: string, value: number, least: number): void {
  if (!Number.isFinite(value) || value < least) {
    throw badValue(caller, `${name} to be a finite number, at least ${least}`, value);
  }
}

/** A number in [0, 1): random, or evenly spaced by the index of the point. */
export function fraction(spacing: Spacing, index: PointIndex, random: Random): number {
  return spacing === 'even' ? index.rank / index.count : random.uniform();
}

/** The labels 0 … 0 1 … 1 2 …, as evenly as n allows. The first labels take the remainder. */
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
