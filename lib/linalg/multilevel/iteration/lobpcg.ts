/** LOBPCG (Knyazev 2001): Rayleigh-Ritz on approximate eigenvectors, preconditioned residuals and the last directions. */

import type { Task } from '../../../core/task.ts';
import { blockKernels } from '../../../wasm/block-family.ts';
import { type Block, type Blocks, diagonalOf } from '../blocks/blocks.ts';
import { type Level, massSteps, projectSteps, stiffnessSteps } from '../hierarchy/level.ts';
import {
  conjugateDirections,
  extendPencil,
  orthonormalize,
  type Pencil,
  pickPencil,
  restrictPencil,
  smallestRitzPairs,
} from './ritz-pairs.ts';

/** x ← an approximation of A⁻¹b for a block of vectors. */
export type Preconditioner = (b: Block, x: Block) => Task<void>;

/** Directions that keep a smaller fraction of their squares are made orthogonal a second time. */
const enough = 0.1;
/** The pencil of [X P] follows from that of the last step until its error may exceed this. Then it is measured again. */
const mostDrift = 1e-10;

/**
 * The smallest eigenpairs of a level's pencil (A, B) outside of its null space. The basis of a step is [X P W]: Ritz vectors,
 * directions of the last step, preconditioned residuals. X and P are B-orthonormal.
 */
export class Lobpcg {
  /** The Ritz values of the columns of X, ascending. */
  values: Float64Array = new Float64Array(0);
  /**
   * rᵀTr/θ for r = Ax − θBx and the preconditioner T, measured before the last step of the column: an estimate of the relative
   * error of θ.
   */
  errors: Float64Array = new Float64Array(0);
  /** Products with A, one for every vector, without those of the preconditioner. */
  products = 0;
  readonly #level: Level;
  readonly #preconditionSteps: Preconditioner;
  readonly #blocks: Blocks;
  #x: Block;
  #ax: Block;
  #p: Block;
  #ap: Block;
  /** Ax − θBx of all columns of X, once it has been computed. */
  #r: Block | null = null;
  /** [X P]ᵀA[X P] and [X P]ᵀB[X P], and a bound of their rounding error. */
  #pencil: Pencil = { size: 0, a: new Float64Array(0), b: new Float64Array(0) };
  #drift = 0;

