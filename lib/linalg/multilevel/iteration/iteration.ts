/** The iteration on the finest level, until all wanted pairs have converged and a probe finds no other. */

import type { Random } from '../../../core/random.ts';
import { subtask, type Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { type Block, Blocks } from '../blocks/blocks.ts';
import type { Hierarchy } from '../hierarchy/hierarchy.ts';
import { projectSteps, stiffnessSteps } from '../hierarchy/level.ts';
import type { Lobpcg } from './lobpcg.ts';
import { nestedIterationSteps } from './nested-iteration.ts';
import { VCycle } from './v-cycle.ts';

/** The progress of the iteration. */
export interface MultilevelProgress {
  /** Products with the matrix of the graph so far. */
  readonly products: number;
  /** Steps of LOBPCG on the finest level. */
  readonly iterations: number;
  /** The number of wanted pairs within the tolerance. */
  readonly converged: number;
  /** ‖Ax − λx‖ of the wanted pairs. */
  readonly residuals: Float64Array;
}

export interface IterationSettings {
  /** Pairs besides those of the null space. */
  readonly wanted: number;
  /** The residual to reach. */
  readonly target: number;
  readonly productLimit: number;
  readonly random: Random;
  readonly report: ((state: MultilevelProgress) => void) | undefined;
}

export interface IterationResult {
  readonly values: Float64Array;
  /** In borrowed memory. */
  readonly vectors: Block;
  readonly residuals: Float64Array;
  /** Estimates of the relative errors of the values. */
  readonly errors: Float64Array;
  readonly products: number;
  readonly iterations: number;
  /** Whether all residuals reached the target. */
  readonly converged: boolean;
  /** Whether a probe was completed and found no other pair. */
  readonly probed: boolean;
}

/** Vectors beyond the wanted ones, on coarser levels and in the first step on the finest. */
const guards = 2;
/** The relative error of 1 − λ that a pair must reach besides its residual: 1 − λ itself can be smaller than the tolerance. */
const relativeError = 1e-4;
/** A pair has converged when its residual is below this fraction of the target: the one computed at the end may be larger. */
const margin = 0.7;
/** After this many steps in which the worst residual did not reach a new minimum the iteration ends. */
const patience = 30;
/** V-cycles that a vector of the probe goes through before, and the steps. */
const probe = { relaxations: 3, steps: 3 };
/** How often a probe may find something. */
const mostProbes = 4;

/** Finds the pairs. The task's fraction is an estimate from the residuals. */
export function* iterationSteps(
  hierarchy: Hierarchy,
  settings: IterationSettings,
  loans: Loans,
): Task<IterationResult> {
  const iteration = new Iteration(hierarchy, settings, loans);
  yield* subtask(iteration.startSteps(), 0, 0);
  for (let probes = 0; probes < mostProbes; probes++) {
    if (!(yield* iteration.convergeSteps())) return yield* iteration.resultSteps(false);
    if (yield* iteration.probeSteps(probes)) return yield* iteration.resultSteps(true);
  }
  return yield* iteration.resultSteps(false);
}

class Iteration {
  readonly #settings: IterationSettings;
  readonly #hierarchy: Hierarchy;
  readonly #cycle: VCycle;
  readonly #blocks: Blocks;
  #solver!: Lobpcg;
  /** Of the wanted columns, after the last step. */
  #residuals: Float64Array = new Float64Array(0);
  #iterations = 0;
  /** The worst residual at the start, the smallest since, and for how many steps it has been the smallest. */
  #worst = { first: 0, least: Infinity, age: 0 };

  constructor(hierarchy: Hierarchy, settings: IterationSettings, loans: Loans) {
    this.#hierarchy = hierarchy;
    this.#settings = settings;
    this.#cycle = new VCycle(hierarchy, loans);
    this.#blocks = new Blocks(hierarchy.levels[0].size, loans);
  }

  *startSteps(): Task<void> {
    const { wanted, random } = this.#settings;
    const { loans } = this.#blocks;
    const start = nestedIterationSteps(this.#hierarchy, this.#cycle, wanted + guards, random.fork('start'), loans);
    this.#solver = yield* start;
    yield* this.#measureSteps();
    this.#worst.first = this.#worstResidual();
  }

  /** Steps on the columns that have not converged. Returns whether all have. */
  *convergeSteps(): Task<boolean> {
    const { wanted, productLimit } = this.#settings;
    for (;;) {
      const active = this.#active();
      this.#report(active.length);
      if (active.length === 0) return true;
      if (this.#products >= productLimit || this.#worst.age > patience) return false;
      const isFirst = this.#iterations === 0;
      yield* this.#partSteps(this.#solver.stepSteps(isFirst ? Array.from(this.#solver.values.keys()) : active));
      yield* this.#partSteps(this.#solver.truncateSteps(wanted));
      this.#iterations++;
      yield* this.#partSteps(this.#measureSteps());
    }
  }

  /**
   * Looks for pairs that were missed, in the complement of those found. One vector is random noise after some V-cycles for A·x = 0:
   * what is left is what the coarser levels cannot represent. The other is a V-cycle's answer to noise: it is smooth.
   * Both take part in steps. A missed pair displaces one of those found. Returns whether none did.
   */
  *probeSteps(round: number): Task<boolean> {
    const level = this.#hierarchy.levels[0];
    const { wanted, target, random } = this.#settings;
    if (this.#isDense) return true;
    const blocks = this.#blocks;
    const [noise, smooth, product] = [blocks.make(1), blocks.make(1), blocks.make(1)];
    const draws = random.fork(`probe ${round}`);
    draws.fillNormal(noise.data);
    yield* this.#partSteps(projectSteps(level, blocks, noise));
    for (let k = 0; k < probe.relaxations; k++) {
      yield* this.#partSteps(stiffnessSteps(level, noise, product));
      this.#solver.products++;
      yield* this.#partSteps(this.#cycle.solveSteps(0, product, smooth));
      for (let i = 0; i < level.size; i++) noise.data[i] -= smooth.data[i];
    }
    draws.fillNormal(smooth.data);
    yield* this.#partSteps(projectSteps(level, blocks, smooth));
    for (let i = 0; i < level.size; i++) product.data[i] = level.mass[i] * smooth.data[i];
    yield* this.#partSteps(this.#cycle.solveSteps(0, product, smooth));
    const both = yield* this.#partSteps(blocks.joinSteps([noise, smooth]));
    blocks.release(noise, smooth, product);
    yield* this.#partSteps(this.#solver.appendSteps(both));
    for (let step = 0; step < probe.steps; step++) {
      const columns = Array.from(this.#solver.values.keys()).slice(wanted);
      if (columns.length > 0) yield* this.#partSteps(this.#solver.stepSteps(columns));
    }
    yield* this.#partSteps(this.#solver.truncateSteps(wanted));
    yield* this.#partSteps(this.#measureSteps());
    return this.#worstResidual() <= target;
  }

  *resultSteps(probed: boolean): Task<IterationResult> {
    const { wanted, target } = this.#settings;
    yield* this.#partSteps(this.#solver.truncateSteps(wanted));
    const { values, vectors } = this.#solver;
    // A column that took part in no step has no estimate. Its residual bounds the error.
    const errors = this.#solver.errors.map((error, c) => Math.min(error, this.#residuals[c] / values[c]));
    const converged = values.length === wanted && this.#worstResidual() <= target;
    return {
      values,
      vectors,
      residuals: this.#residuals,
      errors,
      products: this.#products,
      iterations: this.#iterations,
      converged,
      probed: probed && converged,
    };
  }

  get #products(): number {
    return this.#solver.products + this.#cycle.products;
  }

  /** Whether the finest level is the coarsest, whose pairs are exact. */
  get #isDense(): boolean {
    return this.#hierarchy.levels.length === 1;
  }

  #active(): number[] {
    const { errors, values } = this.#solver;
    const limit = margin * this.#settings.target;
    const columns = Array.from(values.keys()).slice(0, this.#settings.wanted);
    if (this.#isDense) return [];
    return columns.filter((c) => !(this.#residuals[c] <= limit && errors[c] <= relativeError));
  }

  *#measureSteps(): Task<void> {
    this.#residuals = (yield* this.#solver.residualsSteps()).slice(0, this.#settings.wanted);
  }

  #worstResidual(): number {
    return Math.max(0, ...this.#residuals);
  }

  #report(active: number): void {
    const { wanted, report } = this.#settings;
    const worst = this.#worstResidual();
    this.#worst.age = worst < 0.9 * this.#worst.least ? 0 : this.#worst.age + 1;
    this.#worst.least = Math.min(this.#worst.least, worst);
    report?.({
      products: this.#products,
      iterations: this.#iterations,
      converged: wanted - active,
      residuals: this.#residuals.slice(),
    });
  }

  /** A part of the work at the fraction that the smallest residual so far suggests. */
  *#partSteps<T>(task: Task<T>): Task<T> {
    const { first, least } = this.#worst;
    const done = Math.log(first / least) / Math.log(first / this.#settings.target);
    const fraction = done > 0 ? Math.min(0.9, 0.9 * done) : 0;
    return yield* subtask(task, fraction, fraction);
  }
}
