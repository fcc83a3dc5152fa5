/** The command `cluster`: spectral clustering of the points or the graph of a file. */

import { badValue } from '../../core/check.ts';
import { accuracy, adjustedRandIndex, normalizedMutualInformation } from '../../embedding/clustering/agreement.ts';
import { laplacianEigenmap } from '../../embedding/eigenmaps/eigenmap.ts';
import { defaultMethod } from '../../embedding/model-options.ts';
import { type ClusterChoice, type ClusterCount, describeChoice } from '../../embedding/clustering/cluster-count.ts';
import type { ClusteringOptions, ClusterReport } from '../../embedding/clustering/cluster-rows.ts';
import type { Assignment } from '../../embedding/clustering/labeling.ts';
import { SpectralClustering } from '../../embedding/estimators.ts';
import type { Model } from '../../embedding/model/model.ts';
import { spectralClustering } from '../../embedding/clustering/spectral-clustering.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Points } from '../../sparse/points.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Call, type Command, eigensolverOptions, printReport } from '../shared/command.ts';
import { clusterFlags, commonFlags, type Flags, inputFlags, modelFlags, plotFlags } from '../flags/flags.ts';
import { noteParts, openGraph, requirePoints } from '../shared/input.ts';
import { checkMethodFlags, type LearnedMethod, openCheckpoint, prepareLearning } from '../shared/learning.ts';
import type { Checkpoint } from '../shared/checkpoint.ts';
import { modelWriters, prepareOutput, tableWriters, writeAll } from '../shared/output.ts';
import { graphFacts, plotWarnings, preparePlot } from '../shared/plot.ts';
import { carriedAlong, tableReport } from '../shared/table.ts';
import { formatMilliseconds, formatTable } from '../../charts/table.ts';

