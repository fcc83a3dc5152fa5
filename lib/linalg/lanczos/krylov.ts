/** The Krylov basis of thick-restart Lanczos (Wu & Simon 2000), with full reorthogonalization where it is needed. */

import type { Task } from '../../core/task.ts';
import type { Random } from '../../core/random.ts';
import { combineWork } from '../../kernels/vectors.ts';
import { zeros } from '../../tensor/tensor.ts';
import { vectorKernels } from '../../wasm/families.ts';
import { symmetricEigen } from '../eigen.ts';
import { Room } from './room.ts';
import type { CountedOperator } from './operator.ts';
import { largestMagnitude, type Matrix } from '../matrix.ts';

/** Approximate eigenpairs from the basis, at the upper end of the spectrum. */
export interface RitzPairs {
  /** Descending. */
  readonly values: Float64Array;
  /** ‖Bx − θx‖ of each, up to rounding. */
  readonly residuals: Float64Array;
  /** Coordinates in the basis: column i belongs to value i. */
  readonly rotation: Matrix;
}

/** A remainder this small, relative to the norm of B, is the rounding of a product: the basis is invariant. */
export const invariant = 32 * Number.EPSILON;
/** A unit vector is orthogonal to others if its inner products with them are at most this. About half of the new ones are. */
const orthogonal = 1e-14;
/**
 * Inner products of basis vectors may grow to this before a vector is reorthogonalized. Up to √ε the projected matrix is as
 * good as exact (Simon 1984); the rest is a margin for rounding that accumulates over thousands of restarts.
 */
const semiorthogonal = 1e-11;
/** A vector that keeps this fraction of its length in a pass of orthogonalization needs no further pass. */
const enough = Math.SQRT1_2;
/** The largest number of passes. A vector that still shrinks after them is rounding. */
const passes = 4;
/** A vector of which only this fraction is left depends on the vectors before it. */
const dependent = 1e-12;

/**
 * The operator is PBP, where P projects out the fixed vectors. With V the current basis, v the next vector and c its
 * couplings, BV = VT + v·cᵀ on the range of P. T is diagonal over the vectors kept at a restart, tridiagonal after them,
 * and full in the row between. Rounding brings old directions back; before they matter, two new vectors in succession are
 * orthogonalized against all others.
 */
export class KrylovBasis {
  /** Fixed vectors, then the basis, then the next vector, all orthonormal; then free space. */
  readonly #rows: Room;
  readonly #operator: CountedOperator;
  readonly #capacity: number;
  readonly #random: Random;
  #fixed = 0;
  /** How many of them are fixed temporarily. */
  #aside = 0;
  /** The size of the basis, and of T. */
  #held = 0;
  #hasNext = false;
  /** Bounds of the inner products of the next vector with the others, and of those of the vector before it. */
  #loss = { next: 1, before: 1 };
  /** T with rows of length `capacity`. */
  readonly #projected: Float64Array;
  readonly #couplings: Float64Array;
  /** Factors of rows, and the workspace for combining rows. */
  readonly #factors: Room;
  readonly #work: Room;

  /** `fixed` is the expected number of fixed vectors. */
  constructor(operator: CountedOperator, capacity: number, fixed: number, random: Random) {
    this.#operator = operator;
    this.#capacity = capacity;
    this.#rows = new Room((fixed + capacity + 1) * operator.size);
    this.#factors = new Room(capacity * capacity + fixed);
    this.#work = new Room(combineWork(capacity));
    this.#random = random;
    this.#projected = new Float64Array(capacity * capacity);
    this.#couplings = new Float64Array(capacity);
  }

  /** The number of fixed rows. */
  get fixed(): number {
    return this.#fixed;
  }

  /** A view of a row, valid until a row beyond the allocated space is requested. */
  row(at: number): Float64Array {
    const { size } = this.#operator;
    return this.#rows.upTo((at + 1) * size).subarray(at * size, (at + 1) * size);
  }

