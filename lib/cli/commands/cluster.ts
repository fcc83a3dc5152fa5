/** The command `cluster`: spectral clustering of the points or the graph of a file. */

import { badValue } from '../../core/check.ts';
import { accuracy, adjustedRandIndex, normalizedMutualInformation } from '../../embedding/clustering/agreement.ts';
import { laplacianEigenmap } from '../../embedding/eigenmaps/eigenmap.ts';
import { defaultMethod } from '../../embedding/fit-model.ts';
import { type FittedClustering, SpectralClustering } from '../../embedding/estimators.ts';
import type { Model } from '../../embedding/model/model.ts';
import type { PointSource } from '../../embedding/model/point-table.ts';
import { spectralClustering } from '../../embedding/clustering/spectral-clustering.ts';
import type { Graph } from '../../graph/graph.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Call, type Command, printReport } from '../shared/command.ts';
import { commonFlags, graphFlags, modelFlags, plotFlags, tableFlags } from '../shared/flags.ts';
import { noteParts, openGraph, requirePoints } from '../shared/input.ts';
import { checkMethodFlags, type LearnedMethod, openCheckpoint, prepareLearning } from '../shared/learning.ts';
import type { Checkpoint } from '../shared/checkpoint.ts';
import { modelWriters, prepareOutput, tableWriters, writeAll } from '../shared/output.ts';
import { graphFacts, plotWarnings, preparePlot } from '../shared/plot.ts';
import { carriedAlong, tableReport } from '../shared/table.ts';
import { formatMilliseconds, formatTable } from '../../charts/table.ts';

export const cluster: Command = {
  summary: 'cluster by k-means on the eigenvectors of a graph',
  operands: ['FILE'],
  flags: ['clusters', ...modelFlags, ...tableFlags, ...graphFlags, 'max-bytes', ...plotFlags, ...commonFlags],
  overrides: {
    components: { help: 'coordinates of the model; default: one less than clusters' },
    method: { help: 'default: eigen, exact, or regression with --model; all but eigen learn a model' },
  },
  details: [
    '--out .csv .csv.gz .npy: the cluster of every point, counted from 0; CSV carries ids and labels along',
    '--model: the model of the coordinates that were clustered, as embed saves it',
    'JSON: labels, sizes, seconds; if the file has labels, agreement {accuracy, nmi, ari};\n  for a table, table {columns, leftOut, label, labelCandidates, id, missing, dropped, notes}',
  ],
  examples: [
    ['specnet cluster points.csv --clusters 2', 'on the graph of 16 nearest neighbors'],
    ['specnet cluster points.csv --clusters 2 --graph self-tuned --neighbors 10 --out labels.csv', 'save the labels'],
    [
      'specnet cluster points.csv --clusters 2 --model points.specnet',
      'with a model that transform applies to new points',
    ],
    ['specnet cluster points.csv --clusters 3 --plot clusters.html', 'a page with the clusters in color'],
    ['specnet cluster graph.npz --clusters 3 --json', 'on a given graph, as JSON'],
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
    const checkpoint = await openCheckpoint(method, flags);
    const plot = await preparePlot(call);
    const { graph, points, table, dataset, description } = await openGraph(path, call, {
      needsPoints: method !== 'eigen',
      connect: 'join',
    });
    noteParts(graph, call);
    if (clusters > graph.size)
      throw badValue('cluster', `at most ${graph.size} clusters, the number of nodes`, clusters);
    plot.checkColor(dataset, ['cluster']);
    const { labels, sizes, converged, model, embedding } =
      method === 'eigen'
        ? await clusterExactly(graph, clusters, call)
        : await clusterLearned(method, graph, table ?? points!, clusters, call, checkpoint);
    progress.clear();
    await writeAll([
      async () => (model ? writeModel(model) : undefined),
      () => {
        const rows = new Tensor(Float64Array.from(labels), [labels.length, 1]);
        return write({ rows, names: ['cluster'], ...carriedAlong(table) });
      },
    ]);
    const agreement = table?.labels && agreementOf(labels, table.labels);
    const report = {
      labels: [...labels],
      sizes: [...sizes],
      seconds: call.seconds(),
      ...(agreement && { agreement }),
      ...tableReport(table),
    };
    if (plot.isWanted) {
      const shown = embedding ?? (await eigenmapFor(graph, clusters, call));
      await plot.write(shown.embedding, dataset, {
        clusters: labels,
        eigenvalues: shown.eigenvalues,
        diagnostics: { ...graphFacts(graph), ...facts(method, converged, agreement) },
        warnings: plotWarnings(graph, converged),
      });
    }
    printReport(call, report, () => `${description}\n\n${describe(report)}`);
    if (converged) return 0;
    terminal.note(
      'specnet cluster: not converged: the eigenvectors or the cluster centers were still changing in the last iteration.\n',
    );
    return 1;
  },
};

