/** Approximate nearest neighbors from all pairs by matrix products: |x|² + |y|² − 2x·y, the cheapest form of a distance. */

import { largestMagnitude } from '../../../linalg/matrix.ts';
import { kernels } from '../../../kernels/table.ts';
import type { Floats } from '../../../kernels/types.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import { fromDense } from '../../../sparse/build.ts';
import type { CsrMatrix } from '../../../sparse/csr.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { isSparse, type Points } from '../../../sparse/points.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { longestRow } from '../points.ts';
import { Candidates } from './candidates.ts';
import type { Task } from '../../../core/task.ts';

/** Blocks of products of points (rows) and queries (columns). */
export interface Multiplier {
  readonly rowBlock: number;
  readonly columnBlock: number;
  /** The largest number of terms in a chain of additions. */
  readonly terms: number;
  /** Selects the n queries from `left` on for the products that follow. */
  select(left: number, n: number): void;
  /** out[m×n] = the products of the m points from `top` on with the selected queries. */
  multiply(top: number, m: number, n: number, out: Float32Array): void;
}

/** The largest squared norms that can be added in single precision. */
const largestNorm = 1e38;

/** Whether the squared norms of all rows are finite in single precision. If not, products are meaningless. */
export function haveNorms(points: Points): boolean {
  const largest = largestMagnitude(isSparse(points) ? points.values : points.data);
  return points.cols * largest * largest <= largestNorm;
}

/** Below this fraction of nonzeros a sparse product is faster than a dense one. */
const sparseFraction = 0.4;

/** The first points pass the sieve, whatever their distance. The fewer they are, the sooner it has limits. */
const firstRows = 64;

/** The pairs of a block that passed the sieve, ascending: pair h is point top + ⌊places[h]/n⌋ and query left + places[h] mod n. */
export type SiftedPairs = [
  count: number,
  n: number,
  top: number,
  left: number,
  places: Int32Array,
  distances: Float32Array,
];

/** A second search in the same pass: for the pairs of a query and a point within whose reach it is. */
export interface Reach {
  /** The squared distance up to which pairs with each point pass the sieve. Distances are off by at most `bound`. */
  limits(bound: number): Float32Array;
  note(...pairs: SiftedPairs): void;
}

export interface RoughCandidates {
  readonly candidates: Pick<Candidates, 'indices' | 'worst'>;
  /** A bound of the error of the squared distances of query i. */
  error(query: number): number;
}

/**
 * The `width` points nearest to each query, leaving out point except[i] for query i where it is given; or with 'others',
 * when the queries are the points, the nearest others of each: each pair is then measured once. 2·n·m·d flops, half of that
 * for others, fewer where many numbers are zero. If points have a reach, it notes pairs from the same products.
 */
export function* nearestByProductsSteps(
  points: Points,
  queries: Points,
  except: Int32Array | 'others' | null,
  width: number,
  reach: Reach | null,
): Task<RoughCandidates> {
  const both = except === 'others';
  const { rows } = points;
  const multiplier = multiplierFor(points, queries);
  const { rowBlock, columnBlock } = multiplier;
  const norms = squaredNorms(points);
  const queryNorms = both ? norms : squaredNorms(queries);
  const candidates = new Candidates(queries.rows, width);
  const largest = largestMagnitude(norms);
  const rounding = relativeRounding(multiplier, points.cols);
  const limits =
    reach?.limits(rounding * (largest + largestMagnitude(queryNorms))) ?? allocate(rows, 'single').fill(-Infinity);
  const rowLimits = both ? candidates.worst : limits;
  const products = allocate(rowBlock * columnBlock, 'single');
  const places = allocateIndices(rowBlock * columnBlock);
  const distances = allocate(rowBlock * columnBlock, 'single');
  for (let left = 0; left < queries.rows; left += columnBlock) {
    const n = Math.min(columnBlock, queries.rows - left);
    multiplier.select(left, n);
    const begin = both ? left : 0;
    for (let top = begin; top < rows; top += rowBlock) {
      const m = Math.min(rowBlock, rows - top);
      multiplier.multiply(top, m, n, products);
      for (let from = top, to = top; from < top + m; from = to) {
        to = Math.min(top + m, begin + Math.max(firstRows, 4 * (from - begin)));
        const count = nearestKernels().siftPairs(
          to - from,
          n,
          products.subarray((from - top) * n, (to - top) * n),
          norms.subarray(from, to),
          queryNorms.subarray(left, left + n),
          rowLimits.subarray(from, to),
          candidates.worst.subarray(left, left + n),
          places,
          distances,
        );
        offerPairs(count, n, from, left, places, distances, except, candidates);
        reach?.note(count, n, from, left, places, distances);
      }
      yield both ? 1 - (1 - left / rows) ** 2 : left / queries.rows;
    }
  }
  return { candidates, error: (query) => rounding * (queryNorms[query] + largest) };
}

