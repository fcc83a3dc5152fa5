/** The jobs on MNIST. They train or embed, and measure how far f1 and f2 are above their optima on the training graph. */

import type { Dataset } from '../../../formats/dataset.ts';
import { loadMnist } from '../../../../datasets/image-sets.ts';
import { readTensorFile, writeTensorFile } from '../../../embedding/model/tensor-file.ts';
import { batchNeighbors } from '../../../graph/batch-neighbors.ts';
import { buildGraph } from '../../../graph/build-graph.ts';
import { type Graph, graphOf } from '../../../graph/graph.ts';
import { nearestAmong } from '../../../graph/neighbors/neighbors.ts';
import { toKernelFormat } from '../../../network/layers/inputs.ts';
import type { Mlp } from '../../../network/bodies/mlp.ts';
import { readNpy, writeNpy } from '../../../formats/numpy/npy.ts';
import { readNpz, writeNpz } from '../../../formats/numpy/npz.ts';
import { rayleighRitz } from '../../../spectral/ritz/rayleigh-ritz.ts';
import { exactSpectrum, type Spectrum } from '../../../spectral/spectrum/spectrum.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type DirectTask, embedDirectly } from '../direct.ts';
import type { Outcome, JobContext } from '../../shared/experiment.ts';
import { ritzOutputs } from '../../shared/moon-data.ts';
import { roundDigits } from '../../shared/statistics.ts';
import { trivialOutputs, trainAndMeasure, type TrainingTask } from '../../shared/training.ts';

export const mnistComponents = 6;
export const mnistHidden = [256, 256] as const;

/** `data` is the seed that chooses the images, `train` and `test` are their numbers, `neighbors` belongs to the graph. */
export interface MnistData {
  readonly data: number;
  readonly train: number;
  readonly test: number;
  readonly neighbors: number;
}

export type MnistTask = TrainingTask & MnistData;

export type MnistDirectTask = DirectTask & MnistData;

