/** The small eigenproblem of a step of LOBPCG, and the directions that it hands to the next step. */

import { Tensor, zeros } from '../../../tensor/tensor.ts';
import { generalizedEigen, symmetricEigen } from '../../eigen.ts';
import { columnOf, multiply, multiplyTransposed, symmetrizeInPlace } from '../../matrix.ts';
import type { Block } from '../blocks/blocks.ts';

/** Directions of a basis of unit vectors whose Gram matrix has a smaller eigenvalue are dropped: they are rounding. */
const dependent = 1e-9;

/** SᵀAS and SᵀBS of a basis S, or some columns of them. */
export interface Pencil {
  /** The number of columns. */
  readonly size: number;
  readonly a: Float64Array;
  readonly b: Float64Array;
}

export interface RitzPairs {
  /** Ascending. */
  readonly values: Float64Array;
  /** Coordinates of the Ritz vectors: a row for each vector of the basis, a column for each value. */
  readonly factors: Float64Array;
  readonly rank: number;
}

/** The `count` smallest Ritz pairs, or fewer if the basis has a smaller rank. Symmetrizes the pencil in place. */
export function smallestRitzPairs({ size, a, b }: Pencil, count: number): RitzPairs {
  symmetrizeInPlace(size, a);
  symmetrizeInPlace(size, b);
  const shape = [size, size];
  const found = generalizedEigen(new Tensor(a, shape), new Tensor(b, shape), { cut: dependent });
  const rank = Math.min(count, found.rank);
  const factors = new Float64Array(size * rank);
  for (let i = 0; i < size; i++) {
    for (let c = 0; c < rank; c++) factors[i * rank + c] = found.vectors.data[(i + 1) * found.rank - 1 - c];
  }
  return { values: found.values.toReversed().slice(0, rank), factors, rank };
}

/** The pencil of a basis and more vectors, from that of the basis and the columns of the others. */
export function extendPencil(known: Pencil, added: Pencil): Pencil {
  const size = known.size + added.size;
  const extend = (square: Float64Array, columns: Float64Array): Float64Array => {
    const out = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < added.size; j++) {
        out[i * size + known.size + j] = out[(known.size + j) * size + i] = columns[i * added.size + j];
      }
    }
    for (let i = 0; i < known.size; i++) {
      for (let j = 0; j < known.size; j++) out[i * size + j] = square[i * known.size + j];
    }
    return out;
  };
  return { size, a: extend(known.a, added.a), b: extend(known.b, added.b) };
}

/** The pencil of the combinations SF: FᵀAF and FᵀBF. */
export function restrictPencil({ size, a, b }: Pencil, { width, data }: Block): Pencil {
  const factors = new Tensor(data, [size, width]);
  const restrict = (square: Float64Array): Float64Array =>
    multiplyTransposed(factors, multiply(new Tensor(square, [size, size]), factors)).data;
  return { size: width, a: restrict(a), b: restrict(b) };
}

/** The pencil of the listed vectors of a basis. */
export function pickPencil({ size, a, b }: Pencil, listed: readonly number[]): Pencil {
  const pick = (square: Float64Array): Float64Array =>
    Float64Array.from(listed.flatMap((i) => listed.map((j) => square[i * size + j])));
  return { size: listed.length, a: pick(a), b: pick(b) };
}

/**
 * The parts of the listed Ritz vectors outside of the last ones, which are the first `ritz.width` vectors of the basis, made orthonormal
 * to the Ritz vectors and to each other in the inner product b (Hetmaniuk & Lehoucq 2006). Columns that vanish are dropped.
 */
export function conjugateDirections(ritz: Block, listed: readonly number[], b: Float64Array): Block {
  const size = Math.sqrt(b.length);
  const fixed = Array.from({ length: ritz.width }, (_, c) => columnOf(ritz.data, ritz.width, c));
  const kept: Float64Array[] = [];
  for (const c of listed) {
    const direction = columnOf(ritz.data, ritz.width, c).fill(0, 0, ritz.width);
    const before = lengthOf(direction, b);
    for (let pass = 0; pass < 2; pass++) {
      for (const other of [...fixed, ...kept]) {
        const product = innerProduct(other, direction, b);
        for (let i = 0; i < size; i++) direction[i] -= product * other[i];
      }
    }
    const length = lengthOf(direction, b);
    if (!(length > dependent * before)) continue;
    kept.push(direction.map((x) => x / length));
  }
  const data = new Float64Array(size * kept.length);
  for (const [c, direction] of kept.entries()) for (let i = 0; i < size; i++) data[i * kept.length + c] = direction[i];
  return { width: kept.length, data };
}

/** Of vectors of unit length, directions of which a smaller fraction is outside of the others are dropped. */
const leastRest = 1e-10;

/** How to make vectors orthonormal to others, which are orthonormal, and to each other. */
export interface Orthonormalization {
  /** Coordinates of the new vectors: a row for each of the others and of the vectors, a column for each new one. */
  readonly factors: Float64Array;
  /** The number of new vectors. */
  readonly width: number;
  /** The smallest fraction of a square that was left. */
  readonly least: number;
}

/** `gram` has the inner products of the others, and of the `count` vectors, with the vectors. */
export function orthonormalize(gram: Float64Array, count: number): Orthonormalization {
  const rows = gram.length / count;
  const others = rows - count;
  const lengths = Array.from({ length: count }, (_, c) => Math.sqrt(gram[(others + c) * count + c]) || 1);
  const rest = zeros([count, count], 'double');
  for (let c = 0; c < count; c++) {
    for (let d = 0; d < count; d++) {
      let sum = gram[(others + c) * count + d];
      for (let k = 0; k < others; k++) sum -= gram[k * count + c] * gram[k * count + d];
      rest.data[c * count + d] = sum / (lengths[c] * lengths[d]);
    }
  }
  symmetrizeInPlace(count, rest.data);
  const { values, vectors } = symmetricEigen(rest);
  const width = values.filter((value) => value > leastRest).length;
  const factors = new Float64Array(rows * width);
  for (let j = 0; j < width; j++) {
    for (let c = 0; c < count; c++) {
      const factor = vectors.data[c * count + j] / (Math.sqrt(values[j]) * lengths[c]);
      factors[(others + c) * width + j] = factor;
      for (let k = 0; k < others; k++) factors[k * width + j] -= factor * gram[k * count + c];
    }
  }
  return { factors, width, least: width === 0 ? 1 : values[width - 1] };
}

function lengthOf(x: Float64Array, b: Float64Array): number {
  return Math.sqrt(Math.max(0, innerProduct(x, x, b)));
}

function innerProduct(x: Float64Array, y: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0, at = 0; i < x.length; i++) for (let j = 0; j < y.length; j++, at++) sum += x[i] * b[at] * y[j];
  return sum;
}
