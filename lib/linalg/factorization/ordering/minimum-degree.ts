/** A fill-reducing order of a symmetric sparse matrix: approximate minimum degree (Amestoy, Davis & Duff 1996). */

import type { Task } from '../../../core/task.ts';
import type { Pattern } from '../pattern.ts';
import { QuotientGraph } from './quotient-graph.ts';

/** A pause after this many entries, a few milliseconds of work. */
const entriesPerYield = 1 << 19;

/** The nodes in the order of elimination. Null once a factorization in that order would take more than `flopLimit` flops. */
export function* minimumDegreeSteps(pattern: Pattern, flopLimit = Infinity): Task<Int32Array | null> {
  const graph = new QuotientGraph(pattern);
  while (graph.eliminated < pattern.size) {
    graph.eliminateNext();
    if (graph.flops > flopLimit) return null;
    if (graph.work < entriesPerYield) continue;
    graph.work = 0;
    yield graph.eliminated / pattern.size;
  }
  return graph.groups.order();
}
