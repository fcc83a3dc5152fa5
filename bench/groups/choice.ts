/** How well `solver: 'auto'` chooses: its time against each solver, and against the fastest of them. */

import { type Graph, spectrum } from '../../lib/index.ts';
import { type GraphCase, graphCases } from '../loads/graphs.ts';
import { type Context, givenRow, type Group, rivalOf, type Rival, type Row } from '../report/row.ts';
import { sequentially } from '../sequentially.ts';

const wanted = { count: 5, tolerance: 1e-8 };
/** A solver that takes this many times as long as the fastest so far is stopped; in the first round, in which code is compiled, later. */
const patience = { first: 10, later: 3 };
/** Rounds after the first. The fastest call counts. */
const rounds = 3;

const solvers = ['auto', 'multilevel', 'direct', 'lanczos'] as const;
type Solver = (typeof solvers)[number];

/** A row for each graph. `best` is the fastest of the three solvers: a ratio of 0.83 says that 'auto' takes 1.2 times as long. */
export const choice: Group = async (context) => {
  const rows = await sequentially(graphCases(context), (each) => rowOf(context, each));
  const ratios = rows.map(({ size, others }) => ({
    size,
    ratio: 1 / ('ratio' in others.best ? others.best.ratio : 1),
  }));
  const worst = ratios.toSorted((a, b) => b.ratio - a.ratio)[0];
  context.note(`'auto' takes at most ${worst.ratio.toFixed(2)} times as long as the fastest solver (${worst.size}).`);
  context.note(`A solver is stopped once it takes ${patience.later} times as long as the fastest.`);
  return rows;
};

async function rowOf(context: Context, { name, fills, graph: build }: GraphCase): Promise<Row> {
  context.say(name);
  const graph = await build();
  const times = new Map<Solver, number>();
  let [checksum, found] = [0, ''];
  const asked = solvers.filter((solver) => !(fills && solver === 'direct'));
  for (let round = 0; round <= rounds; round++) {
    const racing = asked.filter((solver) => round === 0 || times.has(solver));
    // oxlint-disable-next-line no-await-in-loop -- one measurement at a time
    await sequentially(racing, async (solver) => {
      const most = (round === 0 ? patience.first : patience.later) * Math.min(...times.values());
      const run = await timed(graph, solver, most);
      if (!run) {
        times.delete(solver);
        return;
      }
      if (solver === 'auto') [checksum, found] = [run.values.reduce((sum, value) => sum + value, 0), run.solver];
      times.set(solver, round <= 1 ? run.time : Math.min(run.time, times.get(solver)!));
    });
  }
  const ours = times.get('auto')!;
  const rivals = asked.slice(1).map((solver): [string, Rival] => {
    const time = times.get(solver);
    return [solver, time === undefined ? { error: 'stopped' } : rivalOf(time, ours)];
  });
  const best = Math.min(...asked.slice(1).map((solver) => times.get(solver) ?? Infinity));
  const others = { ...Object.fromEntries(rivals), best: rivalOf(best, ours) };
  return givenRow('auto', `${name} (${found})`, ours, { checksum, others });
}

/** One call. Null if it takes longer than `most` milliseconds. 'auto' is never stopped. */
async function timed(graph: Graph, solver: Solver, most: number) {
  const signal = most < Infinity && solver !== 'auto' ? AbortSignal.timeout(Math.ceil(most) + 50) : undefined;
  const start = performance.now();
  try {
    const { values, solver: by } = await spectrum(graph, { ...wanted, solver, signal });
    return { values, solver: by, time: performance.now() - start };
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
}