/** The error of a squared distance from products is at most this fraction of |x|² + |y|². */
export function relativeRounding({ terms }: Multiplier, cols: number): number {
  // Each product is off by at most terms·ε·|x||y|, its double therefore by terms·ε·(|x|² + |y|²); six more roundings follow.
  return 2 ** -24 * (terms + 8) * (1 + cols * 2 ** -20);
}

type OfferPairs = (...all: [...SiftedPairs, except: Int32Array | 'others' | null, to: Candidates]) => void;

/** Offers the pairs of a block that passed the sieve to their queries; with 'others' those with i > j to both. */
const offerPairs: OfferPairs = (count, n, top, left, places, distances, except, to) => {
  const both = except === 'others';
  const excluded = both ? null : except;
  for (let h = 0, row = top, begin = 0; h < count; h++) {
    for (; places[h] >= begin + n; begin += n) row++;
    const column = left + places[h] - begin;
    if (both ? row <= column : row === excluded?.[column]) continue;
    to.offer(column, row, distances[h]);
    if (both) to.offer(row, column, distances[h]);
  }
};

/** For points and queries in the same format, both in single precision. */
export function multiplierFor(points: Points, queries: Points): Multiplier {
  if (isSparse(points)) return sparseMultiplier(points, scatteredQueries(queries as CsrMatrix));
  const dense = queries as Tensor;
  return isMostlyZero(points)
    ? sparseMultiplier(fromDense(points), transposedQueries(dense))
    : denseMultiplier(points, dense);
}

/** Whether a sparse product is faster. */
export function isMostlyZero({ size, data }: Tensor): boolean {
  let nonzeros = 0;
  for (let at = 0; at < size; at++) if (data[at] !== 0) nonzeros++;
  return nonzeros < sparseFraction * size;
}

/** Transposed queries in a block of cols×n numbers, valid until the next call. */
type QueryBlocks = (left: number, n: number) => Floats;

/** Sixteen transposed queries share the first-level cache with their products. */
const queryBlock = 16;

/** Half a megabyte of products at a time. */
function sparseMultiplier(points: CsrMatrix, transposedBlock: QueryBlocks): Multiplier {
  const { starts, columns, values } = points;
  let transposed: Floats;
  return {
    rowBlock: 8192,
    columnBlock: queryBlock,
    terms: longestRow(points),
    select(left, n) {
      transposed = transposedBlock(left, n);
    },
    multiply(top, m, n, out) {
      kernels.csrMatmul(m, n, starts.subarray(top, top + m + 1), columns, values, transposed, out, false);
    },
  };
}

function transposedQueries({ cols, data }: Tensor): QueryBlocks {
  const block = allocate(cols * queryBlock, 'single');
  return (left, n) => {
    kernels.transpose(n, cols, data.subarray(left * cols, (left + n) * cols), block, false);
    return block;
  };
}

/** Sparse queries written into a block of zeros. Only the entries of the last ones are erased. */
function scatteredQueries({ cols, starts, columns, values }: CsrMatrix): QueryBlocks {
  const block = allocate(cols * queryBlock, 'single');
  let last = { left: 0, n: 0 };
  const scatter = (left: number, n: number, erase: boolean): void => {
    for (let k = 0; k < n; k++) {
      for (let e = starts[left + k]; e < starts[left + k + 1]; e++) block[columns[e] * n + k] = erase ? 0 : values[e];
    }
  };
  return (left, n) => {
    scatter(last.left, last.n, true);
    scatter(left, n, false);
    last = { left, n };
    return block;
  };
}

/** A megabyte of products at a time; more rows than columns, since columns are packed for every block. */
export function denseMultiplier({ cols, data }: Tensor, queries: Tensor): Multiplier {
  let right = queries.data;
  return {
    rowBlock: 1024,
    columnBlock: 256,
    // In blocks of 512, which are then added up.
    terms: Math.min(cols, 512 + Math.ceil(cols / 512)),
    select(left, n) {
      right = queries.data.subarray(left * cols, (left + n) * cols);
    },
    multiply(top, m, n, out) {
      kernels.matmulTransposeB(m, n, cols, data.subarray(top * cols, (top + m) * cols), right, out, false);
    },
  };
}

/** The squared norms of the rows, summed in Float64. */
export function squaredNorms(points: Points): Float32Array {
  const norms = allocate(points.rows, 'single');
  const values = isSparse(points) ? points.values : points.data;
  for (let i = 0; i < points.rows; i++) {
    const [start, end] = isSparse(points)
      ? [points.starts[i], points.starts[i + 1]]
      : [i * points.cols, (i + 1) * points.cols];
    let sum = 0;
    for (let at = start; at < end; at++) sum += values[at] * values[at];
    norms[i] = sum;
  }
  return norms;
}
