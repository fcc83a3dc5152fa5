/** `specnet/benchmark`: generated sparse matrices to measure with, and the structure of matrices. */

export { generateMatrix, matrixNames } from '../matrices/catalog.ts';
export type { MatrixClass, MatrixName, MatrixOptions, MatrixSize } from '../matrices/catalog.ts';
export { matrixStructure } from '../sparse/structure.ts';
export type { MatrixStructure, RowLengths } from '../sparse/structure.ts';
