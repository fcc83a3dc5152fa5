/** The products that are measured: which kernels compute them, and the work and traffic of a call. */

import { blockSide, columnsPerThread, plainProducts, sliceHeight } from '../../kernels/formats/products.ts';
import { plainKernels } from '../../wasm/all-kernels.ts';
import { csrSlice } from '../../kernels/batch/slice.ts';
import { plainSymmetric } from '../../kernels/formats/symmetric.ts';
import type { Floats } from '../../kernels/types.ts';
import type { CsrMatrix, CsrView } from '../../sparse/csr.ts';
import type { BlockedMatrix } from '../../sparse/formats/blocked.ts';
import type { HalfMatrix } from '../../sparse/formats/half.ts';
import type { SlicedMatrix } from '../../sparse/formats/sliced.ts';
import type { MatrixStructure } from '../../sparse/structure.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { sliceKernels } from '../../wasm/families.ts';
import { productKernels } from '../../wasm/products-family.ts';
import { symmetricKernels } from '../../wasm/symmetric-family.ts';

/**
 * A·X from compressed rows, from slices of eight rows, from blocks of 4×4, and from one half of a symmetric matrix; Aᵀ·X from compressed rows of A, from
 * those of Aᵀ, which is A·X for the transposed matrix, and from slices of Aᵀ, which `transposedProduct` makes; and the copy of one row in sixteen, A[rows, :].
 */
// oxfmt-ignore
export const operations = ['multiply', 'sliced', 'blocked', 'symmetric', 'transpose', 'transposedCopy', 'transposedSlices', 'slice'] as const;

/** A product that is measured. */
export type Operation = (typeof operations)[number];

/** The plain kernel; its SIMD twin on one thread; the SIMD twin on all threads. */
export const modes = ['plain', 'simd', 'threads'] as const;

/** A product, in any format. */
export type Product = 'A·X' | 'Aᵀ·X';

/** How a product is computed. */
export type Mode = (typeof modes)[number];

/**
 * The kinds of storage: compressed rows; slices of eight rows; blocks of 4×4; the diagonal and the rows of the upper triangle; compressed rows of the
 * transposed matrix, and its slices.
 */
export const formats = ['csr', 'sliced', 'blocked', 'half', 'transposed', 'transposedSlices'] as const;

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
  /** The matrix in the format of the operation. Null if that is compressed rows. */
  readonly half: HalfMatrix | null;
  readonly sliced: SlicedMatrix | null;
  readonly blocked: BlockedMatrix | null;
  readonly transposed: CsrView | null;
  readonly transposedSlices: SlicedMatrix | null;
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
  /** What it computes. Null for a slice. */
  readonly product: Product | null;
  /** The numbers of columns for which it is measured, out of those that are wanted; 0 where there is no X. */
  columns(wanted: readonly number[]): readonly number[];
  /** Whether the format suits a matrix. */
  suits(structure: MatrixStructure): boolean;
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

const all = (wanted: readonly number[]): readonly number[] => wanted;
const any = (): boolean => true;
const flopsOf = (entries: number, width: number): number => 2 * entries * width;
/** Vectors have half as many doubles. */
const shared = { single: flopsOf, double: (entries: number, width: number) => 2 * flopsOf(entries, width) };
/** Threads share columns of X, if there are enough. */
const byColumns = (work: typeof flopsOf) => (entries: number, width: number) =>
  width < 2 * columnsPerThread ? 0 : work(entries, width);
const never = { single: null, double: null };
/** A kernel with twins in both precisions. */
const both = (kernel: Kernel) => ({ single: kernel, double: kernel });

