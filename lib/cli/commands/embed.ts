/** The command `embed`: learns spectral coordinates of the points of a file, and a model that applies to new points. */

import { badValue } from '../../core/check.ts';
import { laplacianEigenmap } from '../../embedding/eigenmaps/eigenmap.ts';
import { defaultMethod } from '../../embedding/model-options.ts';
import type { Model } from '../../embedding/model/model.ts';
import { type Diagnostics, diagnosticsOf, SpectralEmbedding } from '../../embedding/spectral-embedding.ts';
import type { Graph } from '../../graph/graph.ts';
import type { LandmarkReport } from '../../spectral/regression/choose-landmarks.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import { spectrum } from '../../spectral/spectrum/spectrum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Call, type Command, eigensolverOptions, printReport } from '../shared/command.ts';
import { commonFlags, inputFlags, modelFlags, plotFlags } from '../flags/flags.ts';
import { embedStored } from './embed-stored.ts';
import { noteParts, openGraph, requirePoints } from '../shared/input.ts';
import {
  checkMethodFlags,
  describeLandmarks,
  type EmbedMethod,
  type LearnedMethod,
  openCheckpoint,
  prepareLearning,
} from '../shared/learning.ts';
import type { Checkpoint } from '../shared/checkpoint.ts';
import { modelWriters, prepareOutput, tableWriters, writeAll } from '../shared/output.ts';
import { graphFacts, notConverged, plotWarnings, preparePlot } from '../shared/plot.ts';
import { carriedAlong, tableReport } from '../shared/table.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';

const defaultComponents = 2;

/** The exact eigenvalues of more points are computed to a tolerance that is looser, but still finer than the gap. */
const large = { from: 50_000, tolerance: 1e-7 };

