/** Rayleigh-Ritz pairs (eq:decouple) in the span of given rows, or of these and of vectors from earlier epochs. In Float64. */

import { badValue } from '../../core/check.ts';
import { movingRowsKernels, reduceKernels } from '../../wasm/families.ts';
import { generalizedEigen, numericalRank } from '../../linalg/eigen.ts';
import type { Matrix } from '../../linalg/matrix.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { applyPencil, type Pencil, removeTrivial } from '../pencil/pencil.ts';
import { columns } from '../spectrum/spectrum.ts';

/** Columns and their products with W (less ηηᵀ), n×K each. */
export interface RitzBlock {
  readonly rows: Matrix;
  readonly product: Matrix;
}

export interface RitzPairs extends RitzBlock {
  /** θ, descending, K of them. Columns of `rows` are x with xᵀDx = 1, columns of `product` Wx. */
  readonly values: Float64Array;
  /** ‖D^-½(Wx − θDx)‖. */
  readonly residuals: Float64Array;
}

/** The input of the next extrapolation: the last vectors, and the direction of their last change. */
export interface RitzMemory {
  readonly pairs: RitzBlock;
  readonly direction: RitzBlock | null;
}

/** Directions of the joint basis that are smaller than this fraction of the largest count as rounding and are dropped. */
const cut = 1e-12;
/** With directions smaller than this, coefficients are large. Then products are computed anew, because combining them would magnify rounding. */
const shaky = 1e-8;

/**
 * The pairs in the span of the columns of y. If the trivial vector is deflated, the columns are first made orthogonal to it:
 * in W − ηηᵀ it has the eigenvalue 0, which is above negative ones. Throws `NotPositiveDefinite` for dependent columns.
 */
export function ritzPairs(caller: string, pencil: Pencil, y: Tensor): RitzPairs {
  return pairsOf(pencil, [nonzeroBlock(caller, pencil, y)]).pairs;
}

/** The columns of y as approximate eigenvectors, each with its Rayleigh quotient, in their order and without Rayleigh-Ritz. */
export function columnPairs(caller: string, pencil: Pencil, y: Tensor): RitzPairs {
  const block = nonzeroBlock(caller, pencil, y);
  const { rows, product } = block;
  const values = new Float64Array(y.cols);
  for (let at = 0; at < rows.size; at++) values[at % y.cols] += rows.data[at] * product.data[at];
  return { ...block, values, residuals: residualsOf(pencil, block, values) };
}

/** The columns of y without their trivial part, of unit length, and their products with W. */
function nonzeroBlock(caller: string, pencil: Pencil, y: Tensor): RitzBlock {
  const block = unitBlock(pencil, y.copy('double'), null);
  const empty = squaresOf(pencil, block.rows).indexOf(0);
  if (empty >= 0) {
    const remedy = 'Start from other rows, or keep the trivial pair by { deflate: false }.';
    throw badValue(caller, 'columns that hold more than the trivial vector', `column ${empty}`, remedy);
  }
  return block;
}

/** The first `count` pairs, copied. Returns `pairs` itself if it has no more. */
export function leadingPairs(pairs: RitzPairs, count: number): RitzPairs {
  if (count === pairs.values.length) return pairs;
  return {
    values: pairs.values.slice(0, count),
    residuals: pairs.residuals.slice(0, count),
    rows: columns(pairs.rows, 0, count),
    product: columns(pairs.product, 0, count),
  };
}

/**
 * The best pairs in the span of y, of the last vectors and of the last direction. This is LOBPCG with the sweep of an epoch as
 * preconditioner. It takes one product with W. The sum of the values never falls, so slow sweeps are accelerated and bad
 * ones do no harm, even if they lose columns because the graph has few nonzero eigenvalues.
 */
export function extrapolate(pencil: Pencil, y: Tensor, memory: RitzMemory): [RitzPairs, RitzMemory] {
  const fresh = unitBlock(pencil, y.copy('double'), memory.pairs.rows);
  const blocks = memory.direction ? [memory.pairs, fresh, memory.direction] : [memory.pairs, fresh];
  const { pairs, coefficients, rank } = pairsOf(pencil, blocks, cut);
  const width = y.cols;
  const direction = combination(blocks.slice(1), coefficients.subarray(width * width), width);
  unitColumns(pencil, direction);
  if (rank < width * blocks.length) {
    for (const { rows, product } of [pairs, direction]) {
      removeTrivial(pencil, width, rows.data);
      applyPencil(pencil, width, rows.data, product.data);
    }
  }
  return [pairs, { pairs, direction }];
}

/**
 * Makes y orthogonal to the span of `known` (D-orthonormal) and to the trivial vector, in place, with columns of unit
 * length, and multiplies it by W. Columns that are only rounding become zeros.
 */
function unitBlock(pencil: Pencil, y: Matrix, known: Matrix | null): RitzBlock {
  const block = { rows: y, product: zeros(y.shape, 'double') };
  const width = y.cols;
  const rounding = (pencil.size * Number.EPSILON) ** 2;
  const before = squaresOf(pencil, y);
  projectOut(pencil, y, known);
  const after = squaresOf(pencil, y);
  for (let at = 0; at < y.size; at++) if (after[at % width] <= rounding * before[at % width]) y.data[at] = 0;
  unitColumns(pencil, block);
  // Scaling a small remainder magnifies its rounding, so project again. Twice is enough.
  projectOut(pencil, y, known);
  unitColumns(pencil, block);
  applyPencil(pencil, width, y.data, block.product.data);
  return block;
}

