/** Nested iteration: the eigenvectors of the coarsest level, prolongated and improved by a step of LOBPCG on every level. */

import type { Random } from '../../../core/random.ts';
import type { Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { type Block, Blocks } from '../blocks/blocks.ts';
import type { Coarsest } from '../hierarchy/coarsest.ts';
import type { Hierarchy } from '../hierarchy/hierarchy.ts';
import { Lobpcg } from './lobpcg.ts';
import { prolongateSteps, type VCycle } from './v-cycle.ts';

/** LOBPCG on the finest level, started with `count` vectors or as many as there are outside of the null space. */
export function* nestedIterationSteps(
  { levels, prolongations, coarsest }: Hierarchy,
  cycle: VCycle,
  count: number,
  random: Random,
  loans: Loans,
): Task<Lobpcg> {
  let below: Block | null = null;
  for (let at = levels.length - 1; ; at--) {
    const level = levels[at];
    const blocks = new Blocks(level.size, loans);
    const width = Math.min(count, level.size - level.components.count);
    let vectors: Block;
    if (below === null) {
      vectors = firstColumns(coarsest, width, blocks);
    } else {
      vectors = blocks.make(below.width);
      yield* prolongateSteps(level, prolongations[at], below, vectors, false);
      blocks.release(below);
    }
    if (vectors.width < width) {
      const added = blocks.make(width - vectors.width);
      random.fillNormal(added.data);
      const joined: Block = yield* blocks.joinSteps([vectors, added]);
      blocks.release(vectors, added);
      vectors = joined;
    }
    const solver = new Lobpcg(level, (b, x) => cycle.solveSteps(at, b, x), vectors, blocks);
    yield* solver.startSteps();
    if (at === 0) return solver;
    if (at < levels.length - 1) yield* solver.stepSteps(Array.from(solver.values, (_, c) => c));
    below = solver.end();
  }
}

function firstColumns({ size, vectors }: Coarsest, width: number, blocks: Blocks): Block {
  const block = blocks.make(width);
  for (let i = 0; i < size; i++) {
    for (let c = 0; c < width; c++) block.data[i * width + c] = vectors.data[i * size + c];
  }
  return block;
}
