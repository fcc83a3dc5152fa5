/** The public surface of `specnet/files`: sparse matrices from and to the bytes of files. Apart, for not every page needs it. */

export { readMatrixMarket, writeMatrixMarket } from './formats/matrix-market/matrix-market.ts';
export type { MatrixMarketReadOptions, MatrixMarketWriteOptions } from './formats/matrix-market/matrix-market.ts';
export { readNpz, writeNpz } from './formats/numpy/npz.ts';
export type { NpzReadOptions } from './formats/numpy/npz.ts';
