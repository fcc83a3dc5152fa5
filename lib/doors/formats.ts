/** `specnet/formats`: readers and writers: CSV, IDX, NPY, NPZ and Matrix Market. */

export { readMatrixMarket, writeMatrixMarket } from '../formats/matrix-market/matrix-market.ts';
export type { MatrixMarketReadOptions, MatrixMarketWriteOptions } from '../formats/matrix-market/matrix-market.ts';
export { readNpz, writeNpz } from '../formats/numpy/npz.ts';
export type { NpzReadOptions } from '../formats/numpy/npz.ts';
export type { ByteSource } from '../formats/bytes/byte-source.ts';
export { formatFromName, readPoints } from '../formats/points.ts';
export type { PointsFormat, PointsOptions } from '../formats/points.ts';
export { readCsv } from '../formats/csv/csv.ts';
export type { CsvReadOptions } from '../formats/csv/csv.ts';
export type { Column, ColumnOptions, Separator } from '../formats/csv/layout.ts';
export { streamCsv, writeCsv } from '../formats/csv/write.ts';
export type { CsvWriteOptions } from '../formats/csv/write.ts';
export { readIdx, writeIdx } from '../formats/idx.ts';
export type { IdxArray, IdxNumbers } from '../formats/idx.ts';
export { readNpyTensor, writeNpyTensor } from '../formats/numpy/npy-tensor.ts';
export type { NpyReadOptions } from '../formats/numpy/npy-tensor.ts';
export { openPoints } from '../formats/disk.ts';
