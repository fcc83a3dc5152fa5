/** The V-cycle: an approximate solution of A·x = b, one sweep of Gauss-Seidel down and one up on every level. */

import type { Task } from '../../core/task.ts';
import { blockProduct, blockSweep } from '../../kernels/blocks.ts';
import { solveCoarsest } from './coarsest.ts';
import type { Hierarchy } from './hierarchy.ts';
import { rowChunks } from './level.ts';
import type { Prolongation } from './prolongation.ts';

/** V-cycles on the levels of a hierarchy, with the vectors they need. */
export class VCycle {
  /** Products with the matrix of the finest level: two for each vector of a cycle, for sweeps and residuals together. */
  products = 0;
  readonly #hierarchy: Hierarchy;
  /** Right-hand sides and residuals, and solutions, of every level below the finest; the residuals of the finest. */
  readonly #rooms: { b: Float64Array; x: Float64Array; r: Float64Array }[] = [];

  constructor(hierarchy: Hierarchy) {
    this.#hierarchy = hierarchy;
  }

  /** x ← an approximation of A⁻¹b on level `at`, for a block of `width` vectors. */
  *solveSteps(at: number, width: number, b: Float64Array, x: Float64Array): Task<void> {
    const { levels, prolongations, coarsest } = this.#hierarchy;
    if (at === 0) this.products += 2 * width;
    if (at === levels.length - 1) {
      solveCoarsest(coarsest, width, b, x);
      return;
    }
    const level = levels[at];
    const { size, starts, middles, ends, columns, weights, inverses } = level;
    const { r } = this.#roomOf(at, width);
    const below = this.#roomOf(at + 1, width);
    // From x = 0, a forward sweep needs the left triangle only, and leaves the residual (right triangle)·x.
    for (const [from, to] of rowChunks(level, width)) {
      blockSweep(from, to - from, 1, width, starts, middles, columns, weights, inverses, b, x);
      yield 0;
    }
    for (const [from, to] of rowChunks(level, width)) {
      blockProduct(from, to, width, middles, ends, columns, weights, null, x, r);
      yield 0;
    }
    const { coarse, transposed } = prolongations[at];
    const { starts: begins, columns: rows, values } = transposed;
    blockProduct(0, coarse, width, begins, begins.subarray(1), rows, values, null, r, below.b);
    yield 0;
    yield* this.solveSteps(at + 1, width, below.b, below.x);
    prolongate(size, width, prolongations[at], below.x, x, true);
    yield 0;
    for (const [from, to] of [...rowChunks(level, width)].toReversed()) {
      blockSweep(to - 1, to - from, -1, width, starts, ends, columns, weights, inverses, b, x);
      yield 0;
    }
  }

  #roomOf(at: number, width: number): { b: Float64Array; x: Float64Array; r: Float64Array } {
    const length = this.#hierarchy.levels[at].size * width;
    if (!(this.#rooms[at]?.r.length >= length)) {
      const own = at === 0 ? 0 : length;
      this.#rooms[at] = { b: new Float64Array(own), x: new Float64Array(own), r: new Float64Array(length) };
    }
    return this.#rooms[at];
  }
}

/** out ← P·x, added to `out` if `accumulate`, for a block of `width` vectors. */
export function prolongate(
  size: number,
  width: number,
  { starts, columns, values }: Prolongation,
  x: Float64Array,
  out: Float64Array,
  accumulate: boolean,
): void {
  if (!accumulate) out.fill(0, 0, size * width);
  for (let i = 0; i < size; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      const from = columns[e] * width;
      for (let c = 0; c < width; c++) out[i * width + c] += value * x[from + c];
    }
  }
}
