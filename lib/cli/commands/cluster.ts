/** Which points of a file belong together? The command `cluster`. */

import { badValue } from '../../core/check.ts';
import { accuracy, adjustedRandIndex, normalizedMutualInformation } from '../../embedding/clustering/agreement.ts';
import { defaultMethod } from '../../embedding/fit-model.ts';
import { type FittedClustering, SpectralClustering } from '../../embedding/estimators.ts';
import type { Model } from '../../embedding/model/model.ts';
import { spectralClustering } from '../../embedding/clustering/spectral-clustering.ts';
import type { Graph } from '../../graph/graph.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Call, type Command, present } from '../shared/command.ts';
import { commonFlags, graphFlags, modelFlags } from '../shared/flags.ts';
import { openGraph, requirePoints } from '../shared/input.ts';
import { checkMethodFlags, type LearnedMethod, prepareLearning } from '../shared/learning.ts';
import { modelWriters, prepareOutput, tableWriters } from '../shared/output.ts';
import { formatMilliseconds, formatTable } from '../../charts/table.ts';

export const cluster: Command = {
  summary: 'find clusters by the eigenvectors of a graph and k-means',
  operands: ['FILE'],
  flags: ['clusters', ...modelFlags, ...graphFlags, ...commonFlags],
  meanings: {
    components: {
      help: 'coordinates that a model is to give; one less than clusters unless said',
    },
    method: { help: 'eigen unless said: exact; the others learn a model, regression with --model' },
  },
  details: [
    '--out .csv .csv.gz .npy: the cluster of every point, from 0 on',
    '--model: what gives the coordinates that were clustered, as embed keeps it',
    'JSON: labels, sizes, seconds; and where the file has labels, agreement {accuracy, nmi, ari}',
  ],
  examples: [
    ['specnet cluster points.csv --clusters 2', 'by the graph of 16 nearest neighbours'],
    ['specnet cluster points.csv --clusters 2 --graph self-tuned --neighbors 10 --out labels.csv', 'keep the labels'],
    ['specnet cluster points.csv --clusters 2 --model points.specnet', 'by coordinates that transform gives to others'],
    ['specnet cluster graph.npz --clusters 3 --json', 'of your own graph, for a program to read'],
  ],
  async run(call) {
    const { flags, terminal, progress, operands } = call;
    const { clusters } = flags;
    if (clusters === undefined) throw new UsageError('expected --clusters C, got none.');
    const [path] = operands;
    const { method = flags.model === undefined ? 'eigen' : defaultMethod } = flags;
    checkMethodFlags(method, flags);
    if (method === 'eigen' && flags.components !== undefined) {
      throw new UsageError('expected --components with --method regression, ritz, specnet1 or specnet2, got eigen.');
    }
    if (method !== 'eigen') requirePoints(path);
    const write = await prepareOutput(flags.out, tableWriters);
    const writeModel = await prepareOutput(flags.model, modelWriters, '--model');
    const { graph, points, description, labels: truth } = await openGraph(path, call);
    if (clusters > graph.size) throw badValue('cluster', `at most ${graph.size} clusters, as many as nodes`, clusters);
    const { labels, sizes, converged, model } =
      method === 'eigen' ? exactly(graph, clusters, call) : await learn(method, graph, points!, clusters, call);
    progress.clear();
    if (model) await writeModel(model);
    await write({ rows: new Tensor(Float64Array.from(labels), [labels.length, 1]), names: ['label'] });
    const agreement = truth && agreementOf(labels, truth);
    const report = { labels: [...labels], sizes: [...sizes], seconds: call.seconds(), ...(agreement && { agreement }) };
    present(call, report, () => `${description}\n\n${describe(report)}`);
    if (converged) return 0;
    terminal.note('specnet cluster: not converged: eigenvectors or centres were still changing at the end.\n');
    return 1;
  },
};

interface Clustered extends Pick<FittedClustering, 'labels' | 'sizes' | 'converged'> {
  readonly model: Model | null;
}

function exactly(graph: Graph, clusters: number, { flags, progress }: Call): Clustered {
  const found = spectralClustering(graph, {
    clusters,
    seed: flags.seed ?? 0,
    progress: ({ converged, products }) =>
      progress.show(`${converged} of ${clusters} eigenvectors after ${products} products`),
  });
  return { ...found, model: null };
}

async function learn(
  method: LearnedMethod,
  graph: Graph,
  points: Tensor,
  clusters: number,
  call: Call,
): Promise<Clustered> {
  const learning = await prepareLearning(method, call);
  const estimator = new SpectralClustering({ ...learning.options, clusters });
  const fitted = await learning.finish(estimator.fit(points, { graph, ...learning.watch }));
  const { labels, sizes, converged, base } = fitted;
  return { labels, sizes, converged, model: base.model };
}

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
