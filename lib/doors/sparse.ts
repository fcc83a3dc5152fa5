/** `specnet/sparse`: sparse matrices in canonical CSR form: build, slice, combine, reorder, multiply. */

export { CsrMatrix } from '../sparse/csr.ts';
export type { CsrView } from '../sparse/csr.ts';
export { diagonalMatrix, fromCsr, fromDense, fromTriplets, identity } from '../sparse/build.ts';
export type { CsrArrays, MatrixShape, Triplets } from '../sparse/build.ts';
export { combine, mapValues, symmetrize } from '../sparse/combine.ts';
export type { SymmetricPart } from '../sparse/combine.ts';
export { asymmetry, bandwidth, diagonal, rowSums, toDense, toTriplets } from '../sparse/inspect.ts';
export { neighborsOf, sliceBlock, sliceRows } from '../sparse/slices/slice.ts';
export { BatchSlicer } from '../sparse/slices/batch.ts';
export type { BatchSlice } from '../sparse/slices/batch.ts';
export { permute, permuteRows } from '../sparse/orders/reorder.ts';
export { inversePermutation } from '../sparse/indices.ts';
export { reverseCuthillMcKee } from '../sparse/orders/cuthill-mckee.ts';
export { fromSliced, toSliced } from '../sparse/formats/sliced.ts';
export type { SlicedMatrix } from '../sparse/formats/sliced.ts';
export { fromBlocked, toBlocked } from '../sparse/formats/blocked.ts';
export type { BlockedMatrix } from '../sparse/formats/blocked.ts';
export { fromHalf, toHalf } from '../sparse/formats/half.ts';
export type { HalfMatrix } from '../sparse/formats/half.ts';
export { sparseProduct, transposedProduct } from '../sparse/formats/multiply.ts';
export type { SparseMatrix, TransposedProductOptions } from '../sparse/formats/multiply.ts';
