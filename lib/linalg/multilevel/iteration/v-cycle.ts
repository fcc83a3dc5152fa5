/**
 * The V-cycle: an approximate solution of A·x = b, one sweep of Gauss-Seidel down and one up on every level. A sweep works on chunks
 * of rows at the same time; between chunks it is a Jacobi step. Up is the transpose of down, so the cycle is symmetric.
 */

import type { Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { blockKernels } from '../../../wasm/block-family.ts';
import type { Block } from '../blocks/blocks.ts';
import { solveCoarsest } from '../hierarchy/coarsest.ts';
import type { Hierarchy } from '../hierarchy/hierarchy.ts';
import { inRangesSteps, type Level } from '../hierarchy/level.ts';
import type { Prolongation } from '../hierarchy/prolongation.ts';

/** V-cycles on the levels of a hierarchy. */
export class VCycle {
  /** Products with the matrix of the finest level: two for each vector of a cycle, for sweeps and residuals together. */
  products = 0;
  readonly #hierarchy: Hierarchy;
  readonly #loans: Loans;

  constructor(hierarchy: Hierarchy, loans: Loans) {
    this.#hierarchy = hierarchy;
    this.#loans = loans;
  }

  /** x ← an approximation of A⁻¹b on level `at`, for a block of vectors. */
  *solveSteps(at: number, b: Block, x: Block): Task<void> {
    const { levels, prolongations, coarsest } = this.#hierarchy;
    const { width } = b;
    if (at === 0) this.products += 2 * width;
    if (at === levels.length - 1) {
      solveCoarsest(coarsest, width, b.data, x.data);
      return;
    }
    const level = levels[at];
    const blockOf = (size: number): Block => ({ width, data: this.#loans.float64(size * width) });
    const r = blockOf(level.size);
    yield* downSteps(level, b, x, r);
    const { coarse } = prolongations[at];
    const [coarseB, coarseX] = [blockOf(coarse), blockOf(coarse)];
    yield* restrictSteps(prolongations[at], r, coarseB);
    yield* this.solveSteps(at + 1, coarseB, coarseX);
    yield* prolongateSteps(level, prolongations[at], coarseX, x, true);
    this.#loans.giveBack(coarseB.data, coarseX.data);
    yield* upSteps(level, b, x, r);
    this.#loans.giveBack(r.data);
  }
}

/**
 * A sweep upward through the rows from x = 0, which needs the entries left of the diagonal only, and its residual r: it consists of
 * the products with all other entries.
 */
function* downSteps(level: Level, { width, data: b }: Block, { data: x }: Block, { data: r }: Block): Task<void> {
  const { chunk, starts, inner, middles, ends, columns, weights, inverses } = level;
  const { blockSweep, blockProduct } = blockKernels();
  yield* inRangesSteps(level, width, (from, to) => {
    blockSweep(from, to, chunk, false, width, inner, middles, columns, weights, inverses, b, x);
  });
  yield* inRangesSteps(level, width, (from, to) => {
    blockProduct(from, to, width, starts, ends, inner, middles, columns, weights, 1, null, null, x, r);
  });
}

/** A sweep downward through the rows, on A·x = b with the x of other chunks as it was. Overwrites r. */
function* upSteps(level: Level, { width, data: b }: Block, { data: x }: Block, { data: r }: Block): Task<void> {
  const { size, chunk, starts, inner, outer, ends, columns, weights, inverses } = level;
  const { blockSweep, blockProduct } = blockKernels();
  const isWhole = chunk >= size;
  if (!isWhole) {
    yield* inRangesSteps(level, width, (from, to) => {
      blockProduct(from, to, width, starts, ends, inner, outer, columns, weights, 1, null, b, x, r);
    });
  }
  yield* inRangesSteps(level, width, (from, to) => {
    blockSweep(from, to, chunk, true, width, inner, outer, columns, weights, inverses, isWhole ? b : r, x);
  });
}

/** out ← Pᵀ·r. */
function* restrictSteps({ coarse, transposed }: Prolongation, { width, data: r }: Block, out: Block): Task<void> {
  const { starts, columns, values } = transposed;
  const { blockProduct } = blockKernels();
  blockProduct(0, coarse, width, starts, starts.subarray(1), null, null, columns, values, 1, null, null, r, out.data);
  yield 0;
}

/** out ← P·x, added to `out` if `accumulate`. */
export function* prolongateSteps(
  { size }: Level,
  { starts, columns, values }: Prolongation,
  { width, data: x }: Block,
  { data: out }: Block,
  accumulate: boolean,
): Task<void> {
  const { blockProduct } = blockKernels();
  const y = accumulate ? out : null;
  blockProduct(0, size, width, starts, starts.subarray(1), null, null, columns, values, 1, null, y, x, out);
  yield 0;
}
