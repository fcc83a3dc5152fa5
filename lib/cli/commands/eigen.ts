/** The command `eigen`: the leading eigenvectors of a graph. */

import type { LaplacianKind } from '../../graph/laplacian.ts';
import { type Spectrum, spectrum } from '../../spectral/spectrum/spectrum.ts';
import { type Command, eigensolverOptions, exitCodeOf, printReport } from '../shared/command.ts';
import { commonFlags, inputFlags } from '../flags/flags.ts';
import { openGraph, componentCount } from '../shared/input.ts';
import { prepareOutput, tableWriters } from '../shared/output.ts';
import { tableReport } from '../shared/table.ts';
import { formatMilliseconds, formatTable } from '../../charts/table.ts';

const defaultComponents = 8;

export const eigen: Command = {
  summary: 'compute the leading eigenvectors of a graph',
  operands: ['FILE'],
  flags: ['components', 'laplacian', 'solver', 'certify', ...inputFlags, ...commonFlags],
  overrides: { components: { help: 'number of nontrivial components; default: 8, or all if there are fewer' } },
  details: [
    '--out .csv .csv.gz .npy: the eigenvectors as columns, the trivial one first',
    'JSON: n, nonzeros, components (of the graph), eigenvalues (the trivial one first), residuals, errors (of 1 − λ),\n  products, converged, solver, reason (why this solver), complete (proved, probed for missing ones, or unknown),\n  certificate (counted eigenvalues beyond a value, and how many of them were found), levels, fill, seconds',
  ],
  examples: [
    ['specnet eigen points.csv -k 8', 'of the graph of 16 nearest neighbors'],
    [
      'specnet eigen points.csv -k 2 --graph gaussian --sigma 0.2 --threshold 0.6 --out vectors.npy',
      'save the eigenvectors',
    ],
    ['specnet eigen graph.mtx --laplacian symmetric --json', 'of a given graph, as JSON'],
    ['specnet eigen points.csv --solver multilevel', 'by the solver for large graphs'],
    ['specnet eigen points.csv --solver direct --certify', 'by a factorization, and proved to be complete'],
  ],
  async run(call) {
    const { flags, progress, operands } = call;
    const write = await prepareOutput(flags.out, tableWriters);
    const { graph, table, description } = await openGraph(operands[0], call);
    const components = componentCount('eigen', graph, flags, defaultComponents);
    const found = await spectrum(graph, {
      count: components + 1,
      laplacian: flags.laplacian ?? 'random-walk',
      ...(flags.certify && { certify: true }),
      ...eigensolverOptions(
        call,
        ({ converged, products }) => `${converged} of ${components + 1} eigenvectors after ${products} products`,
      ),
    });
    progress.clear();
    const { values, vectors, residuals, errors, products, converged, solver, reason } = found;
    const { complete, certificate, levels, fill } = found;
    await write({ rows: vectors, names: Array.from(values, (_, k) => `psi${k}`) });
    const report = {
      n: graph.size,
      nonzeros: graph.weights.nonzeros,
      components: graph.components.count,
      eigenvalues: [...values],
      residuals: [...residuals],
      errors: [...errors],
      products,
      converged,
      solver,
      reason,
      complete,
      certificate,
      levels,
      fill,
      seconds: call.seconds(),
      ...tableReport(table),
    };
    const time = formatMilliseconds(1000 * report.seconds);
    printReport(call, report, () => `${description}\n\n${describe(found)}\n\n${cost(found)} in ${time}.`);
    return exitCodeOf(
      call,
      'eigen',
      found,
      `${products} products`,
      'Ask for fewer components, or try another --solver.',
    );
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
  direct: 'the direct solver',
};

/** Completeness, the solver with the reason for it, and the work. */
function cost(found: Spectrum): string {
  const { solver, reason, products, levels } = found;
  const hierarchy = levels.length > 1 ? ` on ${levels.length} levels` : '';
  return `${completeness(found)}\nFound by ${solverNames[solver]}${hierarchy}. ${reason}\n${products} products`;
}

/** Whether eigenvalues can be missing, as a sentence. */
function completeness({ complete, certificate, laplacian }: Spectrum): string {
  const side = laplacian === 'random-walk' ? 'above' : 'below';
  if (certificate) {
    const { value, counted, found } = certificate;
    const place = `${side} ${value.toPrecision(12)}`;
    if (counted === 0) return `No eigenvalue is missing: there are none ${place}, by inertia.`;
    if (complete === 'proved')
      return `No eigenvalue is missing: there are ${counted} ${place}, by inertia, and all were found.`;
    return `Eigenvalues are missing: there are ${counted} ${place}, by inertia, and ${found} were found.`;
  }
  if (complete === 'proved') return 'No eigenvalue is missing.';
  if (complete === 'probed') return 'A search for missing eigenvalues found none. --certify proves it.';
  return 'Eigenvalues may be missing.';
}

function describe({ laplacian, values, residuals }: Spectrum): string {
  const rows = Array.from(values, (value, k) => [
    String(k),
    value.toFixed(10).replace(/^-(?=0\.0+$)/, ''),
    residuals[k].toExponential(0),
  ]);
  return formatTable(['', `λ of ${operators[laplacian]}`, 'residual'], rows, 0);
}
