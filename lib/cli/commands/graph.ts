/** The command `graph`: builds the graph of a file, describes it and saves it. */

import { batchNeighbors } from '../../graph/batch-neighbors.ts';
import type { Graph } from '../../graph/graph.ts';
import { mapValues } from '../../sparse/combine.ts';
import { type Command, printReport } from '../shared/command.ts';
import { commonFlags, inputFlags } from '../flags/flags.ts';
import { openGraph } from '../shared/input.ts';
import { matrixWriters, prepareOutput } from '../shared/output.ts';
import { tableReport } from '../shared/table.ts';
import type { ExitCode } from '../shared/terminal.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';

/** The batch sizes of the paper. */
const batchSizes = [2, 4, 8];

export const graph: Command = {
  summary: 'build a graph, describe it and save it',
  operands: ['FILE'],
  flags: [...inputFlags, ...commonFlags],
  details: [
    '--out .mtx .mtx.gz .npz: the weight matrix',
    'JSON: n, nonzeros, components, isolated, degree {min, mean, max}, batchNeighbors {2, 4, 8} (mean number of\n  neighbors of a batch of that size), seconds',
  ],
  examples: [
    ['specnet graph points.csv --neighbors 10 --out graph.mtx.gz', 'nearest neighbors, saved as Matrix Market'],
    ['specnet graph points.npy --graph gaussian --sigma 0.2 --threshold 0.6 --json', 'a Gaussian graph'],
    ['specnet graph graph.mtx --out graph.npz', 'convert from Matrix Market to scipy, with validation'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, progress, operands } = call;
    const write = await prepareOutput(flags.out, matrixWriters);
    const { graph: built, table, description } = await openGraph(operands[0], call);
    progress.show('sampling batches');
    const sizes = batchSizes.filter((size) => size <= built.size);
    const neighborCounts = batchNeighbors(built, sizes, flags.seed);
    progress.clear();
    const { scale } = built;
    await write(scale === 1 ? built.weights : mapValues(built.weights.copy('double'), (weight) => scale * weight));
    const report = {
      n: built.size,
      nonzeros: built.weights.nonzeros,
      components: built.components.count,
      isolated: built.isolated.length,
      degree: summarizeDegrees(built),
      batchNeighbors: Object.fromEntries(sizes.map((size, i) => [size, neighborCounts[i]])),
      seconds: call.seconds(),
      ...tableReport(table),
    };
    printReport(call, report, () => `${description}\n\n${describe(report)}`);
    return 0;
  },
};

/** In the unit of the weights that were given. */
function summarizeDegrees({ degrees, volume, scale }: Graph): { min: number; mean: number; max: number } {
  let [min, max] = [Infinity, -Infinity];
  for (const degree of degrees) {
    min = Math.min(min, degree);
    max = Math.max(max, degree);
  }
  return { min: scale * min, mean: scale * (volume / degrees.length), max: scale * max };
}

interface Report {
  readonly isolated: number;
  readonly degree: { readonly min: number; readonly mean: number; readonly max: number };
  readonly batchNeighbors: Readonly<Record<string, number>>;
  readonly seconds: number;
}

function describe({ isolated, degree, batchNeighbors: neighborCounts, seconds }: Report): string {
  const rows = [
    ['degree', `${formatNumber(degree.min)} to ${formatNumber(degree.max)}, mean ${formatNumber(degree.mean)}`],
    ['isolated nodes', String(isolated)],
    ...Object.entries(neighborCounts).map(([size, mean]) => [`neighbors of a batch of ${size}`, formatNumber(mean)]),
    ['time', formatMilliseconds(1000 * seconds)],
  ];
  return formatTable(['', ''], rows).split('\n').slice(2).join('\n');
}
