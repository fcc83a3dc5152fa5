/** Nested iteration: the eigenvectors of the coarsest level, prolongated and improved by a step of LOBPCG on every level. */

import type { Random } from '../../core/random.ts';
import type { Task } from '../../core/task.ts';
import { type Block, joinBlocks, makeBlock } from './blocks.ts';
import type { Hierarchy } from './hierarchy.ts';
import { Lobpcg } from './lobpcg.ts';
import { prolongate, type VCycle } from './v-cycle.ts';

/** LOBPCG on the finest level, started with `count` vectors or as many as there are outside of the null space. */
export function* nestedIterationSteps(
  { levels, prolongations, coarsest }: Hierarchy,
  cycle: VCycle,
  count: number,
  random: Random,
): Task<Lobpcg> {
  let vectors = makeBlock(coarsest.size, 0);
  for (let at = levels.length - 1; ; at--) {
    const level = levels[at];
    const width = Math.min(count, level.size - level.components.count);
    if (at === levels.length - 1) {
      vectors = firstColumns(coarsest.vectors.data, coarsest.size, width);
    } else {
      const prolongated = makeBlock(level.size, vectors.width);
      prolongate(level.size, vectors.width, prolongations[at], vectors.data, prolongated.data, false);
      vectors = prolongated;
    }
    if (vectors.width < width) {
      const added = makeBlock(level.size, width - vectors.width);
      random.fillNormal(added.data);
      vectors = joinBlocks(level.size, [vectors, added]);
    }
    const solver = new Lobpcg(level, (m, b, x) => cycle.solveSteps(at, m, b, x), vectors);
    yield* solver.startSteps();
    if (at === 0) return solver;
    if (at < levels.length - 1) yield* solver.stepSteps(Array.from(solver.values, (_, c) => c));
    vectors = solver.vectors;
  }
}

function firstColumns(data: Float64Array, size: number, width: number): Block {
  const block = makeBlock(size, width);
  for (let i = 0; i < size; i++) for (let c = 0; c < width; c++) block.data[i * width + c] = data[i * size + c];
  return block;
}
