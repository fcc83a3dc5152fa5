/** LOBPCG (Knyazev 2001): Rayleigh-Ritz on approximate eigenvectors, preconditioned residuals and the last directions. */

import type { Task } from '../../core/task.ts';
import { type Block, combineSteps, gramSteps, joinBlocks, makeBlock, pickColumns } from './blocks.ts';
import { type Level, massTimes, projectInPlace, stiffnessSteps } from './level.ts';
import {
  conjugateDirections,
  extendPencil,
  orthonormalize,
  type Pencil,
  pickPencil,
  restrictPencil,
  smallestRitzPairs,
} from './ritz-pairs.ts';

/** x ← an approximation of A⁻¹b for a block of `width` vectors. */
export type Preconditioner = (width: number, b: Float64Array, x: Float64Array) => Task<void>;

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
  readonly #precondition: Preconditioner;
  #x: Block;
  #ax: Block;
  #p: Block;
  #ap: Block;
  /** Room for the next W and AW. */
  #w: Block;
  #aw: Block;
  /** [X P]ᵀA[X P] and [X P]ᵀB[X P], and a bound of their rounding error. */
  #pencil: Pencil = { size: 0, a: new Float64Array(0), b: new Float64Array(0) };
  #drift = 0;

  /** Takes over `start`, whose columns need not be orthonormal. `startSteps` comes first. */
  constructor(level: Level, precondition: Preconditioner, start: Block) {
    this.#level = level;
    this.#precondition = precondition;
    this.#x = start;
    const room = (): Block => makeBlock(level.size, start.width);
    [this.#ax, this.#p, this.#ap, this.#w, this.#aw] = [room(), room(), room(), room(), room()];
  }

  get vectors(): Block {
    return this.#x;
  }

  /** Rotates X to Ritz vectors, with A·X computed anew. Columns that depend on others are dropped. */
  *startSteps(): Task<void> {
    const { size } = this.#level;
    const [x, ax] = [this.#x, this.#ax];
    // Twice: of a column that is almost in the null space, the first pass leaves rounding.
    for (let pass = 0; pass < 2; pass++) {
      projectInPlace(this.#level, x.width, x.data);
      yield* this.#normalizeSteps(x);
    }
    yield* this.#applySteps(x, ax);
    const pencil = yield* this.#pencilSteps([x], x, ax);
    const { values, factors, rank } = smallestRitzPairs(pencil, x.width);
    this.#x = { ...x, width: rank };
    this.#ax = { ...ax, width: rank };
    yield* combineSteps(size, [x], factors, [this.#x]);
    yield* combineSteps(size, [ax], factors, [this.#ax]);
    this.#p = { ...this.#p, width: 0 };
    this.#ap = { ...this.#ap, width: 0 };
    this.#pencil = restrictPencil(pencil, { width: rank, data: factors });
    this.#drift = 0;
    this.values = values;
    const known = this.errors;
    this.errors = Float64Array.from({ length: rank }, (_, c) => known[c] ?? Infinity);
  }

  /** One step with the preconditioned residuals of the listed columns. */
  *stepSteps(active: readonly number[]): Task<void> {
    const { size } = this.#level;
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
    const both = joinBlocks(pencil.size, [ritz, moves]);
    // In place: X over X, and the new P over W, whose rows are at least as long. The old P is room for the next W.
    this.#p = { ...w, width: moves.width };
    this.#ap = { ...aw, width: moves.width };
    yield* combineSteps(size, [x, p, w], both.data, [x, this.#p]);
    yield* combineSteps(size, [ax, ap, aw], both.data, [ax, this.#ap]);
    [this.#w, this.#aw] = [p, ap];
    this.#pencil = restrictPencil(pencil, both);
    this.#drift = (this.#drift + Number.EPSILON) * largestSquare(pencil.size, both);
    this.values = values;
  }

  /** Keeps the first `count` columns of X. */
  truncate(count: number): void {
    const { size } = this.#level;
    const { width } = this.#x;
    if (count >= width) return;
    const kept = Array.from({ length: count }, (_, c) => c);
    const directions = Array.from({ length: this.#p.width }, (_, c) => width + c);
    this.#x = pickColumns(size, this.#x, kept);
    this.#ax = pickColumns(size, this.#ax, kept);
    this.#pencil = pickPencil(this.#pencil, [...kept, ...directions]);
    this.values = this.values.slice(0, count);
    this.errors = this.errors.slice(0, count);
  }

  /** Adds columns to X, made orthonormal in place without those that depend on others, and starts again. */
  *appendSteps(columns: Block): Task<void> {
    const { size } = this.#level;
    const added = yield* this.#orthonormalizeSteps(columns, [this.#x]);
    this.#x = joinBlocks(size, [this.#x, added]);
    const { width } = this.#x;
    this.#ax = makeBlock(size, width);
    const grown = (block: Block): Block => (block.data.length < size * width ? makeBlock(size, width) : block);
    [this.#p, this.#ap, this.#w, this.#aw] = [this.#p, this.#ap, this.#w, this.#aw].map(grown);
    yield* this.startSteps();
  }

  /** ‖Ax − θBx‖ of each column in the norm of B⁻¹, on the finest level. */
  residuals(): Float64Array {
    const { size, mass } = this.#level;
    const { width, data } = this.#x;
    const squares = new Float64Array(width);
    for (let i = 0, at = 0; i < size; i++) {
      for (let c = 0; c < width; c++, at++) {
        const residual = this.#ax.data[at] - this.values[c] * mass[i] * data[at];
        squares[c] += (residual * residual) / mass[i];
      }
    }
    return squares.map(Math.sqrt);
  }

  /** W and AW: an orthonormal basis of the preconditioned residuals outside of the null space and of X and P. */
  *#directionsSteps(active: readonly number[]): Task<[Block, Block]> {
    const directions = { ...this.#w, width: active.length };
    const r = { ...this.#aw, width: active.length };
    this.#residualsInto(active, r);
    yield* this.#precondition(r.width, r.data, directions.data);
    this.#estimateErrors(active, r, directions);
    const w = yield* this.#orthonormalizeSteps(directions, [this.#x, this.#p]);
    const aw = { ...this.#aw, width: w.width };
    yield* this.#applySteps(w, aw);
    return [w, aw];
  }

  /** The block, in place, as an orthonormal basis of its span outside of the null space and of orthonormal blocks. */
  *#orthonormalizeSteps(block: Block, fixed: readonly Block[]): Task<Block> {
    const { size } = this.#level;
    let result = block;
    for (let pass = 0; pass < 2; pass++) {
      projectInPlace(this.#level, result.width, result.data);
      const gram = yield* this.#massGramSteps([...fixed, result], result);
      const { factors, width, least } = orthonormalize(gram, result.width);
      const before = result;
      result = { ...before, width };
      yield* combineSteps(size, [...fixed, before], factors, [result]);
      if (least > enough) break;
    }
    projectInPlace(this.#level, result.width, result.data);
    return result;
  }

  /** out ← Ax − θBx of the listed columns. */
  #residualsInto(columns: readonly number[], out: Block): void {
    const { size, mass, massMatrix } = this.#level;
    const { width, data } = this.#x;
    let images = data;
    if (massMatrix) massTimes(this.#level, width, data, (images = new Float64Array(size * width)));
    for (let i = 0, at = 0; i < size; i++) {
      const factor = massMatrix ? 1 : mass[i];
      for (const c of columns) {
        out.data[at++] = this.#ax.data[i * width + c] - this.values[c] * factor * images[i * width + c];
      }
    }
  }

  #estimateErrors(columns: readonly number[], { width, data }: Block, w: Block): void {
    const energies = new Float64Array(width);
    for (let i = 0, at = 0; i < this.#level.size; i++) {
      for (let c = 0; c < width; c++, at++) energies[c] += data[at] * w.data[at];
    }
    for (const [c, column] of columns.entries()) this.errors[column] = energies[c] / this.values[column];
  }

  /** Scales columns to unit length. A column of zeros stays. */
  *#normalizeSteps(block: Block): Task<void> {
    const { width, data } = block;
    const gram = yield* this.#massGramSteps([block], block);
    const factors = Array.from({ length: width }, (_, c) => 1 / (Math.sqrt(gram[c * (width + 1)]) || 1));
    for (let i = 0, at = 0; i < this.#level.size; i++) for (let c = 0; c < width; c++) data[at++] *= factors[c];
  }

  *#applySteps(x: Block, out: Block): Task<void> {
    this.products += x.width;
    yield* stiffnessSteps(this.#level, x.width, x.data, out.data);
  }

  /** SᵀAT and SᵀBT, for blocks S, and T with its product AT. */
  *#pencilSteps(blocks: readonly Block[], block: Block, product: Block): Task<Pencil> {
    const a = yield* gramSteps(this.#level.size, blocks, product, null);
    return { size: block.width, a, b: yield* this.#massGramSteps(blocks, block) };
  }

  *#massGramSteps(left: readonly Block[], right: Block): Task<Float64Array> {
    const { size, mass, massMatrix } = this.#level;
    if (!massMatrix) return yield* gramSteps(size, left, right, mass);
    const image = makeBlock(size, right.width);
    massTimes(this.#level, right.width, right.data, image.data);
    return yield* gramSteps(size, left, image, null);
  }
}

/** The largest sum of squares of a column. */
function largestSquare(size: number, { width, data }: Block): number {
  const squares = new Float64Array(width);
  for (let i = 0, at = 0; i < size; i++) for (let c = 0; c < width; c++, at++) squares[c] += data[at] ** 2;
  return Math.max(...squares);
}
