/** Epochs of the solver: free rows, their descent, and the state to continue from. */

import { Random } from '../../core/random.ts';
import type { Task } from '../../core/task.ts';
import { graphFingerprint } from '../../graph/graph.ts';
import { batchesOf } from '../descent/batches.ts';
import { Descent } from '../descent/descent.ts';
import { FreeRows } from '../descent/rows/free-rows.ts';
import { measureAll, measuredMoments, type Moments, recordedMoments, zeroMoments } from '../descent/moments.ts';
import { leastBatch, objectives } from '../descent/objective.ts';
import type { Pencil } from '../pencil/pencil.ts';
import type { RitzMemory } from '../ritz/ritz.ts';
import { caller, type SolveSettings } from './settings.ts';
import type { Beginning, SolverState } from './state.ts';
import { type Stepper, stepperOf, type StepRule } from '../descent/step-rule.ts';
import { viewers } from '../descent/view.ts';

export class Run {
  readonly rows: FreeRows;
  readonly descent: Descent;
  ritz: RitzMemory | null;
  epoch: number;
  /** The moments of `rows`, which the neighbor scheme tracks. Null for the others. */
  readonly record: Moments | null;
  readonly #settings: SolveSettings;
  readonly #pencil: Pencil;
  readonly #random: Random;
  readonly #stepper: Stepper;

  constructor(settings: SolveSettings, pencil: Pencil, from: Beginning, rule: StepRule = settings.rule) {
    const { method, scheme, width, precision } = settings;
    this.#settings = settings;
    this.#pencil = pencil;
    this.#random = new Random(from.random);
    this.record = scheme === 'neighbor' ? zeroMoments(width) : null;
    this.rows = new FreeRows(from.rows.copy(), this.record);
    this.#stepper = stepperOf(caller, rule, width, precision, from.step ?? null);
    this.descent = new Descent({
      caller,
      look: viewers[scheme](pencil),
      rows: this.rows,
      moments: this.record ? recordedMoments(this.record) : measuredMoments(width),
      objective: objectives[method],
      stepper: this.#stepper,
      rotation: settings,
      from: { growth: from.growth ?? 0, flops: from.flops ?? 0 },
    });
    this.ritz = (settings.accelerate && from.ritz) || null;
    this.epoch = from.epoch ?? 0;
    this.measure();
  }

  /** Runs one epoch. Yields the fraction done after each step. */
  *sweepSteps(): Task<void> {
    const { batch, order, method, scheme, width } = this.#settings;
    const { size } = this.#pencil;
    let done = 0;
    for (const rows of batchesOf(size, batch, order, this.#random, leastBatch(method, scheme, width))) {
      this.descent.step(rows);
      yield (done += rows.length) / size;
    }
    this.rows.applyFactor();
    // A rotation that scales a column by s scales the rounding of the record by s². Measuring anew after each epoch bounds that.
    this.measure();
    this.epoch++;
  }

  /** Measures the tracked moments anew, after a change of all rows that was not a step. */
  measure(): void {
    if (this.record) measureAll(this.#pencil, this.rows.stored.data, this.record);
  }

  state(seconds: number): SolverState {
    return {
      epoch: this.epoch,
      graph: graphFingerprint(this.#pencil.graph),
      pencil: this.#settings.pencil,
      deflate: this.#settings.deflate,
      rows: this.rows.stored.copy(),
      random: this.#random.state(),
      ritz: this.ritz,
      step: this.#stepper.memory,
      ...this.descent.counters,
      seconds,
    };
  }
}
