/** The eigensolvers of `spectrum` on graphs of many kinds, and scipy's shift-invert call that scikit-learn makes. */

import { spectrum, type Spectrum } from '../../lib/index.ts';
import { graphCases } from '../loads/graphs.ts';
import { once, slow } from '../measure.ts';
import { Python, type PythonCase } from '../competitors/python.ts';
import { type Context, measureRow, mebibytes, type Row } from '../report/row.ts';

/** The wanted pairs, the trivial one included, and their residuals. */
const wanted = { count: 5, tolerance: 1e-8 };
/** Shift-invert takes minutes and gigabytes beyond. */
const mostForPython = 250_000;
/** Up to this size there are several rounds, so that our code is compiled, and all of the other solvers. */
const small = { size: 25_000, rounds: 3 };

/** A row for each graph: 'auto' is ours. Every solver runs once. A solver whose eigenvalues differ is reported. */
export async function eigensolverRows(context: Context): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, graph: build, fills } of graphCases(context)) {
    context.say(`the graph of ${name}`);
    const graph = await build();
    const isSmall = graph.size <= small.size;
    const results = new Map<string, Spectrum>();
    const by = (label: string, solver: 'auto' | 'lanczos' | 'multilevel' | 'direct') => {
      const run = async () => {
        const found = await spectrum(graph, { ...wanted, solver });
        results.set(label, found);
        return found.values;
      };
      return isSmall ? slow(label, run) : once(label, async () => ({ answer: await run() }));
    };
    const ours = [by('ours', 'auto'), by('multilevel', 'multilevel'), by('lanczos', 'lanczos')];
    if (!fills) ours.push(by('direct', 'direct'));
    const { starts, columns, values } = graph.weights;
    const arrays = { starts: starts.slice(), columns: columns.slice(), values: values.slice() };
    const sizes = { rows: graph.size, ...wanted };
    const others: PythonCase['case'][] = isSmall ? ['shift-invert', 'eigsh', 'lobpcg', 'slepc'] : ['shift-invert'];
    const rivals =
      context.python && graph.size <= mostForPython
        ? await Promise.all(
            others.map((other) => {
              const needed = other === 'slepc' ? 'slepc' : 'scipy';
              return Python.alone(context.note, other, { case: other, sizes, arrays }, needed);
            }),
          )
        : [];
    const work = { amount: 4 * columns.length, unit: 'byte' } as const;
    const patient = { ...context, pace: { rounds: isSmall ? small.rounds : 1, milliseconds: 1 } };
    rows.push(await measureRow(patient, 'smooth pairs', name, work, [...ours, ...rivals]));
    const told = [...results].map(([label, found]) => `${label} ${describe(found)}`);
    const peak = mebibytes(1024 * process.resourceUsage().maxRSS);
    context.note(`${name}: ${told.join('; ')}. Peak resident memory up to here: ${peak}.`);
  }
  if (context.python) {
    const calls =
      "shift-invert is eigsh(L, sigma=-1e-5, which='LM'), eigsh the call on D^-½WD^-½, slepc Krylov-Schur, each on one core";
    context.note(`${calls}: ${context.python.versions}.`);
  }
  return rows;
}

function describe({ solver, products, levels, fill, converged, complete, reason }: Spectrum): string {
  const hierarchy = levels.length > 1 ? `, ${levels.length} levels, fill ${fill.toFixed(2)}` : '';
  const end = converged ? complete : 'NOT converged';
  return `(${solver}): ${products} products${hierarchy}, ${end} – ${reason.replace(/\.$/, '')}`;
}