/** y ← y minus its parts in the span of `known` and along the trivial vector. */
function projectOut(pencil: Pencil, y: Matrix, known: Matrix | null): void {
  const width = y.cols;
  if (known) {
    const overlap = new Float64Array(width * width);
    reduceKernels().gram(pencil.size, width, width, pencil.mass, known.data, y.data, overlap);
    const inside = combine([known], overlap, width).data;
    for (let p = 0; p < y.size; p++) y.data[p] -= inside[p];
  }
  removeTrivial(pencil, width, y.data);
}

/** xᵀDx of each column. */
function squaresOf({ size, mass }: Pencil, { cols, data }: Matrix): Float64Array {
  const squares = new Float64Array(cols);
  for (let i = 0, at = 0; i < size; i++) for (let j = 0; j < cols; j++, at++) squares[j] += mass[i] * data[at] ** 2;
  return squares;
}

/** Divides columns, and those of the product, by √(xᵀDx); columns of zeros stay. */
function unitColumns(pencil: Pencil, { rows, product }: RitzBlock): void {
  const width = rows.cols;
  const factors = squaresOf(pencil, rows).map((square) => (square > 0 ? 1 / Math.sqrt(square) : 0));
  for (let at = 0; at < rows.size; at++) {
    rows.data[at] *= factors[at % width];
    product.data[at] *= factors[at % width];
  }
}

function pairsOf(
  pencil: Pencil,
  blocks: readonly RitzBlock[],
  cutting?: number,
): { pairs: RitzPairs; coefficients: Float64Array; rank: number } {
  const { size, mass } = pencil;
  const width = blocks[0].rows.cols;
  const total = width * blocks.length;
  const left = zeros([total, total], 'double');
  const right = zeros([total, total], 'double');
  const corner = new Float64Array(width * width);
  for (const [a, { rows }] of blocks.entries()) {
    for (const [b, other] of blocks.slice(0, a + 1).entries()) {
      reduceKernels().gram(size, width, width, null, rows.data, other.product.data, corner);
      place(corner, left.data, a * width, b * width, width, total);
      reduceKernels().gram(size, width, width, mass, rows.data, other.rows.data, corner);
      place(corner, right.data, a * width, b * width, width, total);
    }
  }
  const { values, vectors } = generalizedEigen(left, right, cutting === undefined ? {} : { cut: cutting });
  const coefficients = new Float64Array(total * width);
  for (let i = 0; i < total; i++) {
    for (let j = 0; j < width; j++) coefficients[i * width + j] = vectors.data[i * vectors.cols + j];
  }
  const block = combination(blocks, coefficients, width);
  const leading = values.slice(0, width);
  return {
    pairs: { ...block, values: leading, residuals: residualsOf(pencil, block, leading) },
    coefficients,
    rank: numericalRank(right, shaky),
  };
}

/** Corner (a, b) of a symmetric matrix and its mirror image. */
function place(corner: Float64Array, out: Float64Array, row: number, col: number, width: number, total: number): void {
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) {
      if (row === col && j > i) continue;
      const value = row === col ? (corner[i * width + j] + corner[j * width + i]) / 2 : corner[i * width + j];
      out[(row + i) * total + col + j] = value;
      out[(col + j) * total + row + i] = value;
    }
  }
}

function combination(blocks: readonly RitzBlock[], coefficients: Float64Array, width: number): RitzBlock {
  const combined = (part: keyof RitzBlock): Matrix => {
    const parts = blocks.map((block) => block[part]);
    return combine(parts, coefficients, width);
  };
  return { rows: combined('rows'), product: combined('product') };
}

/** Σ parts[b]·coefficients of block b, n×width, new. */
function combine(parts: readonly Matrix[], coefficients: Float64Array, width: number): Matrix {
  const result = zeros(parts[0].shape, 'double');
  const out = result.data;
  if (parts.length === 1) {
    movingRowsKernels().multiplyRows(result.rows, width, null, parts[0].data, coefficients, out);
    return result;
  }
  const row = new Float64Array(width);
  for (let at = 0; at < out.length; at += width) {
    row.fill(0);
    for (let b = 0; b < parts.length; b++) {
      for (let p = 0; p < width; p++) {
        const value = parts[b].data[at + p];
        for (let j = 0, c = (b * width + p) * width; j < width; j++, c++) row[j] += value * coefficients[c];
      }
    }
    for (let j = 0; j < width; j++) out[at + j] = row[j];
  }
  return result;
}

function residualsOf({ size, mass }: Pencil, { rows, product }: RitzBlock, values: Float64Array): Float64Array {
  const width = rows.cols;
  const squares = new Float64Array(width);
  for (let i = 0, at = 0; i < size; i++) {
    for (let j = 0; j < width; j++, at++) {
      squares[j] += (product.data[at] - values[j] * mass[i] * rows.data[at]) ** 2 / mass[i];
    }
  }
  return squares.map(Math.sqrt);
}
