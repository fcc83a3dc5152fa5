/** The public surface of `specnet/files`: sparse matrices from and to the bytes of files. Apart, for not every page needs it. */

export { readMatrixMarket, writeMatrixMarket } from './sparse/matrix-market.ts';
export type { MatrixMarketReadOptions, MatrixMarketWriteOptions } from './sparse/matrix-market.ts';
export { readNpz, writeNpz } from './sparse/npz.ts';
export type { NpzReadOptions } from './sparse/npz.ts';