interface Clustered extends Pick<FittedClustering, 'labels' | 'sizes' | 'converged'> {
  readonly model: Model | null;
  /** The learned coordinates. Null for exact eigenvectors, of which a picture shows more than were clustered. */
  readonly embedding: { readonly embedding: Tensor; readonly eigenvalues: Float64Array } | null;
}

async function clusterExactly(graph: Graph, clusters: number, { flags, progress }: Call): Promise<Clustered> {
  const found = await spectralClustering(graph, {
    clusters,
    seed: flags.seed ?? 0,
    onRestart: ({ converged, products }) =>
      progress.show(`${converged} of ${clusters} eigenvectors after ${products} products`),
  });
  const { labels, sizes, converged } = found;
  return { labels, sizes, converged, model: null, embedding: null };
}

async function clusterLearned(
  method: LearnedMethod,
  graph: Graph,
  points: PointSource,
  clusters: number,
  call: Call,
  checkpoint: Checkpoint | undefined,
): Promise<Clustered> {
  const learning = prepareLearning(method, call, checkpoint);
  const estimator = new SpectralClustering({ ...learning.options, clusters });
  const fitted = await learning.finish(estimator.fit(points, { graph, ...learning.fitOptions }));
  const { labels, sizes, converged, base } = fitted;
  return { labels, sizes, converged, model: base.model, embedding: base };
}

/** A picture shows at least this many coordinates and eigenvalues, if the graph has enough nodes. */
const [leastCoordinates, leastEigenvalues] = [3, 10];

/** The exact coordinates for a picture: those that were clustered, and at least three. */
async function eigenmapFor(
  graph: Graph,
  clusters: number,
  { flags, progress }: Call,
): Promise<NonNullable<Clustered['embedding']>> {
  const wanted = Math.min(graph.size - 1, Math.max(clusters - 1, leastCoordinates));
  const components = Math.min(graph.size - 1, Math.max(wanted, leastEigenvalues));
  const { embedding, eigenvalues } = await laplacianEigenmap(graph, {
    components,
    seed: flags.seed ?? 0,
    onRestart: ({ converged }) => progress.show(`drawing: ${converged} of ${components} eigenvectors`),
  });
  const rows = Float64Array.from({ length: graph.size * wanted }, (_, at) => {
    const row = Math.floor(at / wanted);
    return embedding.data[row * components + (at - row * wanted)];
  });
  return { embedding: new Tensor(rows, [graph.size, wanted]), eigenvalues };
}

/** The rows of the table of diagnostics in a picture. */
function facts(method: string, converged: boolean, agreement: Agreement | undefined): Record<string, string> {
  return {
    method,
    converged: converged ? 'yes' : 'no',
    ...(agreement && {
      'accuracy against labels': agreement.accuracy.toFixed(4),
      'NMI against labels': agreement.nmi.toFixed(4),
      'ARI against labels': agreement.ari.toFixed(4),
    }),
  };
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
  return `${table}\n\nAgreement with the labels of the file: accuracy ${a}, NMI ${n}, ARI ${r}.\n${time}`;
}
