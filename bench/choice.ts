/**
 * `npm run bench:choice`: how well `solver: 'auto'` chooses. Prints its time on graphs of many kinds, the times of each solver relative to it, and
 * its own relative to the fastest of them. `-- --only TEXT`: graphs whose name contains this; `-- --quick`: smaller ones.
 */

import { parseArgs } from 'node:util';
import { formatMilliseconds, formatTable } from '../lib/charts/table.ts';
import { type Graph, spectrum } from '../lib/index.ts';
import { type GraphCase, graphCases } from './loads/graphs.ts';
import { sequentially } from './sequentially.ts';

const wanted = { count: 5, tolerance: 1e-8 };
/** A solver that takes this many times as long as the fastest so far is stopped; in the first round, in which code is compiled, later. */
const patience = { first: 10, later: 3 };
/** Rounds after the first. The fastest call counts. */
const rounds = 3;

const solvers = ['auto', 'multilevel', 'direct', 'lanczos'] as const;
type Solver = (typeof solvers)[number];

const { values: flags } = parseArgs({
  options: { only: { type: 'string', default: '' }, quick: { type: 'boolean', default: false } },
});
const rows = await sequentially(graphCases(flags), rowOf);
console.log(formatTable(['graph', 'found by', 'auto', ...solvers.slice(1), 'auto / fastest'], rows));
console.log(
  `Times relative to 'auto'. A solver is stopped once it takes ${patience.later} times as long as the fastest.`,
);

/** The cells of a row. */
async function rowOf({ name, fills, graph: build }: GraphCase): Promise<string[]> {
  console.error(name);
  const graph = await build();
  const times = new Map<Solver, number>();
  let found = '';
  for (let round = 0; round <= rounds; round++) {
    const racing = solvers.filter((solver) => (round === 0 ? !(fills && solver === 'direct') : times.has(solver)));
    // oxlint-disable-next-line no-await-in-loop -- one measurement at a time
    await sequentially(racing, async (solver) => {
      const most = (round === 0 ? patience.first : patience.later) * Math.min(...times.values());
      const run = await timed(graph, solver, most);
      if (!run) {
        times.delete(solver);
        return;
      }
      if (solver === 'auto') found = run.solver;
      times.set(solver, round <= 1 ? run.time : Math.min(run.time, times.get(solver)!));
    });
  }
  const ours = times.get('auto')!;
  const others = solvers.slice(1).map((solver) => times.get(solver));
  const fastest = Math.min(...others.map((time) => time ?? Infinity));
  const ratios = others.map((time) => (time === undefined ? '–' : (time / ours).toFixed(2)));
  return [name, found, formatMilliseconds(ours), ...ratios, (ours / fastest).toFixed(2)];
}

/** One call. Null if it takes longer than `most` milliseconds. 'auto' is never stopped. */
async function timed(graph: Graph, solver: Solver, most: number) {
  const signal = most < Infinity && solver !== 'auto' ? AbortSignal.timeout(Math.ceil(most) + 50) : undefined;
  const start = performance.now();
  try {
    const { solver: by } = await spectrum(graph, { ...wanted, solver, signal });
    return { solver: by, time: performance.now() - start };
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
}
