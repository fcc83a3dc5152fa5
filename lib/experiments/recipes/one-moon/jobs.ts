/** The jobs on one moon: linear algebra, networks, and methods without training. */

import { batchNeighbors } from '../../../graph/batch-neighbors.ts';
import { relativeErrors } from '../../../linalg/subspace.ts';
import type { Method } from '../../../spectral/descent/objective.ts';
import { rayleighRitz } from '../../../spectral/ritz/rayleigh-ritz.ts';
import { solve } from '../../../spectral/solve/solve.ts';
import { columns } from '../../../spectral/spectrum/spectrum.ts';
import type { SolverState } from '../../../spectral/solve/state.ts';
import type { Scheme } from '../../../spectral/descent/view.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { type DirectTask, embedDirectly } from '../direct.ts';
import type { Outcome, JobContext } from '../../shared/experiment.ts';
import { moonRecipes, type OneMoonProblem, oneMoonProblem, ritzOutputs } from '../../shared/moon-data.ts';
import { roundSeconds, roundDigits } from '../../shared/statistics.ts';
import { trivialOutputs, trainAndMeasure, type TrainingTask } from '../../shared/training.ts';

const components = 2;

export interface LinearTask {
  /** The seed of the points. */
  readonly data: number;
  readonly method: Method;
  readonly scheme: Scheme;
  /** A constant step as in the paper, or 'auto' for the step rule of our solver. */
  readonly step: number | 'auto';
  readonly batch: number;
  readonly epochs: number;
  /** The seed of the start. */
  readonly start: number;
}

export interface LinearNumbers {
  /** After each epoch: errors of the first and second vector against eigenvectors, then against eigenfunctions. */
  readonly rows: readonly (readonly number[])[];
}

/** Significant digits of each error. */
export const linearDigits = 6;

/** The saved state: everything that the next epoch with a constant step depends on. */
interface SavedSolve {
  readonly state: Omit<SolverState, 'rows' | 'ritz' | 'step'>;
  readonly y: Float64Array;
  readonly rows: number[][];
  readonly seconds: number[];
}

export async function solveOneMoon(task: LinearTask, context: JobContext): Promise<Outcome<LinearNumbers>> {
  const { data, method, scheme, step, batch, epochs, start } = task;
  const problem = await oneMoonProblem(data, context);
  const isAuto = step === 'auto';
  const trivial = isAuto ? 0 : trivialOutputs[method];
  const saved = context.savedState as SavedSolve | undefined;
  const [rows, seconds] = [saved?.rows ?? [], saved?.seconds ?? []];
  let state: SolverState | undefined = saved && {
    ...saved.state,
    ritz: null,
    step: null,
    rows: new Tensor(saved.y, [problem.graph.size, components + trivial]),
  };
  for (let epoch = rows.length + 1; epoch <= epochs; epoch++) {
    const startTime = context.now();
    const found = await solve(problem.graph, {
      components: components + trivial,
      deflate: trivial === 0,
      method,
      scheme,
      step,
      batch,
      epochs: epoch,
      seed: start,
      ...(isAuto ? {} : { tolerance: Number.EPSILON }),
      ...(state && { from: state }),
    });
    if (found.trace.length === 0) break; // already converged
    seconds.push(roundSeconds((seconds.at(-1) ?? 0) + context.now() - startTime));
    state = found.state;
    const vectors = columns(found.eigenvectors, trivial, components + trivial);
    const truths = [problem.eigenvectors, problem.functions.train];
    rows.push(truths.flatMap((truth) => roundDigits(relativeErrors(vectors, truth), linearDigits)));
    const { rows: y, ritz: _ritz, step: _step, ...rest } = state;
    if (!isAuto) context.saveState({ state: rest, y: Float64Array.from(y.data), rows, seconds } satisfies SavedSolve);
    context.progress(epoch / epochs);
  }
  return { numbers: { rows }, seconds };
}

export interface NetworkTask extends TrainingTask {
  readonly data: number;
}

