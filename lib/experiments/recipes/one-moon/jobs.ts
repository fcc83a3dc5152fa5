/** How do the jobs on one moon come to their numbers? Linear algebra, networks, and what needs no training. */

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
import { moonRecipes, type OneMoon, oneMoonWorld, turnedOutputs } from '../../shared/moon-data.ts';
import { rounded, shortened } from '../../shared/statistics.ts';
import { keepsTrivial, trainAndLook, type TrainingTask } from '../../shared/training.ts';

const components = 2;

export interface LinearTask {
  /** Of the points. */
  readonly data: number;
  readonly method: Method;
  readonly scheme: Scheme;
  /** 'auto': the solver's own way, which the paper does not have. */
  readonly step: number | 'auto';
  readonly batch: number;
  readonly epochs: number;
  readonly start: number;
}

export interface LinearNumbers {
  /** After each epoch: errors of the first and second vector against eigenvectors, then against eigenfunctions. */
  readonly rows: readonly (readonly number[])[];
}

/** Of each error. */
export const linearDigits = 6;

/** All that the next epoch with a constant step depends on. */
interface KeptSolve {
  readonly state: Omit<SolverState, 'rows' | 'ritz' | 'step'>;
  readonly y: Float64Array;
  readonly rows: number[][];
  readonly seconds: number[];
}

export async function solveOneMoon(task: LinearTask, context: JobContext): Promise<Outcome<LinearNumbers>> {
  const { data, method, scheme, step, batch, epochs, start } = task;
  const world = await oneMoonWorld(data, context);
  const own = step === 'auto';
  const more = own ? 0 : keepsTrivial[method];
  const kept = context.savedState as KeptSolve | undefined;
  const [rows, seconds] = [kept?.rows ?? [], kept?.seconds ?? []];
  let state: SolverState | undefined = kept && {
    ...kept.state,
    ritz: null,
    step: null,
    rows: new Tensor(kept.y, [world.graph.size, components + more]),
  };
  for (let epoch = rows.length + 1; epoch <= epochs; epoch++) {
    const before = context.now();
    const found = await solve(world.graph, {
      components: components + more,
      deflate: more === 0,
      method,
      scheme,
      step,
      batch,
      epochs: epoch,
      seed: start,
      ...(own ? {} : { tolerance: Number.EPSILON }),
      ...(state && { from: state }),
    });
    if (found.trace.length === 0) break; // converged already
    seconds.push(rounded((seconds.at(-1) ?? 0) + context.now() - before));
    state = found.state;
    const vectors = columns(found.eigenvectors, more, components + more);
    const truths = [world.eigenvectors, world.functions.train];
    rows.push(truths.flatMap((truth) => shortened(relativeErrors(vectors, truth), linearDigits)));
    const { rows: y, ritz: _ritz, step: _step, ...rest } = state;
    if (!own) context.saveState({ state: rest, y: Float64Array.from(y.data), rows, seconds } satisfies KeptSolve);
    context.progress(epoch / epochs);
  }
  return { numbers: { rows }, seconds };
}

export interface NetworkTask extends TrainingTask {
  readonly data: number;
}

/** Coordinates of some points: where they lie, then where they are put. */
export interface Shown {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

export interface NetworkNumbers {
  /** After each epoch: errors of both functions on training points, on testing points (none for the symmetric pencil), against eigenvectors. */
  readonly rows: readonly (readonly number[])[];
  /** Where shown. */
  readonly embedding: Embedding | null;
  /** What the eigenfunctions say of the same points: beside the exact eigenvectors. */
  readonly truth: Embedding | null;
  /** Mean size of the neighbourhood of a batch of 4. */
  readonly neighbors: number;
}

export interface Embedding {
  readonly train: Shown;
  readonly test: Shown;
}

export async function trainOneMoon(task: NetworkTask, context: JobContext): Promise<Outcome<NetworkNumbers>> {
  const world = await oneMoonWorld(task.data, context);
  const { graph, train, test } = world;
  const symmetric = task.pencil === 'symmetric';
  const { network, rows, seconds } = await trainAndLook(graph, train, components, task, context, (now) => {
    if (symmetric) {
      const more = keepsTrivial[task.method];
      const { eigenvectors } = rayleighRitz(graph, now.evaluate(train), { pencil: task.pencil, deflate: more === 0 });
      return errorsOf(world, columns(eigenvectors, more, components + more), null);
    }
    const turned = turnedOutputs(graph, now, train, components);
    return errorsOf(world, turned(train), turned(test));
  });
  const embedding = (): Embedding => {
    const turned = turnedOutputs(graph, network, train, components);
    return shownOf(world, turned(train), turned(test));
  };
  return {
    numbers: { rows, embedding: task.shown ? embedding() : null, truth: null, neighbors: neighborsIn(world, task) },
    seconds,
  };
}

export async function embedOneMoon(task: DirectTask, context: JobContext): Promise<Outcome<NetworkNumbers>> {
  const moon = await oneMoonWorld(task.data, context);
  const world = { ...moon, recipe: moonRecipes.oneMoon };
  const { onTrain, onTest, seconds } = await embedDirectly(world, components, [128], task, context);
  const { train, test } = moon.functions;
  const embedding = task.shown ? shownOf(moon, onTrain, onTest) : null;
  const truth = task.method === 'eigen' ? shownOf(moon, train, test) : null;
  const rows = [shortened(errorsOf(moon, onTrain, onTest))];
  return { numbers: { rows, embedding, truth, neighbors: neighborsIn(moon, task) }, seconds };
}

function errorsOf({ functions, eigenvectors }: OneMoon, onTrain: Tensor, onTest: Tensor | null): number[] {
  const errors = (found: Tensor, truth: Tensor): number[] => [...relativeErrors(found, truth)];
  return [
    ...errors(onTrain, functions.train),
    ...(onTest ? errors(onTest, functions.test) : []),
    ...errors(onTrain, eigenvectors),
  ];
}

/** Points that a picture shows: enough to see the shape. */
const shownPoints = 500;

function neighborsIn({ graph }: OneMoon, { data }: { data: number }): number {
  return batchNeighbors(graph, [4], data)[0];
}

function shownOf({ functions }: OneMoon, onTrain: Tensor, onTest: Tensor): Embedding {
  return { train: shown(onTrain, functions.train), test: shown(onTest, functions.test) };
}

/** Both columns in the scale and with the sign of the truth, as τ of the paper aligns them. */
export function shown(found: Tensor, truth: Tensor): Shown {
  const column = (c: number): number[] => {
    let [product, square] = [0, 0];
    for (let i = 0; i < found.rows; i++) {
      const value = found.data[i * found.cols + c];
      product += value * truth.data[i * truth.cols + c];
      square += value * value;
    }
    return Array.from({ length: shownPoints }, (_, i) =>
      Number(((product / square) * found.data[i * found.cols + c]).toPrecision(4)),
    );
  };
  return { first: column(0), second: column(1) };
}
