/** Which points of a file belong together? The command `cluster`. */

import { badValue } from '../core/check.ts';
import { accuracy, adjustedRandIndex, normalizedMutualInformation } from '../embedding/agreement.ts';
import { spectralClustering } from '../embedding/spectral-clustering.ts';
import { Tensor } from '../tensor/tensor.ts';
import { UsageError } from './arguments.ts';
import { type Command, present } from './command.ts';
import { commonFlags, graphFlags } from './flags.ts';
import { openGraph } from './input.ts';
import { prepareOutput, tableWriters } from './output.ts';
import { formatMilliseconds, formatTable } from './table.ts';

export const cluster: Command = {
  summary: 'find clusters by the eigenvectors of a graph and k-means',
  operands: ['FILE'],
  flags: ['clusters', ...graphFlags, ...commonFlags],
  details: [
    '--out .csv .csv.gz .npy: the cluster of every point, from 0 on',
    'JSON: labels, sizes, seconds; and where the file has labels, agreement {accuracy, nmi, ari}',
  ],
  examples: [
    ['specnet cluster points.csv --clusters 2', 'by the graph of 16 nearest neighbours'],
    ['specnet cluster points.csv --clusters 2 --graph self-tuned --neighbors 10 --out labels.csv', 'keep the labels'],
    ['specnet cluster graph.npz --clusters 3 --json', 'of your own graph, for a program to read'],
  ],
  async run(call) {
    const { flags, terminal, progress, operands } = call;
    const { clusters } = flags;
    if (clusters === undefined) throw new UsageError('expected --clusters C, got none.');
    const write = await prepareOutput(flags.out, tableWriters);
    const { graph, description, labels: truth } = await openGraph(operands[0], call);
    if (clusters > graph.size) throw badValue('cluster', `at most ${graph.size} clusters, as many as nodes`, clusters);
    const { labels, sizes, converged } = spectralClustering(graph, {
      clusters,
      seed: flags.seed ?? 0,
      progress: ({ converged: found, products }) =>
        progress.show(`${found} of ${clusters} eigenvectors after ${products} products`),
    });
    progress.clear();
    await write({ rows: new Tensor(Float64Array.from(labels), [labels.length, 1]), names: ['label'] });
    const agreement = truth && agreementOf(labels, truth);
    const report = { labels: [...labels], sizes: [...sizes], seconds: call.seconds(), ...(agreement && { agreement }) };
    present(call, report, () => `${description}\n\n${describe(report)}`);
    if (converged) return 0;
    terminal.note('specnet cluster: not converged: eigenvectors or centres were still changing at the end.\n');
    return 1;
  },
};

interface Agreement {
  readonly accuracy: number;
  readonly nmi: number;
  readonly ari: number;
}

interface Report {
  readonly labels: readonly number[];
  readonly sizes: readonly number[];
  readonly seconds: number;
  readonly agreement?: Agreement;
}

function agreementOf(labels: Int32Array, truth: Int32Array): Agreement {
  return {
    accuracy: accuracy(labels, truth),
    nmi: normalizedMutualInformation(labels, truth),
    ari: adjustedRandIndex(labels, truth),
  };
}

function describe({ labels, sizes, seconds, agreement }: Report): string {
  const rows = sizes.map((size, c) => [`${c}`, `${size}`, `${((100 * size) / labels.length).toFixed(1)} %`]);
  const time = `Done in ${formatMilliseconds(1000 * seconds)}.`;
  const table = formatTable(['cluster', 'nodes', 'share'], rows, 0);
  if (!agreement) return `${table}\n\n${time}`;
  const [a, n, r] = [agreement.accuracy, agreement.nmi, agreement.ari].map((value) => value.toFixed(4));
  return `${table}\n\nAgainst the labels of the file: accuracy ${a}, NMI ${n}, ARI ${r}.\n${time}`;
}