  /** Frees the memory. No row may be used afterwards. */
  close(): void {
    for (const room of [this.#rows, this.#factors, this.#work]) room.giveBack();
  }

  /** Projects the first `count` rows out of a vector that is none of them, in one pass. */
  takeOut(count: number, vector: Float64Array): void {
    if (count === 0) return;
    const { size } = this.#operator;
    const products = this.#factors.upTo(count);
    vectorKernels().rowDots(count, size, this.#rows.array, vector, products);
    vectorKernels().subtractRows(count, size, products, this.#rows.array, vector);
  }

  /** The largest size of the basis beside the fixed vectors. */
  get limit(): number {
    return Math.min(this.#capacity - this.#aside, this.#operator.size - this.#fixed);
  }

  /** Starts a new basis from a copy of `start` or a random vector. Returns false if `start` depends on the fixed vectors. */
  begin(start?: ArrayLike<number>): boolean {
    this.#loss = { next: 1, before: 1 };
    this.#held = 0;
    this.#hasNext = false;
    this.#couplings.fill(0);
    this.#projected.fill(0);
    if (start) {
      const row = this.row(this.#fixed);
      row.set(start);
      const largest = largestMagnitude(row);
      if (largest > 0) vectorKernels().scaleVector(row.length, 1 / largest, row, row, false);
      this.#hasNext = this.#orthonormalize(this.#fixed);
    }
    return !start || this.#hasNext;
  }

  /** Makes the vector of `begin` a fixed one. */
  fixStart(): void {
    this.#fixed++;
    this.#hasNext = false;
  }

  /** Makes the vectors of the basis fixed ones until `takeBack`; they count against its size. Returns their number. */
  setAside(): number {
    this.#aside = this.#held;
    this.#fixed += this.#aside;
    return this.#aside;
  }

  /** Removes the vectors that were set aside. */
  takeBack(): void {
    this.#fixed -= this.#aside;
    this.#aside = 0;
  }

  get isFull(): boolean {
    return this.#held === this.limit;
  }

  /**
   * Extends the basis by `steps` vectors, or until it is full or `productLimit` products were made in all, and solves the
   * projected problem. Yields after every product.
   */
  *expandSteps(productLimit: number, steps: number): Task<RitzPairs> {
    for (let i = 0; i < steps && !this.isFull && this.#operator.products < productLimit; i++) {
      this.#step();
      yield this.#operator.fraction;
    }
    const held = this.#held;
    const projected = zeros([held, held], 'double');
    for (let i = 0; i < held; i++) {
      for (let j = 0; j < held; j++) projected.data[i * held + j] = this.#projected[i * this.#capacity + j];
    }
    const { values, vectors: rotation } = symmetricEigen(projected);
    const residuals = this.#couplingsOf(rotation).map(Math.abs);
    this.#operator.norm = Math.max(this.#operator.norm, largestMagnitude(values));
    return { values, residuals, rotation };
  }

  /** Keeps the leading Ritz vectors as the basis. The first `locked` of them become fixed; their residuals are dropped. */
  restart(pairs: RitzPairs, kept: number, locked: number): void {
    const first = this.#fixed;
    const held = this.#held;
    const { size } = this.#operator;
    const factors = this.#factors.upTo(held * held);
    factors.set(pairs.rotation.data);
    vectorKernels().combineRows(held, kept, size, factors, this.#rows.array.subarray(first * size), this.#work.array);
    if (this.#hasNext) this.row(first + kept).set(this.row(first + held));
    // Rounding accumulates over thousands of restarts: locked vectors are orthonormalized once more.
    for (let i = 0; i < locked; i++) this.#orthonormalize(first + i);
    this.#fixed += locked;
    this.#held = kept - locked;
    this.#loss = { next: 1, before: 1 };
    const couplings = this.#couplingsOf(pairs.rotation);
    this.#couplings.fill(0);
    this.#projected.fill(0);
    for (let i = 0; i < this.#held; i++) {
      this.#couplings[i] = couplings[locked + i];
      this.#projected[i * this.#capacity + i] = pairs.values[locked + i];
    }
  }

  /** One product: adds the next vector to the basis; its image, orthogonalized, becomes the new next vector. */
  #step(): void {
    const { dotVectors, scaleVector, subtractRows } = vectorKernels();
    const { size } = this.#operator;
    const held = this.#held;
    const at = this.#fixed + held;
    if (!this.#hasNext) this.#drawNext();
    const rest = this.row(at + 1);
    const vector = this.row(at);
    this.#operator.apply(vector, rest);
    const couplings = this.#couplings;
    let from = 0;
    while (from < held && couplings[from] === 0) from++;
    const known = this.#factors.upTo(held - from + 1);
    known.set(couplings.subarray(from, held));
    known[held - from] = dotVectors(size, vector, rest);
    for (let i = from; i <= held; i++) {
      this.#projected[i * this.#capacity + held] = known[i - from];
      this.#projected[held * this.#capacity + i] = known[i - from];
    }
    const rows = this.#rows.array.subarray((this.#fixed + from) * size);
    subtractRows(held - from + 1, size, known, rows, rest);
    // Fixed vectors are eigenvectors within the tolerance at best, so a product brings back more of them than rounding.
    this.takeOut(this.#fixed, rest);
    const before = Math.sqrt(dotVectors(size, rest, rest));
    // Without reorthogonalization the three-term recurrence lets inner products grow by this factor.
    const grown = (4 * this.#operator.norm * Math.max(this.#loss.next, this.#loss.before)) / before;
    this.#loss = { next: grown, before: this.#loss.next };
    const after = grown <= semiorthogonal ? before : this.#orthogonalize(at + 1, before);
    this.#held++;
    couplings.fill(0);
    this.#hasNext = after > invariant * this.#operator.norm;
    if (!this.#hasNext) return;
    couplings[held] = after;
    scaleVector(size, 1 / after, rest, rest, false);
  }

  /** Draws a random next vector, without couplings. */
  #drawNext(): void {
    const at = this.#fixed + this.#held;
    this.#random.fillNormal(this.row(at));
    this.#hasNext = this.#orthonormalize(at);
  }

  /** Row `at` ← its component orthogonal to all rows before it, normalized. Returns false if there is none. */
  #orthonormalize(at: number): boolean {
    const { dotVectors, scaleVector } = vectorKernels();
    const row = this.row(at);
    const before = Math.sqrt(dotVectors(row.length, row, row));
    const after = this.#orthogonalize(at, before);
    if (!(after > dependent * before)) return false;
    scaleVector(row.length, 1 / after, row, row, false);
    return true;
  }

  /** Projects all rows before it out of row `at`, of length `before`, until it stops shrinking. Returns its length. */
  #orthogonalize(at: number, before: number): number {
    const { dotVectors, rowDots, subtractRows } = vectorKernels();
    const row = this.row(at);
    const rows = this.#rows.array;
    const products = this.#factors.upTo(at).subarray(0, at);
    let length = before;
    for (let pass = 0; pass < passes; pass++) {
      rowDots(at, row.length, rows, row, products);
      this.#loss.next = Math.max(Number.EPSILON, largestMagnitude(products) / length);
      if (this.#loss.next <= orthogonal) break;
      subtractRows(at, row.length, products, rows, row);
      const left = Math.sqrt(dotVectors(row.length, row, row));
      const kept = left >= enough * length;
      this.#loss.next = 4 * Number.EPSILON;
      length = left;
      if (kept) break;
    }
    return length;
  }

  /** cᵀS: the coupling of each Ritz vector to the next vector. */
  #couplingsOf(rotation: Matrix): Float64Array {
    const { rows, cols, data } = rotation;
    const result = new Float64Array(cols);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < cols; j++) result[j] += this.#couplings[i] * data[i * cols + j];
    }
    return result;
  }
}