export const cluster: Command = {
  summary: 'cluster by the eigenvectors of a graph',
  operands: ['FILE'],
  flags: [...clusterFlags, ...modelFlags, 'solver', ...inputFlags, ...plotFlags, ...commonFlags],
  overrides: {
    components: { help: 'coordinates of the model; default: one less than clusters' },
    method: { help: 'default: eigen, exact, or regression with --model; all but eigen learn a model' },
  },
  details: [
    '--out .csv .csv.gz .npy: the cluster of every point, counted from 0; CSV includes ids and labels',
    '--model: the model of the coordinates that were clustered, as embed saves it',
    'JSON: labels, sizes, clusters, assign, choice (of --clusters auto: chosen, runnerUp {clusters, gap, silhouette,\n  score}, rule, eigenvalues, isClear), stability {agreement, runs, isStable}, quality {silhouette, silhouetteSample,\n  conductances}, warnings, converged, seconds; if the file has labels, agreement {accuracy, nmi, ari};\n  for a table, table {columns, leftOut, label, labelCandidates, id, missing, dropped, notes}',
  ],
  examples: [
    ['specnet cluster points.csv --clusters 2', 'on the graph of 16 nearest neighbors'],
    ['specnet cluster points.csv --clusters 2 --graph self-tuned --neighbors 10 --out labels.csv', 'save the labels'],
    [
      'specnet cluster points.csv --clusters 2 --model points.specnet',
      'with a model that transform applies to new points',
    ],
    ['specnet cluster points.csv --clusters 3 --plot clusters.html', 'a page with the clusters in color'],
    ['specnet cluster points.csv --clusters auto --assign cluster-qr', 'choose the number, without a random start'],
    ['specnet cluster graph.npz --clusters 3 --json', 'on a given graph, as JSON'],
  ],
  async run(call) {
    const { flags, terminal, progress, operands } = call;
    const { clusters } = flags;
    if (clusters === undefined) throw new UsageError('expected --clusters C or auto, got none.');
    if (clusters !== 'auto' && flags['most-clusters'] !== undefined) {
      throw new UsageError(`expected --most-clusters with --clusters auto, got ${clusters}.`);
    }
    const [path] = operands;
    const { method = flags.model === undefined ? 'eigen' : defaultMethod } = flags;
    checkMethodFlags(method, flags);
    if (method === 'eigen' && flags.components !== undefined) {
      throw new UsageError('expected --components with --method regression, ritz, specnet1 or specnet2, got eigen.');
    }
    if (flags.components !== undefined && (flags.assign ?? 'k-means') !== 'k-means') {
      throw new UsageError(`expected --components with --assign k-means, got ${flags.assign}.`);
    }
    if (method !== 'eigen') requirePoints(path);
    const write = await prepareOutput(flags.out, tableWriters);
    const writeModel = await prepareOutput(flags.model, modelWriters, '--model');
    const checkpoint = await openCheckpoint(method, flags);
    const plot = await preparePlot(call);
    const {
      graph,
      points,
      table,
      dataset,
      description,
      warnings: ofPoints,
      ofFile,
    } = await openGraph(path, call, {
      needsPoints: method !== 'eigen',
      connect: 'join',
    });
    noteParts(graph, call);
    if (clusters !== 'auto' && clusters > graph.size)
      throw badValue('cluster', `at most ${graph.size} clusters, the number of nodes`, clusters);
    plot.checkColor(dataset, ['cluster']);
    const found =
      method === 'eigen'
        ? await clusterExactly(graph, clusters, call)
        : await clusterLearned(method, graph, points!, clusters, call, checkpoint);
    const { labels, sizes, warnings, converged, model, embedding } = found;
    progress.clear();
    await writeAll([
      async () => (model ? writeModel(ofFile(model)) : undefined),
      () => {
        const rows = new Tensor(Float64Array.from(labels), [labels.length, 1]);
        return write({ rows, names: ['cluster'], ...carriedAlong(table) });
      },
    ]);
    const agreement = table?.labels && agreementOf(labels, table.labels);
    const report = {
      ...reportOf(found, flags.assign ?? 'k-means', call.seconds(), agreement),
      ...tableReport(table),
    };
    if (plot.isWanted) {
      const shown = embedding ?? (await eigenmapFor(graph, sizes.length, call));
      await plot.write(shown.embedding, dataset, {
        clusters: labels,
        eigenvalues: shown.eigenvalues,
        diagnostics: { ...graphFacts(graph), ...facts(method, converged, agreement) },
        warnings: plotWarnings(graph, ofPoints, [...warnings, ...(converged ? [] : [notSettled])]),
      });
    }
    printReport(call, report, () => `${description}\n\n${describe(report)}`);
    for (const warning of warnings) terminal.note(`specnet cluster: ${warning}\n`);
    if (!converged) terminal.note(`specnet cluster: ${notSettled}\n`);
    return converged || method !== 'eigen' ? 0 : 1;
  },
};

const notSettled = 'not converged: the eigenvectors or the cluster centers were still changing in the last iteration.';

interface Clustered extends ClusterReport {
  readonly converged: boolean;
  readonly model: Model | null;
  /** The learned coordinates. Null for exact eigenvectors, of which a picture shows more than were clustered. */
  readonly embedding: { readonly embedding: Tensor; readonly eigenvalues: Float64Array } | null;
}

async function clusterExactly(graph: Graph, clusters: ClusterCount, call: Call): Promise<Clustered> {
  const found = await spectralClustering(graph, {
    ...clusteringOptions(clusters, call.flags),
    ...eigensolverOptions(call, ({ converged, products }) => `${converged} eigenvectors after ${products} products`),
  });
  return { ...found, model: null, embedding: null };
}

async function clusterLearned(
  method: LearnedMethod,
  graph: Graph,
  points: Points,
  clusters: ClusterCount,
  call: Call,
  checkpoint: Checkpoint | undefined,
): Promise<Clustered> {
  const learning = prepareLearning(method, call, checkpoint);
  const estimator = new SpectralClustering({ ...learning.options, ...clusteringOptions(clusters, call.flags) });
  const fitted = await learning.finish(estimator.fit(points, { graph, ...learning.fitOptions }));
  const { labels, sizes, choice, stability, quality, warnings, converged, base } = fitted;
  return { labels, sizes, choice, stability, quality, warnings, converged, model: base.model, embedding: base };
}

