/**
 * The session of the worker: it loads points, lets one or two methods learn alternately, and reports their progress in
 * frames.
 */

import type { Dataset } from '../../../lib/formats/dataset.ts';
import { matmul } from '../../../lib/autodiff/functions.ts';
import { runAsync } from '../../../lib/core/task.ts';
import { centerAndRound, centerOf } from '../../../lib/embedding/model/point-table.ts';
import { applyModel, inputsOfModel, type Model, outputsOfModel } from '../../../lib/embedding/model/model.ts';
import { checkDistinct } from '../../../lib/embedding/rounding-check.ts';
import { buildGraphSteps, type GraphRecipe } from '../../../lib/graph/build-graph.ts';
import { relativeErrors } from '../../../lib/linalg/subspace.ts';
import { optimum } from '../../../lib/spectral/ritz/quality.ts';
import { spectrum } from '../../../lib/spectral/spectrum/spectrum.ts';
import { Tensor } from '../../../lib/tensor/tensor.ts';
import type { Frame, Scene, SessionEvent, Task } from '../protocol.ts';
import type { Lane, Settings } from '../settings.ts';
import type { UserFile } from '../user-file.ts';
import { nontrivial, rotationTo } from './alignment.ts';
import { loadData, recipeOf } from './data.ts';
import { type Learner, learnerOf, type LearningProblem } from './learner.ts';
import { describe, firstColumn, firstTwo, place, someEdges } from './scene.ts';

/** The environment that the session needs. */
export interface World {
  now(): number;
  tell(event: SessionEvent): void;
  mnist(): Promise<Dataset>;
}

interface Runner {
  lane: Lane;
  learner: Learner;
  seconds: number;
  /** Steps and seconds with exponential decay, so that the displayed rate reacts when kernels are switched. */
  recent: { steps: number; seconds: number };
  model: Model | null;
}

/** The time slice of one method, plus a multiple of the time that evaluating its result takes. */
const timeSlice = { milliseconds: 24, perReview: 2 };

export class Session {
  readonly #world: World;
  #task: LearningProblem | null = null;
  #recipe: GraphRecipe = { kind: 'knn' };
  #truth: Tensor<Float64Array> | null = null;
  #values: Float64Array = new Float64Array(0);
  #best = 0;
  #runners: Runner[] = [];
  #asked: Float32Array = new Float32Array(0);
  /** A model from a file, shown instead of the learned result. */
  #given: Model | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether there are points to learn from. */
  get isOpen(): boolean {
    return this.#task !== null;
  }

  get isDone(): boolean {
    return this.#runners.every(({ learner }) => learner.done);
  }

  /** Shows other points. If anything fails or is aborted, the points before stay as they were. */
  async open(settings: Settings, file: UserFile | null, signal?: AbortSignal): Promise<void> {
    const { now, tell } = this.#world;
    tell({ kind: 'progress', text: 'Reading points …' });
    const data = await loadData(settings, file, () => this.#world.mnist());
    const { components, seed } = settings;
    checkRows(data, components);
    checkDistinct(data.name, data.points);
    const center = centerOf(data.points);
    const points = centerAndRound(data.name, center, data.points) as Tensor;
    let start = now();
    const progress = (fraction: number): void =>
      tell({ kind: 'progress', text: `Building the graph … ${Math.round(100 * fraction)} %` });
    const recipe = recipeOf(settings, points.rows);
    const graph = await runAsync(buildGraphSteps(points, recipe), { progress, signal });
    const graphSeconds = (now() - start) / 1000;
    tell({ kind: 'progress', text: 'Computing exact eigenvectors for comparison …' });
    start = now();
    const exact = await spectrum(graph, { count: components + 1, seed, tolerance: 1e-7, signal });
    const eigenvectorSeconds = (now() - start) / 1000;
    const truth = nontrivial(graph, exact);
    const values = exact.values.subarray(1);
    const task = { graph, points, center, components, hidden: settings.hidden.split(',').map(Number), seed };
    const runners = runnersOf(task, settings.rival ? [settings.lane, settings.rival] : [settings.lane]);
    for (const { learner } of runners) learner.learned(); // fails here rather than with the first frame
    const placement = place(points);
    const { origin } = placement;
    const scene: Scene = {
      ...describe(data, graph),
      ...placement,
      origin: center ? origin.map((value, c) => value + center[c]) : origin,
      size: points.rows,
      columns: points.cols,
      labels: data.labels ?? null,
      along: data.intrinsic ? firstColumn(data.intrinsic) : null,
      ...someEdges(graph),
      eigenvalues: [...values],
      truth: Float32Array.from(truth.data),
      components,
      images: data.imageShape ? Float32Array.from(points.data) : null,
      seconds: { graph: graphSeconds, eigenvectors: eigenvectorSeconds },
    };
    this.#task = task;
    this.#recipe = recipe;
    this.#truth = truth;
    this.#values = values;
    this.#best = optimum(values).f2;
    this.#runners = runners;
    this.#asked = new Float32Array(0);
    this.#given = null;
    tell({ kind: 'opened', scene });
    this.#review();
  }

  /** Restarts the same methods. */
  reset(): void {
    this.#given = null;
    this.#runners = runnersOf(
      this.#opened(),
      this.#runners.map(({ lane }) => lane),
    );
    this.#review();
  }