const multiply: OperationRules = {
  label: 'A·X',
  format: 'csr',
  product: 'A·X',
  columns: all,
  suits: any,
  plain: ({ matrix: { rows, starts, columns, values }, width, x, out }) =>
    plainKernels.csrMatmul(rows, width, starts, columns, values, x, out, false),
  simd: both(({ matrix: { rows, starts, columns, values }, width, x, out }) =>
    productKernels().csrProduct(rows, width, starts, columns, values, x, out),
  ),
  shared,
  lengths: ({ rows, cols }, _listed, width) => ({ x: cols * width, out: rows * width, outColumns: 0 }),
  flops: ({ nonzeros }, width) => flopsOf(nonzeros, width),
  bytes: (structure, _listed, width, valueBytes) =>
    matrixBytes(structure, valueBytes) + denseBytes(structure, width, valueBytes),
};

/** The rows of X that entries reach, and those of the result. */
function denseBytes({ rows, cols, emptyColumns }: MatrixStructure, width: number, valueBytes: number): number {
  return valueBytes * width * (cols - emptyColumns + rows);
}

/** Slices and blocks that are mostly padding are not worth measuring. */
const leastFill = 0.4;

const sliced: OperationRules = {
  ...multiply,
  label: 'A·X in slices',
  format: 'sliced',
  suits: ({ sliceFill }) => sliceFill >= leastFill,
  plain: ({ sliced: matrix, width, x, out }) => plainProducts.slicedProduct(...slicedOperands(matrix!, width), x, out),
  reference: multiply.plain,
  simd: both(({ sliced: matrix, width, x, out }) =>
    productKernels().slicedProduct(...slicedOperands(matrix!, width), x, out),
  ),
  bytes: (structure, _listed, width, valueBytes) =>
    indexBytes * (Math.ceil(structure.rows / sliceHeight) + 1) +
    structure.nonzeros * (indexBytes + valueBytes) +
    denseBytes(structure, width, valueBytes),
};

type SlicedOperands = [number, number, boolean, Int32Array, Int32Array, Int32Array, Floats];

const slicedOperands = (slices: SlicedMatrix, width: number): SlicedOperands =>
  [slices.rows, width, slices.isOrdered, slices.starts, slices.order, slices.columns, slices.values]; // oxfmt-ignore

const fillOf = ({ blockFill }: MatrixStructure): number => blockFill.find(({ side }) => side === blockSide)!.fill;

const blocked: OperationRules = {
  ...multiply,
  label: 'A·X in blocks',
  format: 'blocked',
  suits: (structure) => fillOf(structure) >= leastFill,
  plain: ({ blocked: matrix, width, x, out }) =>
    plainProducts.blockedProduct(...blockedOperands(matrix!, width), x, out),
  reference: multiply.plain,
  simd: both(({ blocked: matrix, width, x, out }) =>
    productKernels().blockedProduct(...blockedOperands(matrix!, width), x, out),
  ),
  bytes: (structure, _listed, width, valueBytes) => {
    const places = structure.nonzeros / fillOf(structure);
    const starts = indexBytes * (Math.ceil(structure.rows / blockSide) + 1);
    return starts + places * (indexBytes / blockSide ** 2 + valueBytes) + denseBytes(structure, width, valueBytes);
  },
};

type BlockedOperands = [number, number, number, Int32Array, Int32Array, Floats];

function blockedOperands({ rows, cols, starts, firsts, values }: BlockedMatrix, width: number): BlockedOperands {
  return [rows, cols, width, starts, firsts, values];
}

const symmetric: OperationRules = {
  ...multiply,
  label: 'A·X by half',
  format: 'half',
  suits: ({ symmetry }) => symmetry === 'symmetric',
  plain: ({ half, width, x, out }) => plainSymmetric.csrSymmetricMatmul(...halfOperands(half!, width), x, out),
  reference: multiply.plain,
  simd: both(({ half, width, x, out }) => symmetricKernels().csrSymmetricMatmul(...halfOperands(half!, width), x, out)),
  shared: never,
  bytes: ({ rows, nonzeros, diagonalEntries }, _listed, width, valueBytes) =>
    indexBytes * (rows + 1) +
    ((nonzeros - diagonalEntries) / 2) * (indexBytes + valueBytes) +
    valueBytes * rows * (1 + 2 * width),
};

