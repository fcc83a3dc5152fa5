/** The public surface of `specnet/datasets`: names listed by hand. Only functions that read from disk need Node. */

export { dataset, trainAndTest } from '../lib/formats/dataset.ts';
export type { Dataset, TrainAndTest } from '../lib/formats/dataset.ts';
export type { DrawOptions, LabelledOptions, NoiseOptions, Spacing } from './draw.ts';

export { oneMoon, twoMoons } from './moons.ts';
export { oneMoonDensity, twoMoonsDensity } from './moon-density.ts';
export type { Density, DensityOptions } from './moon-density.ts';
export { circles, ring, spiral } from './curves.ts';
export type { CirclesOptions, RingOptions, SpiralOptions } from './curves.ts';
export { sCurve, swissRoll } from './surfaces.ts';
export type { SwissRollOptions } from './surfaces.ts';
export { blobs } from './blobs.ts';
export type { Blobs, BlobsOptions } from './blobs.ts';

export type { ByteSource } from '../lib/formats/bytes/byte-source.ts';
export { formatOf, readPoints } from '../lib/formats/points.ts';
export type { PointsFormat, PointsOptions } from '../lib/formats/points.ts';
export { readCsv } from '../lib/formats/csv/csv.ts';
export type { CsvReadOptions } from '../lib/formats/csv/csv.ts';
export type { Column, ColumnOptions, Separator } from '../lib/formats/csv/layout.ts';
export { streamCsv, writeCsv } from '../lib/formats/csv/write.ts';
export type { CsvWriteOptions } from '../lib/formats/csv/write.ts';
export { readIdx, writeIdx } from '../lib/formats/idx.ts';
export type { IdxArray, IdxNumbers } from '../lib/formats/idx.ts';
export { readNpyTensor, writeNpyTensor } from '../lib/formats/numpy/npy-tensor.ts';
export type { NpyReadOptions } from '../lib/formats/numpy/npy-tensor.ts';

export { openPoints } from '../lib/formats/disk.ts';
export { loadFashionMnist, loadMnist } from './image-sets.ts';
export type { ImageSetOptions } from './image-sets.ts';