export const embed: Command = {
  summary: 'learn a function from points to spectral coordinates',
  operands: ['FILE'],
  flags: [...modelFlags, 'stored', 'memory', 'order', 'solver', ...inputFlags, ...plotFlags, ...commonFlags],
  details: [
    '--out .csv .csv.gz .npy: the coordinates, one point per row; CSV includes ids and labels',
    'JSON: eigenvalues (Rayleigh quotients of the coordinates), converged, gap {f1, f2} (above the optimum; null if\n  the exact eigenvalues do not converge), seconds {graph, train, total}, stepsPerSecond,\n  landmarks {count, reason, stages} (null for a network);\n  for a table, table {columns, leftOut, label, labelCandidates, id, missing, dropped, notes}',
  ],
  examples: [
    ['specnet embed points.csv -k 2 --model points.specnet --out coordinates.csv', 'a model on landmarks'],
    [
      'specnet embed points.csv --method specnet2 --epochs 3 --checkpoint training.specnet',
      'a network, with checkpoints',
    ],
    ['specnet embed points.npy --hidden 64,64 --json', 'a network, as JSON'],
    ['specnet embed points.csv -k 3 --plot points.html', 'a page with the coordinates, to look at in a browser'],
    ['specnet embed table.csv --label kind --ignore comment', 'a table with text, labels and missing values'],
  ],
  async run(call) {
    const { flags, terminal, progress, operands } = call;
    const [path] = operands;
    const { method = defaultMethod } = flags;
    if (flags.stored !== undefined) return embedStored(call);
    for (const name of ['memory', 'order'] as const) {
      if (flags[name] !== undefined) throw new UsageError(`expected --stored FOLDER with --${name}, got none.`);
    }
    if (method !== 'eigen') requirePoints(path);
    if (method !== 'eigen' && flags.graph === 'given') {
      throw new UsageError(`expected --method eigen with --graph given, got ${method}, which learns from points.`);
    }
    checkMethodFlags(method, flags);
    const write = await prepareOutput(flags.out, tableWriters);
    const writeModel = await prepareOutput(flags.model, modelWriters, '--model');
    const checkpoint = await openCheckpoint(method, flags);
    const plot = await preparePlot(call);
    const startSeconds = call.seconds();
    const use = { needsPoints: true, connect: 'join' } as const;
    const { graph, points, table, dataset, description, warnings, ofFile } = await openGraph(path, call, use);
    const builtSeconds = call.seconds();
    noteParts(graph, call);
    const most = graph.size - 1;
    const allowed = method === 'eigen' ? most : Math.max(1, countDifferent(points!, defaultComponents + 1) - 1);
    const { components = Math.min(defaultComponents, allowed, most) } = flags;
    if (components > most)
      throw badValue('embed', `at most ${most} components, one less than the number of points`, components);
    const names = Array.from({ length: components }, (_, k) => `psi${k + 1}`);
    plot.checkColor(dataset, names);
    const { embedding, eigenvalues, model, converged, stepsPerSecond, landmarks } =
      method === 'eigen'
        ? await embedExactly(graph, components, call)
        : await embedLearned(method, graph, points!, components, call, checkpoint);
    const learnedSeconds = call.seconds();
    // The model first: the table can be computed from it.
    await writeAll([
      async () => (model ? writeModel(ofFile(model)) : undefined),
      () => write({ rows: embedding, names, ...carriedAlong(table) }),
    ]);
    const reference: Reference =
      method === 'eigen' ? { exact: eigenvalues } : await referenceFor(graph, components, plot.isWanted, call);
    const { exact, problem } = reference;
    progress.clear();
    const report: Report = {
      eigenvalues: [...eigenvalues],
      converged,
      gap: diagnosticsOf(eigenvalues, exact).gap,
      seconds: {
        graph: builtSeconds - startSeconds,
        train: learnedSeconds - builtSeconds,
        total: learnedSeconds,
      },
      stepsPerSecond,
      landmarks,
      ...tableReport(table),
    };
    await plot.write(embedding, dataset, {
      names,
      eigenvalues: reference.further ?? eigenvalues,
      diagnostics: { ...graphFacts(graph), ...facts(method, report) },
      warnings: plotWarnings(graph, warnings, [
        ...(exact ? [] : [`the ${problem}`]),
        ...(converged ? [] : [notConverged]),
      ]),
    });
    if (!exact && flags.json && !flags.quiet) terminal.note(`specnet embed: the ${problem}\n`);
    printReport(call, report, () => `${description}\n\n${describe(method, report, reference)}`);
    if (!converged) terminal.note(`specnet embed: ${notConverged}\n`);
    // Learned coordinates are approximations anyway. The method eigen promises exact ones.
    return converged || method !== 'eigen' ? 0 : 1;
  },
};

interface Embedded {
  readonly embedding: Tensor;
  readonly eigenvalues: Float64Array;
  readonly model: Model | null;
  readonly converged: boolean;
  readonly stepsPerSecond: number;
  readonly landmarks: LandmarkReport | null;
}

/** The number of different points, up to `most`. A function of the points has fewer components. Sparse rows are not compared. */
function countDifferent(points: Points, most: number): number {
  if (isSparse(points)) return most;
  const { rows, cols, data } = points;
  const rowOf = (i: number): string => data.subarray(i * cols, (i + 1) * cols).join();
  const seen = new Set<string>();
  for (let i = 0; i < rows && seen.size < most; i++) seen.add(rowOf(i));
  return seen.size;
}

async function embedExactly(graph: Graph, components: number, call: Call): Promise<Embedded> {
  const found = await laplacianEigenmap(graph, {
    components,
    ...eigensolverOptions(call, ({ converged, products }) => `${converged} eigenvectors after ${products} products`),
  });
  return { ...found, model: null, stepsPerSecond: 0, landmarks: null };
}