  /** Training continues if only rates and batches change. It restarts if methods are changed, added or removed. */
  change(lanes: readonly Lane[]): void {
    if (!this.#task) return;
    const isSame =
      lanes.length === this.#runners.length && lanes.every((lane, i) => lane.method === this.#runners[i].lane.method);
    if (!isSame) {
      this.#runners = runnersOf(this.#task, lanes);
      return this.#review();
    }
    for (const [i, lane] of lanes.entries()) {
      this.#runners[i].lane = lane;
      this.#runners[i].learner.change(lane);
    }
  }

  /** The points in the user's units, and the recipe of their graph. */
  task(): Task {
    const { points, center } = this.#opened();
    const { data, shape } = center ? addCenter(points, center) : points;
    return { points: { data, shape }, graph: this.#recipe };
  }

  /** One step of each method. */
  async step(): Promise<void> {
    this.#given = null;
    for (const [i, runner] of this.#runners.entries()) {
      if (runner.learner.done) continue;
      this.#work(runner, 0);
      while (runner.learner.waiting) {
        await runner.learner.waiting;
        this.#work(runner, 0);
      }
      this.#show(i);
    }
  }

  /** Runs one time slice of each method. */
  tick(): void {
    this.#given = null;
    for (const [i, runner] of this.#runners.entries()) {
      if (runner.learner.done) continue;
      const start = this.#world.now();
      this.#show(i);
      const review = this.#world.now() - start;
      this.#work(runner, timeSlice.milliseconds + timeSlice.perReview * review);
      if (runner.learner.done) this.#show(i);
    }
  }

  /** Sets the new points to embed, in the user's units. From now on each frame contains their coordinates. */
  embed(points: Float32Array): void {
    this.#asked = points;
    this.#review();
  }

  /** The learned model of one method. */
  model(lane: number): Model {
    const model = this.#given ?? this.#runners[lane]?.model;
    if (!model) throw new Error('There is no model yet. Press Step or Train first.');
    return model;
  }

  /** Shows the coordinates that a given model computes, instead of those learned here. */
  show(model: Model): void {
    const task = this.#opened();
    const [inputs, outputs] = [inputsOfModel(model), outputsOfModel(model)];
    if (inputs !== task.points.cols) {
      throw new Error(`The model is for points of ${inputs} columns; these have ${task.points.cols}.`);
    }
    if (outputs !== task.components) {
      throw new Error(
        `The model gives ${outputs} coordinates; the page shows ${task.components}. Set Components to ${outputs}.`,
      );
    }
    this.#given = model;
    this.#review();
  }

  #opened(): LearningProblem {
    if (!this.#task) throw new Error('No points are open. Open points first.');
    return this.#task;
  }

  #work(runner: Runner, milliseconds: number): void {
    const { now } = this.#world;
    const { learner } = runner;
    const [start, before] = [now(), learner.steps];
    do learner.step();
    while (!learner.done && !learner.waiting && now() - start < milliseconds);
    const seconds = (now() - start) / 1000;
    runner.seconds += seconds;
    const kept = 0.8;
    runner.recent.steps = kept * runner.recent.steps + learner.steps - before;
    runner.recent.seconds = kept * runner.recent.seconds + seconds;
  }

  #review(): void {
    for (let i = 0; i < this.#runners.length; i++) this.#show(i);
  }

  #show(lane: number): void {
    const task = this.#opened();
    const runner = this.#runners[lane];
    const { learner, seconds, recent } = runner;
    const found = this.#given ? whatIsGiven(this.#given, task) : learner.learned();
    if (!found) return;
    const { graph } = task;
    const model = found.model();
    if (!this.#given) runner.model = model;
    const rotation = rotationTo(this.#truth!, this.#values, found.coordinates);
    const aligned = matmul(found.coordinates.copy('double'), rotation);
    const asked = Float64Array.from(this.#asked);
    const embedded =
      asked.length === 0
        ? null
        : applyModel('transform', model, new Tensor(asked, [asked.length / task.points.cols, task.points.cols]));
    const frame: Frame = {
      lane,
      steps: learner.steps,
      epoch: learner.epoch,
      seconds,
      stepsPerSecond: recent.seconds > 0 ? recent.steps / recent.seconds : 0,
      detail: this.#given ? 'a model from a file' : learner.detail,
      done: learner.done,
      eigenvalues: [...found.eigenvalues],
      errors: [...relativeErrors(aligned, this.#truth!, graph.degrees)],
      gap: optimum(found.eigenvalues).f2 - this.#best,
      coordinates: firstTwo(aligned),
      embedded: embedded ? firstTwo(matmul(embedded.copy('double'), rotation)) : new Float32Array(0),
    };
    this.#world.tell({ kind: 'frame', frame });
  }
}

function runnersOf(task: LearningProblem, lanes: readonly Lane[]): Runner[] {
  return lanes.map((lane) => ({
    lane,
    learner: learnerOf(task, lane),
    seconds: 0,
    recent: { steps: 0, seconds: 0 },
    model: null,
  }));
}

/** The trivial eigenvector and the components are as many coordinates, and one more point is not determined by them. */
function checkRows({ name, points }: Dataset, components: number): void {
  const least = components + 2;
  if (points.rows >= least) return;
  const found = points.rows === 1 ? 'one point' : `${points.rows} points`;
  throw new RangeError(`${name} has ${found}; ${components} components need at least ${least}. Add rows.`);
}

function whatIsGiven(model: Model, { points, center }: LearningProblem) {
  const raw = center ? addCenter(points, center) : points;
  return { coordinates: applyModel('transform', model, raw), eigenvalues: model.eigenvalues, model: () => model };
}

function addCenter({ data, shape, cols }: Tensor, center: Float64Array): Tensor {
  return new Tensor(
    Float64Array.from(data, (value, i) => value + center[i % cols]),
    shape,
  );
}