/** The coordinates of some images by column, and their digits. */
export interface Digits {
  readonly columns: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

export interface MnistNumbers {
  /** After each epoch: f1 − f1*, f2 − f2*, and the latter at the best scale of the same span. */
  readonly rows: readonly (readonly number[])[];
  /** The largest eigenvalues of D⁻¹W, the trivial one first. */
  readonly eigenvalues: readonly number[];
  /** The mean numbers of neighbors of batches of 2, 4 and 8. */
  readonly batchNeighbors: readonly number[];
  readonly pictures: { readonly train: Digits; readonly test: Digits } | null;
  /** The fraction of test images with the digit of most of their ten nearest training images. Null without pictures. */
  readonly vote: number | null;
}

interface MnistProblem {
  readonly train: Dataset;
  readonly test: Dataset;
  readonly graph: Graph;
  readonly truth: Spectrum;
}

/** The images, and the graph and its spectrum, which are computed once and shared between jobs. */
async function mnistProblem(
  { data, train, test, neighbors }: MnistData,
  { shared }: JobContext,
): Promise<MnistProblem> {
  const images = await loadMnist({ train, test, seed: data });
  const name = `mnist-${train}-${neighbors}-${data}`;
  const recipe = { kind: 'knn', neighbors } as const;
  let built: Graph | undefined;
  const build = async (): Promise<Graph> => (built ??= await buildGraph(images.train.points, recipe));
  const weights = await shared(`${name}-graph`, async () => writeNpz((await build()).weights));
  const reaches = await shared(`${name}-reaches`, async () => reachesFile(await build()));
  const squaredReaches = readNpy(reaches).data as Float32Array;
  const graph = graphOf(await readNpz(weights), { kind: recipe.kind, squaredReaches });
  const spectrumBytes = await shared(`${name}-spectrum`, async () => {
    const { vectors, ...facts } = await exactSpectrum('reproduce', graph, { count: mnistComponents + 1 });
    const plain = { ...facts, values: [...facts.values], residuals: [...facts.residuals] };
    return writeTensorFile('reproduce', 'spectrum', plain, [vectors], null);
  });
  type Facts = Omit<Spectrum, 'vectors' | 'values' | 'residuals'> & { values: number[]; residuals: number[] };
  const { facts, tensors } = readTensorFile<Facts>('reproduce', 'spectrum', spectrumBytes, null);
  const truth = {
    ...facts,
    values: Float64Array.from(facts.values),
    residuals: Float64Array.from(facts.residuals),
    vectors: tensors[0] as Tensor<Float64Array>,
  };
  return { ...images, graph, truth };
}

/** How far every image is from the last of its neighbors, by which Nyström finds the neighbors of new images. */
function reachesFile({ origin, size }: Graph): Uint8Array {
  return writeNpy(origin.squaredReaches!, [size]);
}

export async function trainMnist(task: MnistTask, context: JobContext): Promise<Outcome<MnistNumbers>> {
  const problem = await mnistProblem(task, context);
  const { train, graph, truth } = problem;
  const input = toKernelFormat(train.points);
  const { network, rows, seconds } = await trainAndMeasure(graph, input, mnistComponents, task, context, (current) =>
    gapsOf(graph, truth, current.evaluate(input), trivialOutputs[task.method]),
  );
  const found = task.shown ? await picturesOfNetwork(problem, network) : noPictures;
  return { numbers: { rows, ...graphFacts(problem, task.data), ...found }, seconds };
}

/**
 * f1 − f1*, f2 − f2* and the latter at the best scale. As in the paper, f1 of SpecNet1 includes the trivial vector. The scale
 * of its rows is arbitrary, so its f2 is always taken at the best scale.
 */
function gapsOf(graph: Graph, truth: Spectrum, y: Tensor, trivial: 0 | 1): number[] {
  const { eigenvalues, gap } = rayleighRitz(graph, y, { deflate: trivial === 0, reference: truth });
  const best = squareGap(truth, eigenvalues.subarray(trivial));
  return [gap!.f1, trivial === 1 ? best : gap!.f2, best];
}

/** Σλ² − Σ max(θ, 0)² over nontrivial eigenvalues. */
function squareGap({ values }: Spectrum, found: Float64Array): number {
  let sum = 0;
  for (const [i, value] of found.entries()) sum += values[i + 1] ** 2 - Math.max(value, 0) ** 2;
  return sum;
}

export async function embedMnist(task: MnistDirectTask, context: JobContext): Promise<Outcome<MnistNumbers>> {
  const problem = await mnistProblem(task, context);
  const { train, test, graph, truth } = problem;
  const { onTrain, onTest, eigenvalues, seconds } = await embedDirectly(
    { graph, recipe: { kind: 'knn', neighbors: task.neighbors }, train: train.points, test: test.points },
    mnistComponents,
    mnistHidden,
    task,
    context,
  );
  const f1 = eigenvalues.reduce((sum, value, i) => sum + truth.values[i + 1] - value, 0);
  const f2 = squareGap(truth, eigenvalues);
  const found = task.shown ? await picturesOfEmbedding(problem, onTrain, onTest) : noPictures;
  return { numbers: { rows: [roundDigits([f1, f2, f2])], ...graphFacts(problem, task.data), ...found }, seconds };
}

const noPictures = { pictures: null, vote: null };

function graphFacts(
  { graph, truth }: MnistProblem,
  seed: number,
): Pick<MnistNumbers, 'eigenvalues' | 'batchNeighbors'> {
  return { eigenvalues: roundDigits(truth.values), batchNeighbors: batchNeighbors(graph, [2, 4, 8], seed) };
}

async function picturesOfNetwork(
  problem: MnistProblem,
  network: Mlp,
): Promise<Pick<MnistNumbers, 'pictures' | 'vote'>> {
  const { train, test, graph } = problem;
  const embed = ritzOutputs(graph, network, train.points, mnistComponents);
  return picturesOfEmbedding(problem, embed(train.points), embed(test.points));
}

async function picturesOfEmbedding(
  { train, test }: MnistProblem,
  onTrain: Tensor,
  onTest: Tensor,
): Promise<Pick<MnistNumbers, 'pictures' | 'vote'>> {
  const pictures = { train: digitsOf(onTrain, train.labels!), test: digitsOf(onTest, test.labels!) };
  return { pictures, vote: await voteOf(onTrain, train.labels!, onTest, test.labels!) };
}

/** The number of points in a picture. */
const picturePoints = 1000;

function digitsOf({ rows, cols, data }: Tensor, labels: Int32Array): Digits {
  const count = Math.min(picturePoints, rows);
  const columns = Array.from({ length: cols }, (_, c) =>
    Array.from({ length: count }, (_row, i) => Number(data[i * cols + c].toPrecision(3))),
  );
  return { columns, labels: [...labels.subarray(0, count)] };
}

async function voteOf(points: Tensor, labels: Int32Array, queries: Tensor, truth: Int32Array): Promise<number> {
  const single = (table: Tensor): Tensor => table.copy('single');
  const { indices, neighbors } = await nearestAmong(single(points), single(queries), { neighbors: 10 });
  let correct = 0;
  for (let i = 0; i < queries.rows; i++) {
    const votes = new Int32Array(10);
    for (let j = i * neighbors; j < (i + 1) * neighbors; j++) votes[labels[indices[j]]]++;
    if (votes.indexOf(Math.max(...votes)) === truth[i]) correct++;
  }
  return correct / queries.rows;
}