async function embedLearned(
  method: LearnedMethod,
  graph: Graph,
  points: Points,
  components: number,
  call: Call,
  checkpoint: Checkpoint | undefined,
): Promise<Embedded> {
  const learning = prepareLearning(method, call, checkpoint);
  const estimator = new SpectralEmbedding({ ...learning.options, components });
  const fitted = await learning.finish(estimator.fit(points, { graph, ...learning.fitOptions }));
  const { embedding, eigenvalues, model, converged } = fitted;
  const { landmarks } = fitted.diagnostics;
  const { steps, seconds } = learning.trainingSteps();
  return { embedding, eigenvalues, model, converged, stepsPerSecond: steps === 0 ? 0 : steps / seconds, landmarks };
}

interface Report {
  readonly eigenvalues: readonly number[];
  readonly converged: boolean;
  readonly gap: Diagnostics['gap'];
  readonly seconds: { readonly graph: number; readonly train: number; readonly total: number };
  readonly stepsPerSecond: number;
  readonly landmarks: LandmarkReport | null;
}

/** The exact nontrivial eigenvalues, or null and the problem, in the words that follow "the" in messages. */
interface Reference {
  readonly exact: Float64Array | null;
  readonly problem?: string;
  /** The same eigenvalues and those after them, for a picture of the eigengap. */
  readonly further?: Float64Array;
}

/** The number of nontrivial eigenvalues in a picture. */
const picturedEigenvalues = 10;

async function referenceFor(graph: Graph, components: number, isPictured: boolean, call: Call): Promise<Reference> {
  call.progress.show('computing reference eigenvalues');
  const wanted = isPictured ? Math.min(graph.size - 1, Math.max(components, picturedEigenvalues)) : components;
  const { values, converged } = await spectrum(graph, {
    count: wanted + 1,
    ...(graph.size > large.from && { tolerance: large.tolerance }),
    ...eigensolverOptions(call, ({ products }) => `computing reference eigenvalues: ${products} products`),
  });
  if (!converged)
    return { exact: null, problem: 'gap is not computed because the exact eigenvalues did not converge.' };
  return { exact: values.slice(1, components + 1), further: values.slice(1) };
}

/** The rows of the table of diagnostics in a picture. */
function facts(
  method: EmbedMethod,
  { eigenvalues, converged, gap, seconds, landmarks }: Report,
): Record<string, string> {
  return {
    method,
    converged: converged ? 'yes' : 'no',
    'Rayleigh quotients': eigenvalues.map((value) => value.toFixed(5)).join(', '),
    ...(gap && { 'gap of f1': formatNumber(gap.f1), 'gap of f2': formatNumber(gap.f2) }),
    ...(landmarks && { landmarks: describeLandmarks(landmarks) }),
    'time to learn': formatMilliseconds(1000 * seconds.train),
  };
}

const learnedBy: Record<EmbedMethod, string> = {
  regression: 'Learned by regression',
  ritz: 'Learned by the Ritz head',
  specnet1: 'Trained by SpecNet1',
  specnet2: 'Trained by SpecNet2',
  eigen: 'Computed as eigenvectors',
};

function describe(
  method: EmbedMethod,
  { eigenvalues, gap, seconds, stepsPerSecond, landmarks }: Report,
  { exact, problem }: Reference,
): string {
  const rows = eigenvalues.map((value, k) => [
    String(k + 1),
    value.toFixed(10),
    ...(exact ? [exact[k].toFixed(10), formatNumber(exact[k] - value)] : []),
  ]);
  const header = ['', 'quotient', ...(exact ? ['λ of D⁻¹W', 'difference'] : [])];
  const speed = stepsPerSecond === 0 ? '' : `, ${formatNumber(stepsPerSecond)} steps per second`;
  const time = `${learnedBy[method]} in ${formatMilliseconds(1000 * seconds.train)}${speed}.`;
  const points = landmarks ? `Landmarks: ${describeLandmarks(landmarks)}.\n` : '';
  const quality = gap
    ? `Gap above the optimum: f1 ${formatNumber(gap.f1)}, f2 ${formatNumber(gap.f2)}.`
    : `The ${problem}`;
  return `${formatTable(header, rows, 0)}\n\n${time}\n${points}${quality}`;
}