function clusteringOptions(clusters: ClusterCount, flags: Flags): ClusteringOptions {
  return { clusters, assign: flags.assign, mostClusters: flags['most-clusters'] };
}

/** A picture shows at least this many coordinates and eigenvalues, if the graph has enough nodes. */
const [leastCoordinates, leastEigenvalues] = [3, 10];

/** The exact coordinates for a picture: those that were clustered, and at least three. */
async function eigenmapFor(graph: Graph, clusters: number, call: Call): Promise<NonNullable<Clustered['embedding']>> {
  const wanted = Math.min(graph.size - 1, Math.max(clusters - 1, leastCoordinates));
  const components = Math.min(graph.size - 1, Math.max(wanted, leastEigenvalues));
  const { embedding, eigenvalues } = await laplacianEigenmap(graph, {
    components,
    ...eigensolverOptions(call, ({ converged }) => `drawing: ${converged} of ${components} eigenvectors`),
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

interface Report extends Pick<ClusterReport, 'stability' | 'warnings'> {
  readonly converged: boolean;
  readonly labels: readonly number[];
  readonly sizes: readonly number[];
  readonly clusters: number;
  readonly assign: Assignment;
  readonly choice: (Omit<ClusterChoice, 'eigenvalues'> & { readonly eigenvalues: readonly number[] }) | null;
  readonly quality: Omit<ClusterReport['quality'], 'conductances'> & { readonly conductances: readonly number[] };
  readonly seconds: number;
  readonly agreement?: Agreement;
}

/** What is printed as JSON: plain arrays instead of typed ones. */
function reportOf(found: Clustered, assign: Assignment, seconds: number, agreement: Agreement | undefined): Report {
  const { labels, sizes, choice, stability, quality, warnings, converged } = found;
  return {
    labels: [...labels],
    sizes: [...sizes],
    clusters: sizes.length,
    assign,
    choice: choice && { ...choice, eigenvalues: [...choice.eigenvalues] },
    stability,
    quality: { ...quality, conductances: [...quality.conductances] },
    warnings,
    converged,
    seconds,
    ...(agreement && { agreement }),
  };
}

function agreementOf(labels: Int32Array, truth: Int32Array): Agreement {
  return {
    accuracy: accuracy(labels, truth),
    nmi: normalizedMutualInformation(labels, truth),
    ari: adjustedRandIndex(labels, truth),
  };
}

function describe(report: Report): string {
  const { labels, sizes, choice, quality, stability, seconds, agreement } = report;
  const rows = sizes.map((size, c) => [
    `${c}`,
    `${size}`,
    `${((100 * size) / labels.length).toFixed(1)} %`,
    quality.conductances[c].toFixed(4),
  ]);
  const lines: string[] = [];
  if (choice) lines.push(describeChoice(choice));
  if (quality.silhouette !== null) {
    const sampled = quality.silhouetteSample < labels.length ? ` on ${quality.silhouetteSample} points` : '';
    lines.push(`Silhouette ${quality.silhouette.toFixed(4)}${sampled}, from −1 to 1.`);
  }
  if (stability) {
    lines.push(`Agreement with ${stability.runs} other seeds: ARI ${stability.agreement.toFixed(4)}.`);
  }
  if (agreement) {
    const [a, n, r] = [agreement.accuracy, agreement.nmi, agreement.ari].map((value) => value.toFixed(4));
    lines.push(`Agreement with the labels of the file: accuracy ${a}, NMI ${n}, ARI ${r}.`);
  }
  lines.push(`Done in ${formatMilliseconds(1000 * seconds)}.`);
  return `${formatTable(['cluster', 'nodes', 'share', 'conductance'], rows, 0)}\n\n${lines.join('\n')}`;
}
