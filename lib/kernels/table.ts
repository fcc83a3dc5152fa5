/** The table of kernels in use, plain or SIMD, and the allocator of new arrays. This and `wasm/simd.ts`, which switches them, are the only mutable state. */

import { dense, matmul, matmulTransposeA, matmulTransposeB, squaredDistances } from './dense.ts';
import { activate, add, multiply, scale, subtract } from './elementwise.ts';
import { addBias, columnSums, gatherRows, scaleRows, transpose } from './rows.ts';
import { csrMatmul } from './sparse.ts';

/** The plain twins: they run everywhere, in either precision, and are the reference for the others. */
export const plainTable = {
  matmul,
  matmulTransposeA,
  matmulTransposeB,
  dense,
  squaredDistances,
  add,
  subtract,
  multiply,
  scale,
  activate,
  gatherRows,
  scaleRows,
  addBias,
  columnSums,
  transpose,
  csrMatmul,
};

/** The kernels of the table by name: plain functions on typed arrays. Their comments are their contracts. */
export type TableKernels = typeof plainTable;

/** Makes zeroed arrays. */
export interface Allocator {
  float32(length: number): Float32Array;
  float64(length: number): Float64Array;
  int32(length: number): Int32Array;
}

/** A kind of typed array. */
export interface ArrayType<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): T;
  new (buffer: ArrayBufferLike, offset: number, length: number): T;
}

export const allocatorOf = (make: <T extends object>(Type: ArrayType<T>, length: number) => T): Allocator => ({
  float32: (length) => make(Float32Array, length),
  float64: (length) => make(Float64Array, length),
  int32: (length) => make(Int32Array, length),
});

export const heap = allocatorOf((Type, length) => new Type(length));

/** The table everything calls through. */
export const kernels: TableKernels = { ...plainTable };

/** The allocator everything allocates through. */
export const allocator: Allocator = { ...heap };

/** Puts `twins` in place of the plain kernels they name, and `memory` in place of the heap. */
export function installKernels(twins: Partial<TableKernels>, memory: Allocator): void {
  Object.assign(kernels, plainTable, twins);
  Object.assign(allocator, memory);
}
