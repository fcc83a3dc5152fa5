/** The products that are measured: which kernels compute them, and the work and traffic of a call. */

import { plainKernels } from '../../wasm/all-kernels.ts';
import { csrSlice } from '../../kernels/batch/slice.ts';
import { plainSymmetric } from '../../kernels/symmetric.ts';
import { kernels } from '../../kernels/table.ts';
import type { Floats } from '../../kernels/types.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Half } from '../../sparse/halve.ts';
import type { MatrixStructure } from '../../sparse/structure.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { blockKernels } from '../../wasm/block-family.ts';
import { pullbackKernels, sliceKernels } from '../../wasm/families.ts';
import { symmetricKernels } from '../../wasm/symmetric-family.ts';

/** A·X, Aᵀ·X, A·X from one half of a symmetric matrix, and the copy of one row in sixteen, A[rows, :]. */
export const operations = ['multiply', 'transpose', 'symmetric', 'slice'] as const;

/** A product that is measured. */
export type Operation = (typeof operations)[number];

/** The plain kernel; its SIMD twin on one thread; the SIMD twin on all threads. */
export const modes = ['plain', 'simd', 'threads'] as const;

/** How a product is computed. */
export type Mode = (typeof modes)[number];

/** The kinds of storage: compressed rows, or those of the upper triangle and the diagonal. */
export const formats = ['csr', 'half'] as const;

/** How the matrix is stored. */
export type Format = (typeof formats)[number];

/** What a call reads and writes. `out` is longer than needed for a slice, whose columns go to `outIndices`. */
export interface Operands {
  readonly matrix: CsrMatrix;
  readonly width: number;
  readonly x: Floats;
  readonly out: Floats;
  /** The rows of a slice, and its starts and columns. Empty for products. */
  readonly list: Int32Array;
  readonly outStarts: Int32Array;
  readonly outColumns: Int32Array;
  /** The half of the matrix. Null but for the operation 'symmetric'. */
  readonly half: Half | null;
}

type Kernel = (operands: Operands) => void;

/** The lengths of the arrays of a call. */
export interface Lengths {
  readonly x: number;
  readonly out: number;
  readonly outColumns: number;
}

interface OperationRules {
  readonly label: string;
  readonly format: Format;
  /** Whether it is measured for several numbers of columns. */
  readonly hasColumns: boolean;
  readonly plain: Kernel;
  /** The kernel whose result is right. Default: `plain`. */
  readonly reference?: Kernel;
  /** The SIMD twin, if there is one for this precision. Fetched where SIMD is on. */
  readonly simd: Readonly<Record<Precision, Kernel | null>>;
  /** The work by which the twin decides whether threads share it. Null if they never do. */
  readonly shared: Readonly<Record<Precision, ((entries: number, width: number) => number) | null>>;
  lengths(structure: MatrixStructure, listed: Listed, width: number): Lengths;
  flops(structure: MatrixStructure, width: number): number;
  bytes(structure: MatrixStructure, listed: Listed, width: number, valueBytes: number): number;
}

/** The numbers of listed rows and of their entries. */
export interface Listed {
  readonly rows: number;
  readonly entries: number;
}

const indexBytes = 4;

/** Starts, columns and values of a matrix, each read once. */
function matrixBytes({ rows, nonzeros }: MatrixStructure, valueBytes: number): number {
  return indexBytes * (rows + 1) + nonzeros * (indexBytes + valueBytes);
}

const multiply: OperationRules = {
  label: 'A·X',
  format: 'csr',
  hasColumns: true,
  plain: ({ matrix: { rows, starts, columns, values }, width, x, out }) =>
    plainKernels.csrMatmul(rows, width, starts, columns, values, x, out, false),
  simd: {
    single: ({ matrix: { rows, starts, columns, values }, width, x, out }) =>
      kernels.csrMatmul(rows, width, starts, columns, values, x, out, false),
    double: ({ matrix: { rows, starts, columns, values }, width, x, out }) => {
      const [from, to] = [x, out] as readonly Floats[] as readonly Float64Array[];
      blockKernels().blockProduct(0, rows, width, starts, starts.subarray(1), null, null, columns, values, 1, null, null, from, to); // prettier-ignore
    },
  },
  shared: {
    single: (entries, width) => 2 * entries * width,
    double: (entries, width) => entries * (8 + 2 * width),
  },
  lengths: ({ rows, cols }, _listed, width) => ({ x: cols * width, out: rows * width, outColumns: 0 }),
  flops: ({ nonzeros }, width) => 2 * nonzeros * width,
  bytes: (structure, _listed, width, valueBytes) =>
    matrixBytes(structure, valueBytes) +
    valueBytes * width * (structure.cols - structure.emptyColumns + structure.rows),
};

const symmetric: OperationRules = {
  label: 'A·X by half',
  format: 'half',
  hasColumns: true,
  plain: ({ half, width, x, out }) => plainSymmetric.csrSymmetricMatmul(...halfOperands(half!, width), x, out),
  reference: multiply.plain,
  simd: {
    single: ({ half, width, x, out }) => symmetricKernels().csrSymmetricMatmul(...halfOperands(half!, width), x, out),
    double: null,
  },
  shared: { single: null, double: null },
  lengths: multiply.lengths,
  flops: multiply.flops,
  bytes: ({ rows, nonzeros, diagonalEntries }, _listed, width, valueBytes) =>
    indexBytes * (rows + 1) +
    ((nonzeros - diagonalEntries) / 2) * (indexBytes + valueBytes) +
    valueBytes * rows * (1 + 2 * width),
};

function halfOperands(
  { diagonal, upper: { rows, starts, columns, values } }: Half,
  width: number,
): [number, number, Floats, Int32Array, Int32Array, Floats] {
  return [rows, width, diagonal, starts, columns, values];
}

const transpose: OperationRules = {
  label: 'Aᵀ·X',
  format: 'csr',
  hasColumns: true,
  plain: ({ matrix: { rows, cols, starts, columns, values }, width, x, out }) =>
    plainKernels.csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, false),
  simd: {
    single: ({ matrix: { rows, cols, starts, columns, values }, width, x, out }) =>
      pullbackKernels().csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, false),
    double: null,
  },
  shared: { single: null, double: null },
  lengths: ({ rows, cols }, _listed, width) => ({ x: rows * width, out: cols * width, outColumns: 0 }),
  flops: ({ nonzeros }, width) => 2 * nonzeros * width,
  bytes: (structure, _listed, width, valueBytes) =>
    matrixBytes(structure, valueBytes) + valueBytes * width * (structure.rows - structure.emptyRows + structure.cols),
};

const slice: OperationRules = {
  label: 'A[rows, :]',
  format: 'csr',
  hasColumns: false,
  plain: ({ matrix: { starts, columns, values }, list, out, outStarts, outColumns }) =>
    csrSlice(list.length, list, starts, columns, values, outStarts, outColumns, out),
  simd: {
    single: ({ matrix: { starts, columns, values }, list, out, outStarts, outColumns }) =>
      sliceKernels().csrSlice(list.length, list, starts, columns, values, outStarts, outColumns, out),
    double: null,
  },
  shared: { single: null, double: null },
  lengths: (_structure, { entries }) => ({ x: 0, out: entries, outColumns: entries }),
  flops: () => 0,
  /** Two starts and the number of each row, its own start, and its entries, which are read and written. */
  bytes: (_structure, { rows, entries }, _width, valueBytes) =>
    4 * indexBytes * rows + 2 * entries * (indexBytes + valueBytes),
};

export const operationRules: Readonly<Record<Operation, OperationRules>> = { multiply, transpose, symmetric, slice };
