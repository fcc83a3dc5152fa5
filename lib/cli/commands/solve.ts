/** The command `solve`: eigenvectors of a graph by the batch iterations of SpecNet1, SpecNet2 or TriOFM, without a network. */

import { solverMethods } from '../../spectral/descent/objective.ts';
import { schemes } from '../../spectral/descent/view.ts';
import { type Solution, solve as solveGraph } from '../../spectral/solve/solve.ts';
import { spectrum } from '../../spectral/spectrum/spectrum.ts';
import { type Command, exitCodeOf, printReport } from '../shared/command.ts';
import { commonFlags, inputFlags } from '../flags/flags.ts';
import { openGraph, componentCount } from '../shared/input.ts';
import { prepareOutput, tableWriters } from '../shared/output.ts';
import { tableReport } from '../shared/table.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';

const defaultComponents = 2;

export const solve: Command = {
  summary: 'compute eigenvectors batch by batch, as in the paper',
  operands: ['FILE'],
  flags: [
    'components',
    'method',
    'scheme',
    'step',
    'batch',
    'epochs',
    'precision',
    'solver',
    ...inputFlags,
    ...commonFlags,
  ],
  overrides: {
    method: {
      help: 'default: specnet2, which does not orthogonalize at each step; triofm: ordered columns',
      choices: solverMethods,
    },
    scheme: {
      help: 'rows that a step reads: the batch, all, or the batch and its neighbors (default)',
      choices: schemes,
    },
    batch: { help: 'batch size; default: 50' },
    epochs: { help: 'maximum number of epochs; default: 300' },
  },
  details: [
    '--out .csv .csv.gz .npy: the eigenvectors as columns, without the trivial one',
    'JSON: eigenvalues, residuals, trace (per epoch: epoch, errors against exact eigenvectors,\n  or null if these do not converge, objective, seconds), converged',
  ],
  examples: [
    ['specnet solve points.csv -k 2', 'with automatic step sizes'],
    ['specnet solve graph.mtx -k 1 --method specnet1 --scheme full --json', 'by SpecNet1, as JSON'],
  ],
  async run(call) {
    const { flags, terminal, progress, operands } = call;
    const write = await prepareOutput(flags.out, tableWriters);
    const { graph, table, description } = await openGraph(operands[0], call);
    const components = componentCount('solve', graph, flags, defaultComponents);
    const method = solverMethods.find((word) => word === flags.method) ?? 'specnet2';
    const scheme = schemes.find((word) => word === flags.scheme);
    const { step, batch, epochs, precision, seed = 0 } = flags;
    progress.show('computing reference eigenvectors');
    const exact = await spectrum(graph, { count: components + 1, seed, ...(flags.solver && { solver: flags.solver }) });
    const found = await solveGraph(graph, {
      components,
      method,
      seed,
      ...(exact.converged && { reference: exact }),
      clock: () => call.seconds(),
      onEpoch: ({ epoch, residuals }) =>
        progress.show(`epoch ${epoch}: residuals up to ${formatNumber(Math.max(...residuals))}`),
      ...(scheme && { scheme }),
      ...(step && { step }),
      ...(batch && { batch }),
      ...(epochs !== undefined && { epochs }),
      ...(precision && { precision }),
    });
    progress.clear();
    const { eigenvalues, eigenvectors, residuals, trace, converged } = found;
    await write({
      rows: eigenvectors,
      names: Array.from(eigenvalues, (_, k) => `psi${k + 1}`),
    });
    const report = {
      eigenvalues: [...eigenvalues],
      residuals: [...residuals],
      trace: trace.map(({ epoch, errors, f1, f2, seconds }) => ({
        epoch,
        errors: errors && [...errors],
        objective: method === 'specnet1' ? f1 : f2,
        seconds,
      })),
      converged,
      ...tableReport(table),
    };
    const time = formatMilliseconds(1000 * call.seconds());
    printReport(call, report, () => `${description}\n\n${describe(found)}\n\n${trace.length} epochs in ${time}.`);
    if (!exact.converged && !flags.quiet) {
      terminal.note('specnet solve: errors are not computed because the exact eigenvectors did not converge.\n');
    }
    return exitCodeOf(call, 'solve', found, `${trace.length} epochs`, 'Raise --epochs.');
  },
};

function describe({ eigenvalues, residuals, trace }: Solution): string {
  const errors = trace.at(-1)?.errors;
  const rows = Array.from(eigenvalues, (value, k) => [
    String(k + 1),
    value.toFixed(10),
    residuals[k].toExponential(0),
    errors ? errors[k].toExponential(0) : '',
  ]);
  return formatTable(['', 'λ of D⁻¹W', 'residual', 'error'], rows, 0);
}
