/** How does a Krylov basis grow, and what is kept of it? Thick-restart Lanczos (Wu & Simon 2000), fully orthogonal. */

import type { Work } from '../../core/pace.ts';
import type { Random } from '../../core/random.ts';
import { combineWork } from '../../kernels/vectors.ts';
import { zeros } from '../../tensor/tensor.ts';
import { vectorKernels } from '../../wasm/simd/vectors/vectors.ts';
import { symmetricEigen } from '../eigen.ts';
import { Room } from './room.ts';
import type { CountedOperator } from './operator.ts';
import { largestMagnitude, type Matrix } from '../matrix.ts';

/** What the basis knows about the upper end of the spectrum. */
export interface RitzPairs {
  /** Descending. */
  readonly values: Float64Array;
  /** ‖Bx − θx‖ of each, but for rounding. */
  readonly residuals: Float64Array;
  /** Coordinates in the basis: column i belongs to value i. */
  readonly rotation: Matrix;
}

/** A rest this small, relative to the norm of B, is the rounding of a product: the basis is invariant. */
export const invariant = 32 * Number.EPSILON;
/** A unit vector whose products with the others are no larger is orthogonal to them: near half of those that are made. */
const orthogonal = 1e-14;
/**
 * Products between vectors of the basis may grow to this before they are taken out. Up to √ε the projected matrix is as
 * good as exact (Simon 1984); this leaves room for what thousands of restarts add up.
 */
const semiorthogonal = 1e-11;
/** So is one that keeps this share of its length while they are taken out; if not, once more. */
const enough = Math.SQRT1_2;
/** What still grows shorter after so many times is rounding. */
const passes = 4;
/** A vector of which only this share is left depends on those that were taken out. */
const dependent = 1e-12;

/**
 * The operator is PBP, where P takes out the fixed vectors. With V the basis of the moment, v the next vector and c its
 * couplings, BV = VT + v·cᵀ on the range of P. T is diagonal over the vectors kept at a restart, tridiagonal after them,
 * and full in the row between. Rounding lets old directions back in; before that shows, a new vector is made orthogonal to all, and so is the next.
 */
export class KrylovBasis {
  /** Fixed vectors, then the basis, then the next vector, then room. Orthonormal. */
  readonly #rows: Room;
  readonly #operator: CountedOperator;
  readonly #capacity: number;
  readonly #random: Random;
  #fixed = 0;
  /** How many of them are fixed for a while only. */
  #aside = 0;
  /** The size of the basis, and of T. */
  #held = 0;
  #hasNext = false;
  /** Bounds of the next vector's products with the others, and of those of the vector before it. */
  #loss = { next: 1, before: 1 };
  /** T with rows of length `capacity`. */
  readonly #projected: Float64Array;
  readonly #couplings: Float64Array;
  /** Factors of rows, and what combining them takes. */
  readonly #factors: Room;
  readonly #work: Room;

  /** `fixed`: how many vectors are likely to become fixed. */
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

  /** How many rows are fixed. */
  get fixed(): number {
    return this.#fixed;
  }

  /** A view of a row, until another is asked for that lies beyond the room there is. */
  row(at: number): Float64Array {
    const { size } = this.#operator;
    return this.#rows.upTo((at + 1) * size).subarray(at * size, (at + 1) * size);
  }