  /** Takes over `start`, whose columns need not be orthonormal. `startSteps` comes first. */
  constructor(level: Level, preconditionSteps: Preconditioner, start: Block, blocks: Blocks) {
    this.#level = level;
    this.#preconditionSteps = preconditionSteps;
    this.#blocks = blocks;
    this.#x = start;
    [this.#ax, this.#p, this.#ap] = [blocks.make(0), blocks.make(0), blocks.make(0)];
  }

  get vectors(): Block {
    return this.#x;
  }

  /** Gives back all but the vectors, and returns these. */
  end(): Block {
    this.#release(this.#ax, this.#p, this.#ap);
    return this.#x;
  }

  /** Rotates X to Ritz vectors, with A·X computed anew. Columns that depend on others are dropped. */
  *startSteps(): Task<void> {
    const blocks = this.#blocks;
    let x = this.#x;
    // Twice: of a column that is almost in the null space, the first pass leaves rounding.
    for (let pass = 0; pass < 2; pass++) x = yield* this.#normalizeSteps(x);
    const ax = blocks.make(x.width);
    yield* this.#applySteps(x, ax);
    const pencil = yield* this.#pencilSteps([x], x, ax);
    const { values, factors, rank } = smallestRitzPairs(pencil, x.width);
    this.#release(this.#ax, this.#p, this.#ap);
    this.#x = yield* blocks.combineSteps([x], factors);
    this.#ax = yield* blocks.combineSteps([ax], factors);
    [this.#p, this.#ap] = [blocks.make(0), blocks.make(0)];
    blocks.release(x, ax);
    this.#pencil = restrictPencil(pencil, { width: rank, data: factors });
    this.#drift = 0;
    this.values = values;
    const known = this.errors;
    this.errors = Float64Array.from({ length: rank }, (_, c) => known[c] ?? Infinity);
  }

  /** One step with the preconditioned residuals of the listed columns. */
  *stepSteps(active: readonly number[]): Task<void> {
    const [x, ax, p, ap] = [this.#x, this.#ax, this.#p, this.#ap];
    const [w, aw] = yield* this.#directionsSteps(active);
    if (this.#drift > mostDrift) {
      this.#drift = 0;
      this.#pencil = extendPencil(yield* this.#pencilSteps([x], x, ax), yield* this.#pencilSteps([x, p], p, ap));
    }
    const pencil = extendPencil(this.#pencil, yield* this.#pencilSteps([x, p, w], w, aw));
    const { values, factors } = smallestRitzPairs(pencil, x.width);
    const ritz = { width: x.width, data: factors };
    const moves = conjugateDirections(ritz, active.slice(0, w.width), pencil.b);
    const combineSteps = this.#blocks.combineSteps.bind(this.#blocks);
    [this.#x, this.#p] = [yield* combineSteps([x, p, w], ritz.data), yield* combineSteps([x, p, w], moves.data)];
    this.#release(x, p, w);
    [this.#ax, this.#ap] = [
      yield* combineSteps([ax, ap, aw], ritz.data),
      yield* combineSteps([ax, ap, aw], moves.data),
    ];
    this.#release(ax, ap, aw);
    const both = joinFactors(pencil.size, ritz, moves);
    this.#pencil = restrictPencil(pencil, both);
    this.#drift = (this.#drift + Number.EPSILON) * largestSquare(pencil.size, both);
    this.values = values;
  }

  /** Keeps the first `count` columns of X. */
  *truncateSteps(count: number): Task<void> {
    const { width } = this.#x;
    if (count >= width) return;
    const kept = Array.from({ length: count }, (_, c) => c);
    const directions = Array.from({ length: this.#p.width }, (_, c) => width + c);
    const [x, ax] = [this.#x, this.#ax];
    this.#x = yield* this.#blocks.pickSteps(x, kept);
    this.#ax = yield* this.#blocks.pickSteps(ax, kept);
    this.#release(x, ax);
    this.#pencil = pickPencil(this.#pencil, [...kept, ...directions]);
    this.values = this.values.slice(0, count);
    this.errors = this.errors.slice(0, count);
  }

  /** Adds columns to X, without those that depend on others, and starts again. Takes them over. */
  *appendSteps(columns: Block): Task<void> {
    const added = yield* this.#orthonormalizeSteps(columns, [this.#x]);
    const x = this.#x;
    this.#x = yield* this.#blocks.joinSteps([x, added]);
    this.#release(x, added);
    yield* this.startSteps();
  }

  /** ‖Ax − θBx‖ of each column in the norm of B⁻¹, on the finest level. */
  *residualsSteps(): Task<Float64Array> {
    const { size, mass } = this.#level;
    const r = yield* this.#residualSteps();
    const inverse = this.#blocks.loans.float64(size);
    for (let i = 0; i < size; i++) inverse[i] = 1 / mass[i];
    const gram = yield* this.#blocks.gramSteps([r], r, inverse);
    this.#blocks.loans.giveBack(inverse);
    return diagonalOf(gram).map(Math.sqrt);
  }

  /** W and AW: an orthonormal basis of the preconditioned residuals outside of the null space and of X and P. */
  *#directionsSteps(active: readonly number[]): Task<[Block, Block]> {
    const blocks = this.#blocks;
    const all = yield* this.#residualSteps();
    const r = active.length === all.width ? all : yield* blocks.pickSteps(all, active);
    const directions = blocks.make(r.width);
    yield* this.#preconditionSteps(r, directions);
    const energies = diagonalOf(yield* blocks.gramSteps([r], directions, null));
    for (const [c, column] of active.entries()) this.errors[column] = energies[c] / this.values[column];
    this.#release(r);
    const w = yield* this.#orthonormalizeSteps(directions, [this.#x, this.#p]);
    const aw = blocks.make(w.width);
    yield* this.#applySteps(w, aw);
    return [w, aw];
  }

  /** An orthonormal basis of the block's span outside of the null space and of orthonormal blocks. Takes over the block. */
  *#orthonormalizeSteps(block: Block, fixed: readonly Block[]): Task<Block> {
    let result = block;
    for (let pass = 0; pass < 2; pass++) {
      const before = result;
      yield* projectSteps(this.#level, this.#blocks, before);
      const gram = yield* this.#massGramSteps([...fixed, before], before);
      const { factors, least } = orthonormalize(gram, before.width);
      result = yield* this.#blocks.combineSteps([...fixed, before], factors);
      this.#blocks.release(before);
      if (least > enough) break;
    }
    yield* projectSteps(this.#level, this.#blocks, result);
    return result;
  }

  /** Ax − θBx of all columns. */
  *#residualSteps(): Task<Block> {
    if (this.#r) return this.#r;
    const { size, mass, massMatrix } = this.#level;
    const blocks = this.#blocks;
    const { width, data } = this.#x;
    const r = blocks.make(width);
    const image = massMatrix ? blocks.make(width) : null;
    if (image) yield* massSteps(this.#level, this.#x, image);
    const values = blocks.loans.float64(width);
    values.set(this.values);
    const { blockResidual } = blockKernels();
    blockResidual(size, width, values, image ? null : mass, image?.data ?? data, this.#ax.data, r.data);
    yield 0;
    blocks.loans.giveBack(values);
    if (image) blocks.release(image);
    this.#r = r;
    return r;
  }

  /** The block without its part in the null space, scaled to columns of unit length. Takes over the block. */
  *#normalizeSteps(block: Block): Task<Block> {
    const { width } = block;
    yield* projectSteps(this.#level, this.#blocks, block);
    const squares = diagonalOf(yield* this.#massGramSteps([block], block));
    const factors = new Float64Array(width * width);
    for (let c = 0; c < width; c++) factors[c * (width + 1)] = 1 / (Math.sqrt(squares[c]) || 1);
    const scaled = yield* this.#blocks.combineSteps([block], factors);
    this.#blocks.release(block);
    return scaled;
  }

  *#applySteps(x: Block, out: Block): Task<void> {
    this.products += x.width;
    yield* stiffnessSteps(this.#level, x, out);
  }

  /** SᵀAT and SᵀBT, for blocks S, and T with its product AT. */
  *#pencilSteps(left: readonly Block[], block: Block, product: Block): Task<Pencil> {
    const a = yield* this.#blocks.gramSteps(left, product, null);
    return { size: block.width, a, b: yield* this.#massGramSteps(left, block) };
  }

  /** Gives back blocks, and with them the residuals, which no longer belong to X. */
  #release(...blocks: readonly Block[]): void {
    this.#blocks.release(...blocks, ...(this.#r ? [this.#r] : []));
    this.#r = null;
  }

  *#massGramSteps(left: readonly Block[], right: Block): Task<Float64Array> {
    const { mass, massMatrix } = this.#level;
    if (!massMatrix) return yield* this.#blocks.gramSteps(left, right, mass);
    const image = this.#blocks.make(right.width);
    yield* massSteps(this.#level, right, image);
    const gram = yield* this.#blocks.gramSteps(left, image, null);
    this.#blocks.release(image);
    return gram;
  }
}

/** The largest sum of squares of a column. */
function largestSquare(size: number, { width, data }: Block): number {
  const squares = new Float64Array(width);
  for (let i = 0, at = 0; i < size; i++) for (let c = 0; c < width; c++, at++) squares[c] += data[at] ** 2;
  return Math.max(...squares);
}

/** The columns of two small matrices with `size` rows, side by side. */
function joinFactors(size: number, left: Block, right: Block): Block {
  const width = left.width + right.width;
  const data = new Float64Array(size * width);
  for (let i = 0; i < size; i++) {
    for (let c = 0; c < left.width; c++) data[i * width + c] = left.data[i * left.width + c];
    for (let c = 0; c < right.width; c++) data[i * width + left.width + c] = right.data[i * right.width + c];
  }
  return { width, data };
}
