/**
 * Learners that proceed step by step, so that the page can show them. Networks train; landmark methods take more
 * landmarks.
 */

import { addBias, matmul } from '../../../lib/autodiff/functions.ts';
import { runSync, type WaitingTask } from '../../../lib/core/task.ts';
import { defaultRitzLandmarks } from '../../../lib/embedding/fit-model.ts';
import { composeHead } from '../../../lib/embedding/fit-network.ts';
import type { Model } from '../../../lib/embedding/model/model.ts';
import type { Graph } from '../../../lib/graph/graph.ts';
import { chooseLandmarks } from '../../../lib/network/bodies/landmarks.ts';
import { Mlp } from '../../../lib/network/bodies/mlp.ts';
import { ritzHeadSteps } from '../../../lib/spectral/ritz/ritz-head.ts';
import { regressionHeadSteps, regressionInMemory } from '../../../lib/spectral/regression/regression-head.ts';
import { allPoints } from '../../../lib/spectral/regression/choose-landmarks.ts';
import { eigenvectorTargetsSteps, type Targets } from '../../../lib/spectral/regression/targets.ts';
import { trainSteps } from '../../../lib/spectral/train/train.ts';
import type { TrainingState, TrainOptions } from '../../../lib/spectral/train/options.ts';
import type { Tensor } from '../../../lib/tensor/tensor.ts';
import { isOnLandmarks, type Lane, type MethodName, type OnLandmarks } from '../settings.ts';

/** The data that a learner learns from. */
export interface LearningProblem {
  readonly graph: Graph;
  readonly points: Tensor;
  /** The mean, which is subtracted before the points are rounded, as in `fit` of the library. */
  readonly center: Float64Array | null;
  readonly components: number;
  readonly hidden: readonly number[];
  readonly seed: number;
}

/** The current result of a learner. */
export interface Learned {
  readonly coordinates: Tensor;
  readonly eigenvalues: Float64Array;
  readonly model: () => Model;
}

export interface Learner {
  readonly steps: number;
  readonly epoch: number;
  readonly detail: string;
  /** Whether nothing is left to do. */
  readonly done: boolean;
  /** What the last step waits for: a solver that is being loaded. The next step goes on where it stopped. Null for most. */
  readonly waiting: Promise<void> | null;
  step(): void;
  /** Null before the first step of a method that has no result until then. */
  learned(): Learned | null;
  /** Changes rate and batch. The rate applies from the next step on, the batch from the next epoch on. */
  change(lane: Lane): void;
}

export function learnerOf(task: LearningProblem, lane: Lane): Learner {
  return isOnLandmarks(lane.method)
    ? new LandmarkLearner(task, lane.method)
    : new NetworkLearner(task, lane, partsOf[lane.method]);
}

type Parts = Required<Pick<TrainOptions, 'method' | 'scheme'>> & Pick<TrainOptions, 'moments'>;

const partsOf: Record<Exclude<MethodName, OnLandmarks>, Parts> = {
  'specnet2-neighbor': { method: 'specnet2', scheme: 'neighbor' },
  'specnet2-corrected': { method: 'specnet2', scheme: 'neighbor', moments: 'corrected' },
  'specnet2-edges': { method: 'specnet2', scheme: 'edges' },
  'specnet2-full': { method: 'specnet2', scheme: 'full' },
  'specnet2-local': { method: 'specnet2', scheme: 'local' },
  'specnet1-neighbor': { method: 'specnet1', scheme: 'neighbor' },
  'specnet1-full': { method: 'specnet1', scheme: 'full' },
  'specnet1-local': { method: 'specnet1', scheme: 'local' },
};

/** A complete result at every step, on twice as many landmarks as before, up to as many as `fit` would take. */
class LandmarkLearner implements Learner {
  steps = 0;
  readonly epoch = 0;
  readonly #task: LearningProblem;
  readonly #method: OnLandmarks;
  readonly #most: number;
  #targets: Targets | null = null;
  #count = 0;
  #learned: Learned | null = null;
  #work: WaitingTask<void> | null = null;
  waiting: Promise<void> | null = null;

  constructor(task: LearningProblem, method: OnLandmarks) {
    const { points, components } = task;
    this.#task = task;
    this.#method = method;
    this.#most = method === 'ritz' ? defaultRitzLandmarks(points.rows, components) : Math.min(points.rows, allPoints);
  }

  get done(): boolean {
    return this.#count >= this.#most;
  }

