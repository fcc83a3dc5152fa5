/** The public surface of `specnet/datasets`: names listed by hand. What reads from disk needs Node, the rest does not. */

export { dataset, trainAndTest } from './dataset.ts';
export type { Dataset, TrainAndTest } from './dataset.ts';
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

export type { ByteSource } from './byte-source.ts';
export { formatOf, readPoints } from './points.ts';
export type { PointsFormat, PointsOptions } from './points.ts';
export { readCsv } from './csv.ts';
export type { CsvReadOptions } from './csv.ts';
export type { Column, ColumnOptions, Separator } from './csv-layout.ts';
export { streamCsv, writeCsv } from './csv-write.ts';
export type { CsvWriteOptions } from './csv-write.ts';
export { readIdx, writeIdx } from './idx.ts';
export type { IdxArray, IdxNumbers } from './idx.ts';
export { readNpyTensor, writeNpyTensor } from './npy.ts';
export type { NpyReadOptions } from './npy.ts';

export { openPoints } from './disk.ts';
export { loadFashionMnist, loadMnist } from './image-sets.ts';
export type { ImageSetOptions } from './image-sets.ts';
