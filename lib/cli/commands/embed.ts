/** Which coordinates do the points of a file get, and which function gives them to others? The command `embed`. */

import { badValue } from '../../core/check.ts';
import { laplacianEigenmap } from '../../embedding/eigenmaps/eigenmap.ts';
import { defaultMethod } from '../../embedding/fit-model.ts';
import type { Model } from '../../embedding/model/model.ts';
import { type Diagnostics, diagnosticsOf, SpectralEmbedding } from '../../embedding/spectral-embedding.ts';
import type { Graph } from '../../graph/graph.ts';
import { spectrum } from '../../spectral/spectrum/spectrum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Call, type Command, present } from '../shared/command.ts';
import { commonFlags, graphFlags, modelFlags } from '../shared/flags.ts';
import { openGraph, requirePoints } from '../shared/input.ts';
import { checkMethodFlags, type EmbedMethod, type LearnedMethod, prepareLearning } from '../shared/learning.ts';
import { modelWriters, prepareOutput, tableWriters } from '../shared/output.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';

const defaultComponents = 2;

/** Beyond, the eigensolver would take longer than learning did, and the truth is not asked for. */
const largestMeasured = 50_000;

export const embed: Command = {
  summary: 'learn a function that gives points their spectral coordinates',
  operands: ['FILE'],
  flags: [...modelFlags, ...graphFlags, ...commonFlags],
  details: [
    '--out .csv .csv.gz .npy: the coordinates, one point a row',
    'JSON: eigenvalues (Rayleigh quotients of the coordinates), gap {f1, f2} (above the optimum; null beyond 50,000\n  points and where Lanczos does not converge), seconds {graph, train, total}, stepsPerSecond',
  ],
  examples: [
    ['specnet embed points.csv -k 2 --model points.specnet --out coordinates.csv', 'by landmarks'],
    ['specnet embed points.csv --method specnet2 --epochs 3 --checkpoint training.specnet', 'a network, in pauses'],
    ['specnet embed points.npy --hidden 64,64 --json', 'by a network, for a program to read'],
  ],
  async run(call) {
    const { flags, terminal, progress, operands } = call;
    const [path] = operands;
    const { method = defaultMethod } = flags;
    requirePoints(path);
    checkMethodFlags(method, flags);
    const write = await prepareOutput(flags.out, tableWriters);
    const writeModel = await prepareOutput(flags.model, modelWriters, '--model');
    const begun = call.seconds();
    const { graph, points, description } = await openGraph(path, call);
    const built = call.seconds();
    const most = graph.size - 1;
    const { components = Math.min(defaultComponents, most) } = flags;
    if (components > most) throw badValue('embed', `at most ${most} components, one less than points`, components);
    const { embedding, eigenvalues, model, converged, stepsPerSecond } =
      method === 'eigen' ? exactly(graph, components, call) : await learn(method, graph, points!, components, call);
    const learned = call.seconds();
    await write({ rows: embedding, names: Array.from(eigenvalues, (_, k) => `psi${k + 1}`) });
    if (model) await writeModel(model);
    const measure: Measure = method === 'eigen' ? { truth: eigenvalues } : measureOf(graph, components, call);
    const { truth, missing } = measure;
    progress.clear();
    const report: Report = {
      eigenvalues: [...eigenvalues],
      gap: diagnosticsOf(eigenvalues, truth).gap,
      seconds: { graph: built - begun, train: learned - built, total: learned },
      stepsPerSecond,
    };
    if (!truth && flags.json && !flags.quiet) terminal.note(`specnet embed: the ${missing}\n`);
    present(call, report, () => `${description}\n\n${describe(method, report, measure)}`);
    if (converged) return 0;
    terminal.note('specnet embed: not converged: the eigenvalues are those of the last iteration.\n');
    return 1;
  },
};

interface Embedded {
  readonly embedding: Tensor;
  readonly eigenvalues: Float64Array;
  readonly model: Model | null;
  readonly converged: boolean;
  readonly stepsPerSecond: number;
}

function exactly(graph: Graph, components: number, { flags, progress }: Call): Embedded {
  const found = laplacianEigenmap(graph, {
    components,
    seed: flags.seed ?? 0,
    progress: ({ converged, products }) => progress.show(`${converged} eigenvectors after ${products} products`),
  });
  return { ...found, model: null, stepsPerSecond: 0 };
}

async function learn(
  method: LearnedMethod,
  graph: Graph,
  points: Tensor,
  components: number,
  call: Call,
): Promise<Embedded> {
  const learning = await prepareLearning(method, call);
  const estimator = new SpectralEmbedding({ ...learning.options, components });
  const fitted = await learning.finish(estimator.fit(points, { graph, ...learning.watch }));
  const { embedding, eigenvalues, model, converged } = fitted;
  const { steps, seconds } = learning.pace();
  return { embedding, eigenvalues, model, converged, stepsPerSecond: steps === 0 ? 0 : steps / seconds };
}

interface Report {
  readonly eigenvalues: readonly number[];
  readonly gap: Diagnostics['gap'];
  readonly seconds: { readonly graph: number; readonly train: number; readonly total: number };
  readonly stepsPerSecond: number;
}

/** What quotients are held against: the nontrivial eigenvalues, or null and why there are none. */
interface Measure {
  readonly truth: Float64Array | null;
  readonly missing?: string;
}

function measureOf(graph: Graph, components: number, { flags, progress }: Call): Measure {
  if (graph.size > largestMeasured) {
    return { truth: null, missing: `gap is not measured beyond ${largestMeasured} points.` };
  }
  progress.show('eigenvalues by Lanczos, to measure against');
  const { values, converged } = spectrum(graph, { count: components + 1, seed: flags.seed ?? 0 });
  if (!converged) return { truth: null, missing: 'gap is not measured, for Lanczos has not converged.' };
  return { truth: values.slice(1) };
}

const learnedBy: Record<EmbedMethod, string> = {
  regression: 'Learned by regression',
  ritz: 'Learned by the Ritz head',
  specnet1: 'Trained by SpecNet1',
  specnet2: 'Trained by SpecNet2',
  eigen: 'Found by Lanczos',
};

function describe(
  method: EmbedMethod,
  { eigenvalues, gap, seconds, stepsPerSecond }: Report,
  { truth, missing }: Measure,
): string {
  const rows = eigenvalues.map((value, k) => [
    String(k + 1),
    value.toFixed(10),
    ...(truth ? [truth[k].toFixed(10), formatNumber(truth[k] - value)] : []),
  ]);
  const header = ['', 'quotient', ...(truth ? ['λ of D⁻¹W', 'below by'] : [])];
  const pace = stepsPerSecond === 0 ? '' : `, ${formatNumber(stepsPerSecond)} steps a second`;
  const time = `${learnedBy[method]} in ${formatMilliseconds(1000 * seconds.train)}${pace}.`;
  const quality = gap
    ? `Above the optimum: f1 by ${formatNumber(gap.f1)}, f2 by ${formatNumber(gap.f2)}.`
    : `The ${missing}`;
  return `${formatTable(header, rows, 0)}\n\n${time}\n${quality}`;
}