  get detail(): string {
    return this.#count === 0 ? `up to ${this.#most} landmarks` : `${this.#count} of ${this.#most} landmarks`;
  }

  step(): void {
    if (this.done || this.waiting) return;
    this.#work ??= this.#resultSteps();
    for (let step = this.#work.next(); !step.done; step = this.#work.next()) {
      if (typeof step.value === 'number') continue;
      this.waiting = step.value.then(() => {
        this.waiting = null;
      });
      return;
    }
    this.#work = null;
  }

  /** Computes the next result. */
  *#resultSteps(): WaitingTask<void> {
    const { graph, points, center, components, seed } = this.#task;
    if (this.#method === 'regression') this.#targets ??= yield* eigenvectorTargetsSteps(graph, components);
    const count = Math.min(this.#most, this.#count === 0 ? Math.max(8, 2 * components) : 2 * this.#count);
    const landmarks = chooseLandmarks(points, { count, seed });
    const features = landmarks.features(points);
    const { inputs, outputs } = landmarks;
    const { weights, bias, eigenvalues } =
      this.#targets === null
        ? yield* ritzHeadSteps('ritzHead', graph, { inputs, outputs, features: () => features }, points, {
            components,
            seed,
          })
        : yield* regressionHeadSteps(
            'regression',
            regressionInMemory('regression', graph, features, points, { components, seed }),
            this.#targets,
          );
    this.#learned = {
      coordinates: addBias(matmul(features, weights), bias),
      eigenvalues,
      model: () => ({ kind: 'landmarks', landmarks, head: { weights, bias }, eigenvalues, center }),
    };
    this.#count = count;
    this.steps++;
  }

  learned(): Learned | null {
    return this.#learned;
  }

  change(): void {}
}

class NetworkLearner implements Learner {
  steps = 0;
  epoch = 0;
  readonly done = false;
  readonly waiting = null;
  readonly #task: LearningProblem;
  readonly #parts: Parts;
  readonly #network: Mlp;
  #lane: Lane;
  #work: WaitingTask<TrainingState>;
  #wanted: number;

  constructor(task: LearningProblem, lane: Lane, parts: Parts) {
    const { points, hidden, components, seed } = task;
    this.#task = task;
    this.#lane = lane;
    this.#parts = parts;
    this.#network = new Mlp([points.cols, ...hidden, components], { seed });
    this.#wanted = this.#batch();
    this.#work = this.#startSteps();
  }

  get detail(): string {
    return `epoch ${this.epoch + 1}, ${this.#network.sizes.join('–')}`;
  }

  step(): void {
    if (this.#work.next().done) throw new Error('The training has ended.');
    this.steps++;
  }

  learned(): Learned | null {
    const { graph, points, center, components, seed } = this.#task;
    const network = this.#network;
    const outputs = network.evaluate(points);
    const body = { inputs: network.inputs, outputs: network.outputs, features: () => outputs };
    const head = runSync(ritzHeadSteps('ritzHead', graph, body, points, { components, seed }));
    return {
      coordinates: addBias(matmul(outputs, head.weights), head.bias),
      eigenvalues: head.eigenvalues,
      model: () => ({ kind: 'network', network: composeHead(network, head), eigenvalues: head.eigenvalues, center }),
    };
  }

  change(lane: Lane): void {
    this.#lane = lane;
  }

  #batch(): number {
    const { points, components } = this.#task;
    // SpecNet1 with the local scheme needs as many rows as columns, and edges come in pairs.
    const least = this.#parts.scheme === 'edges' ? 2 : components;
    return Math.min(points.rows, Math.max(this.#lane.batch, least));
  }

  /** The trainer asks the schedule for its rate at every step, so a changed rate applies at once. */
  #startSteps(from?: TrainingState): WaitingTask<TrainingState> {
    const rateNow = (): number => this.#lane.rate;
    const rate = {
      get from() {
        return rateNow();
      },
      get to() {
        return rateNow();
      },
      steps: 1,
    };
    const { graph, points, seed } = this.#task;
    return trainSteps(graph, this.#network, points, {
      ...this.#parts,
      rate,
      batch: this.#wanted,
      epochs: 2 ** 31 - 1,
      scale: 'calibrated',
      seed,
      ...(from && { from }),
      onEpoch: ({ epoch, state }) => {
        this.epoch = epoch;
        if (this.#wanted === this.#batch()) return;
        this.#wanted = this.#batch();
        this.#work = this.#startSteps(state());
      },
    });
  }
}