type HalfOperands = [number, number, Floats, Int32Array, Int32Array, Floats];

const halfOperands = (half: HalfMatrix, width: number): HalfOperands =>
  [half.rows, width, half.diagonal, half.starts, half.columns, half.values]; // oxfmt-ignore

const transpose: OperationRules = {
  label: 'Aᵀ·X',
  format: 'csr',
  product: 'Aᵀ·X',
  columns: all,
  suits: any,
  plain: ({ matrix: { rows, cols, starts, columns, values }, width, x, out }) =>
    plainKernels.csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, false),
  simd: both(({ matrix: { rows, cols, starts, columns, values }, width, x, out }) =>
    productKernels().csrTransposeProduct(rows, cols, width, starts, columns, values, x, out),
  ),
  shared: { single: byColumns(shared.single), double: byColumns(shared.double) },
  lengths: ({ rows, cols }, _listed, width) => ({ x: rows * width, out: cols * width, outColumns: 0 }),
  flops: ({ nonzeros }, width) => flopsOf(nonzeros, width),
  bytes: (structure, _listed, width, valueBytes) =>
    matrixBytes(structure, valueBytes) + valueBytes * width * (structure.rows - structure.emptyRows + structure.cols),
};

const transposedCopy: OperationRules = {
  ...transpose,
  label: 'Aᵀ·X by a copy',
  format: 'transposed',
  shared,
  plain: ({ transposed, matrix, width, x, out }) =>
    plainProducts.csrProduct(matrix.cols, width, ...arraysOf(transposed!), x, out),
  reference: transpose.plain,
  simd: both(({ transposed, matrix, width, x, out }) =>
    productKernels().csrProduct(matrix.cols, width, ...arraysOf(transposed!), x, out),
  ),
  bytes: (structure, _listed, width, valueBytes) =>
    matrixBytes({ ...structure, rows: structure.cols }, valueBytes) +
    valueBytes * width * (structure.rows - structure.emptyRows + structure.cols),
};

const transposedSlices: OperationRules = {
  ...transpose,
  label: 'Aᵀ·X by slices',
  format: 'transposedSlices',
  shared,
  plain: ({ transposedSlices: slices, width, x, out }) =>
    plainProducts.slicedProduct(...slicedOperands(slices!, width), x, out),
  reference: transpose.plain,
  simd: both(({ transposedSlices: slices, width, x, out }) =>
    productKernels().slicedProduct(...slicedOperands(slices!, width), x, out),
  ),
  bytes: (structure, _listed, width, valueBytes) =>
    matrixBytes({ ...structure, rows: Math.ceil(structure.cols / sliceHeight) }, valueBytes) +
    valueBytes * width * (structure.rows - structure.emptyRows + structure.cols),
};

const arraysOf = ({ starts, columns, values }: CsrView): [Int32Array, Int32Array, Floats] => [starts, columns, values];

const slice: OperationRules = {
  label: 'A[rows, :]',
  format: 'csr',
  product: null,
  columns: () => [0],
  suits: any,
  plain: ({ matrix: { starts, columns, values }, list, out, outStarts, outColumns }) =>
    csrSlice(list.length, list, starts, columns, values, outStarts, outColumns, out),
  simd: both(({ matrix: { starts, columns, values }, list, out, outStarts, outColumns }) =>
    sliceKernels().csrSlice(list.length, list, starts, columns, values, outStarts, outColumns, out),
  ),
  shared: never,
  lengths: (_structure, { entries }) => ({ x: 0, out: entries, outColumns: entries }),
  flops: () => 0,
  /** Two starts and the number of each row, its own start, and its entries, which are read and written. */
  bytes: (_structure, { rows, entries }, _width, valueBytes) =>
    4 * indexBytes * rows + 2 * entries * (indexBytes + valueBytes),
};

export const operationRules: Readonly<Record<Operation, OperationRules>> = {
  multiply,
  sliced,
  blocked,
  symmetric,
  transpose,
  transposedCopy,
  transposedSlices,
  slice,
};
