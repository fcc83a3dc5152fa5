/** `specnet/datasets`: generators of points, MNIST and Fashion-MNIST. Only the image sets need Node. */

export { dataset, trainAndTest } from '../lib/formats/dataset.ts';
export type { Dataset, TrainAndTest } from '../lib/formats/dataset.ts';
export type { DrawOptions, LabeledOptions, NoiseOptions, Spacing } from './draw.ts';

export { oneMoon, twoMoons } from './moons.ts';
export { oneMoonDensity, twoMoonsDensity } from './moon-density.ts';
export type { Density, DensityOptions } from './moon-density.ts';
export { circles, ring, spiral } from './curves.ts';
export type { CirclesOptions, RingOptions, SpiralOptions } from './curves.ts';
export { sCurve, swissRoll } from './surfaces.ts';
export type { SwissRollOptions } from './surfaces.ts';
export { blobs } from './blobs.ts';
export type { Blobs, BlobsOptions } from './blobs.ts';
export { texts } from './texts.ts';
export type { Texts, TextsOptions } from './texts.ts';

export { loadFashionMnist, loadMnist } from './image-sets.ts';
export type { ImageSetOptions } from './image-sets.ts';
