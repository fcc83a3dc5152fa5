/** The command `eigen`: the leading eigenvectors of a graph. */

import type { LaplacianKind } from '../../graph/laplacian.ts';
import { type Spectrum, spectrum } from '../../spectral/spectrum/spectrum.ts';
import { type Command, printReport } from '../shared/command.ts';
import { commonFlags, graphFlags, tableFlags } from '../flags/flags.ts';
import { openGraph, componentCount } from '../shared/input.ts';
import { prepareOutput, tableWriters } from '../shared/output.ts';
import { tableReport } from '../shared/table.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';

const defaultComponents = 8;

export const eigen: Command = {
  summary: 'compute the leading eigenvectors of a graph',
  operands: ['FILE'],
  flags: ['components', 'laplacian', 'solver', ...tableFlags, ...graphFlags, 'max-bytes', ...commonFlags],
  overrides: { components: { help: 'number of nontrivial components; default: 8, or all if there are fewer' } },
  details: [
    '--out .csv .csv.gz .npy: the eigenvectors as columns, the trivial one first',
    'JSON: n, nonzeros, components (of the graph), eigenvalues (the trivial one first), residuals, products, converged,\n  solver, reason (why this solver), complete (proved, probed for missing ones, or unknown), levels, fill, seconds',
  ],
  examples: [
    ['specnet eigen points.csv -k 8', 'of the graph of 16 nearest neighbors'],
    [
      'specnet eigen points.csv -k 2 --graph gaussian --sigma 0.2 --threshold 0.6 --out vectors.npy',
      'save the eigenvectors',
    ],
    ['specnet eigen graph.mtx --laplacian symmetric --json', 'of a given graph, as JSON'],
    ['specnet eigen points.csv --solver multilevel', 'by the solver for large graphs'],
  ],
  async run(call) {
    const { flags, terminal, progress, operands } = call;
    const write = await prepareOutput(flags.out, tableWriters);
    const { graph, table, description } = await openGraph(operands[0], call);
    const components = componentCount('eigen', graph, flags, defaultComponents);
    const found = await spectrum(graph, {
      count: components + 1,
      laplacian: flags.laplacian ?? 'random-walk',
      seed: flags.seed ?? 0,
      ...(flags.solver && { solver: flags.solver }),
      onRestart: ({ converged, products }) =>
        progress.show(`${converged} of ${components + 1} eigenvectors after ${products} products`),
    });
    progress.clear();
    const { values, vectors, residuals, products, converged, solver, reason, complete, levels, fill } = found;
    await write({ rows: vectors, names: Array.from(values, (_, k) => `psi${k}`) });
    const report = {
      n: graph.size,
      nonzeros: graph.weights.nonzeros,
      components: graph.components.count,
      eigenvalues: [...values],
      residuals: [...residuals],
      products,
      converged,
      solver,
      reason,
      complete,
      levels,
      fill,
      seconds: call.seconds(),
      ...tableReport(table),
    };
    const time = formatMilliseconds(1000 * report.seconds);
    printReport(call, report, () => `${description}\n\n${describe(found)}\n\n${cost(found)} in ${time}.`);
    if (converged) return 0;
    const worst = Math.max(...residuals);
    terminal.note(`specnet eigen: not converged after ${products} products; residuals up to ${formatNumber(worst)}.\n`);
    return 1;
  },
};

/** The operator of each kind of Laplacian. */
const operators: Record<LaplacianKind, string> = {
  'random-walk': 'D⁻¹W',
  symmetric: 'I − D^-½WD^-½',
  unnormalized: 'D − W',
};

const solverNames: Record<Spectrum['solver'], string> = {
  dense: 'a dense decomposition',
  lanczos: 'Lanczos',
  multilevel: 'the multilevel solver',
};

/** The work, and the solver with the reason for it. */
function cost({ solver, reason, products, levels }: Spectrum): string {
  const hierarchy = levels.length > 1 ? ` on ${levels.length} levels` : '';
  return `Found by ${solverNames[solver]}${hierarchy}. ${reason}\n${products} products`;
}

function describe({ laplacian, values, residuals }: Spectrum): string {
  const rows = Array.from(values, (value, k) => [
    String(k),
    value.toFixed(10).replace(/^-(?=0\.0+$)/, ''),
    residuals[k].toExponential(0),
  ]);
  return formatTable(['', `λ of ${operators[laplacian]}`, 'residual'], rows, 0);
}
