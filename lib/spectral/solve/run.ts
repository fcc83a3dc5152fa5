/** What does a run of epochs consist of? */

import { Random } from '../../core/random.ts';
import { markOf } from '../../graph/graph.ts';
import { batchesOf } from '../descent/batches.ts';
import { Descent } from '../descent/descent.ts';
import { FreeRows } from '../descent/iterate.ts';
import { freshMoments, type Moments, type MomentSource, trackedMoments, zeroMoments } from '../descent/moments.ts';
import { leastBatch, objectives } from '../descent/objective.ts';
import type { Pencil } from '../pencil/pencil.ts';
import type { RitzMemory } from '../ritz/ritz.ts';
import type { Settings } from './settings.ts';
import type { Beginning, SolverState } from './state.ts';
import { type Stepper, stepperOf, type StepRule } from '../descent/step-rule.ts';
import { type Viewer, viewers } from '../descent/view.ts';

export class Run {
  readonly iterate: FreeRows;
  readonly descent: Descent;
  ritz: RitzMemory | null;
  epoch: number;
  readonly #settings: Settings;
  readonly #pencil: Pencil;
  readonly #random: Random;
  readonly #record: Moments;
  readonly #stepper: Stepper;
  readonly #view: Viewer;

  constructor(settings: Settings, pencil: Pencil, from: Beginning, rule: StepRule = settings.rule) {
    this.#settings = settings;
    this.#pencil = pencil;
    this.#random = new Random(from.random);
    this.iterate = new FreeRows(from.rows.copy());
    this.#record = zeroMoments(settings.width);
    this.#stepper = stepperOf(rule, settings.width, settings.precision);
    this.#stepper.memory = (rule.conjugate && from.step) || null;
    this.#view = viewers[settings.scheme](pencil);
    const moments: MomentSource =
      settings.scheme === 'neighbor'
        ? {
            ...trackedMoments(this.#record),
            follow: (view, map, length) => this.iterate.follow(view, map, length, this.#record),
          }
        : freshMoments(settings.width, ({ support, supportMass, supportEta }, out) =>
            this.iterate.measure(support, supportMass, supportEta, out),
          );
    this.descent = new Descent('solve', this.iterate, objectives[settings.method], moments, this.#stepper, settings);
    this.descent.growth = from.growth ?? 0;
    this.descent.flops = from.flops ?? 0;
    this.ritz = (settings.accelerate && from.ritz) || null;
    this.epoch = from.epoch ?? 0;
    this.measure();
  }

  /** One epoch, a step at a time; the fraction done in between. */
  *sweep(): Generator<number, void, void> {
    const { batch, order, method, scheme, width } = this.#settings;
    const { size } = this.#pencil;
    let done = 0;
    for (const rows of batchesOf(size, batch, order, this.#random, leastBatch(method, scheme, width))) {
      this.step(rows);
      yield (done += rows.length) / size;
    }
    this.iterate.settle();
    // A rotation that stretches a column stretches the record's rounding with it, by its square: not for more than an epoch.
    this.measure();
    this.epoch++;
  }

  step(batch: Int32Array): void {
    this.descent.step(this.#view(batch));
  }

  finishSweep(): void {
    for (const step of this.sweep()) void step;
  }

  /** The tracked moments follow a change of all rows that was not a step. */
  measure(): void {
    this.iterate.measure(null, this.#pencil.mass, this.#pencil.eta, this.#record);
  }

  state(seconds: number): SolverState {
    return {
      epoch: this.epoch,
      graph: markOf(this.#pencil.graph),
      pencil: this.#settings.pencil,
      deflate: this.#settings.deflate,
      rows: this.iterate.stored.copy(),
      moments: { gram: this.#record.gram.slice(), mean: this.#record.mean.slice() },
      random: this.#random.state(),
      ritz: this.ritz,
      step: this.#stepper.memory,
      growth: this.descent.growth,
      flops: this.descent.flops,
      seconds,
    };
  }
}