  /** Gives the memory back: no row may be used from now on. */
  close(): void {
    for (const room of [this.#rows, this.#factors, this.#work]) room.giveBack();
  }

  /** Takes the first `count` rows out of a vector that is none of them, once. */
  takeOut(count: number, vector: Float64Array): void {
    if (count === 0) return;
    const { size } = this.#operator;
    const products = this.#factors.upTo(count);
    vectorKernels().rowDots(count, size, this.#rows.array, vector, products);
    vectorKernels().subtractRows(count, size, products, this.#rows.array, vector);
  }

  /** How large the basis may get beside the fixed vectors. */
  get limit(): number {
    return Math.min(this.#capacity - this.#aside, this.#operator.size - this.#fixed);
  }

  /** Begins anew, from a copy of `start` or a random vector; false if `start` depends on the fixed vectors. */
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
      this.#hasNext = this.#orthonormalise(this.#fixed);
    }
    return !start || this.#hasNext;
  }

  /** The vector of `begin` becomes a fixed one. */
  fixStart(): void {
    this.#fixed++;
    this.#hasNext = false;
  }

  /** The vectors of the basis become fixed ones until `takeBack`, and take up its room; returns how many they are. */
  setAside(): number {
    this.#aside = this.#held;
    this.#fixed += this.#aside;
    return this.#aside;
  }

  /** Those that were set aside are no longer there. */
  takeBack(): void {
    this.#fixed -= this.#aside;
    this.#aside = 0;
  }

  get isFull(): boolean {
    return this.#held === this.limit;
  }

  /**
   * Extends the basis by so many vectors, to its limit, or as that many products in all allow, with a pause after each;
   * solves the projected problem.
   */
  *expand(productLimit: number, steps: number): Work<RitzPairs> {
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

  /** Keeps the leading Ritz vectors as the basis; `locked` of them become fixed, and their residuals are given up. */
  restart(pairs: RitzPairs, kept: number, locked: number): void {
    const first = this.#fixed;
    const held = this.#held;
    const { size } = this.#operator;
    const factors = this.#factors.upTo(held * held);
    factors.set(pairs.rotation.data);
    vectorKernels().combineRows(held, kept, size, factors, this.#rows.array.subarray(first * size), this.#work.array);
    if (this.#hasNext) this.row(first + kept).set(this.row(first + held));
    // Every restart rounds, and thousands of them add up: what stays for good is made orthonormal once more.
    for (let i = 0; i < locked; i++) this.#orthonormalise(first + i);
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

  /** One product: the next vector joins the basis, and what the operator makes of it leaves the one after. */
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
    // Of the fixed vectors, which are eigenvectors at best within the tolerance, a product brings back more than rounding.
    this.takeOut(this.#fixed, rest);
    const before = Math.sqrt(dotVectors(size, rest, rest));
    // Where nothing is taken out, the three terms of the recurrence let the products of two vectors grow by so much.
    const grown = (4 * this.#operator.norm * Math.max(this.#loss.next, this.#loss.before)) / before;
    this.#loss = { next: grown, before: this.#loss.next };
    const after = grown <= semiorthogonal ? before : this.#orthogonalise(at + 1, before);
    this.#held++;
    couplings.fill(0);
    this.#hasNext = after > invariant * this.#operator.norm;
    if (!this.#hasNext) return;
    couplings[held] = after;
    scaleVector(size, 1 / after, rest, rest, false);
  }

  /** A random next vector, without couplings. */
  #drawNext(): void {
    const at = this.#fixed + this.#held;
    this.#random.fillNormal(this.row(at));
    this.#hasNext = this.#orthonormalise(at);
  }

  /** Row `at` ← its part orthogonal to all rows before it, of length one; false if there is none. */
  #orthonormalise(at: number): boolean {
    const { dotVectors, scaleVector } = vectorKernels();
    const row = this.row(at);
    const before = Math.sqrt(dotVectors(row.length, row, row));
    const after = this.#orthogonalise(at, before);
    if (!(after > dependent * before)) return false;
    scaleVector(row.length, 1 / after, row, row, false);
    return true;
  }

  /** Takes all rows before it out of row `at`, of length `before`, until that no longer shortens it; returns its length. */
  #orthogonalise(at: number, before: number): number {
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

  /** cᵀS: how each Ritz vector is coupled to the next vector. */
  #couplingsOf(rotation: Matrix): Float64Array {
    const { rows, cols, data } = rotation;
    const result = new Float64Array(cols);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < cols; j++) result[j] += this.#couplings[i] * data[i * cols + j];
    }
    return result;
  }
}