/** Two coordinates of some points. */
export interface Coordinates {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

export interface NetworkNumbers {
  /** After each epoch: errors on training points, on test points (not for the symmetric pencil), and against eigenvectors. */
  readonly rows: readonly (readonly number[])[];
  /** Null unless the task asks for it by `shown`. */
  readonly embedding: Embedding | null;
  /** The eigenfunctions at the same points. Null except for the method 'eigen'. */
  readonly truth: Embedding | null;
  /** The mean number of neighbors of a batch of 4. */
  readonly neighbors: number;
}

export interface Embedding {
  readonly train: Coordinates;
  readonly test: Coordinates;
}

export async function trainOneMoon(task: NetworkTask, context: JobContext): Promise<Outcome<NetworkNumbers>> {
  const problem = await oneMoonProblem(task.data, context);
  const { graph, train, test } = problem;
  const symmetric = task.pencil === 'symmetric';
  const { network, rows, seconds } = await trainAndMeasure(graph, train, components, task, context, (current) => {
    if (symmetric) {
      const trivial = trivialOutputs[task.method];
      const { eigenvectors } = rayleighRitz(graph, current.evaluate(train), {
        pencil: task.pencil,
        deflate: trivial === 0,
      });
      return errorsOf(problem, columns(eigenvectors, trivial, components + trivial), null);
    }
    const embed = ritzOutputs(graph, current, train, components);
    return errorsOf(problem, embed(train), embed(test));
  });
  const embedding = (): Embedding => {
    const embed = ritzOutputs(graph, network, train, components);
    return embeddingOf(problem, embed(train), embed(test));
  };
  return {
    numbers: { rows, embedding: task.shown ? embedding() : null, truth: null, neighbors: neighborCount(problem, task) },
    seconds,
  };
}

export async function embedOneMoon(task: DirectTask, context: JobContext): Promise<Outcome<NetworkNumbers>> {
  const moon = await oneMoonProblem(task.data, context);
  const problem = { ...moon, recipe: moonRecipes.oneMoon };
  const { onTrain, onTest, seconds } = await embedDirectly(problem, components, [128], task, context);
  const { train, test } = moon.functions;
  const embedding = task.shown ? embeddingOf(moon, onTrain, onTest) : null;
  const truth = task.method === 'eigen' ? embeddingOf(moon, train, test) : null;
  const rows = [roundDigits(errorsOf(moon, onTrain, onTest))];
  return { numbers: { rows, embedding, truth, neighbors: neighborCount(moon, task) }, seconds };
}

function errorsOf({ functions, eigenvectors }: OneMoonProblem, onTrain: Tensor, onTest: Tensor | null): number[] {
  const errors = (found: Tensor, truth: Tensor): number[] => [...relativeErrors(found, truth)];
  return [
    ...errors(onTrain, functions.train),
    ...(onTest ? errors(onTest, functions.test) : []),
    ...errors(onTrain, eigenvectors),
  ];
}

/** The number of points in a picture: enough to show the shape. */
const picturePoints = 500;

function neighborCount({ graph }: OneMoonProblem, { data }: { data: number }): number {
  return batchNeighbors(graph, [4], data)[0];
}

function embeddingOf({ functions }: OneMoonProblem, onTrain: Tensor, onTest: Tensor): Embedding {
  return { train: alignedCoordinates(onTrain, functions.train), test: alignedCoordinates(onTest, functions.test) };
}

/** Both columns, scaled to match the reference in size and sign, as in the definition of τ in the paper. */
function alignedCoordinates(found: Tensor, truth: Tensor): Coordinates {
  const column = (c: number): number[] => {
    let [product, square] = [0, 0];
    for (let i = 0; i < found.rows; i++) {
      const value = found.data[i * found.cols + c];
      product += value * truth.data[i * truth.cols + c];
      square += value * value;
    }
    return Array.from({ length: picturePoints }, (_, i) =>
      Number(((product / square) * found.data[i * found.cols + c]).toPrecision(4)),
    );
  };
  return { first: column(0), second: column(1) };
}
