/** One step of SpecNet1 or SpecNet2: view, evaluate, moments, gradient, move. It is the same for free rows, networks and all schemes. */

import { measureMoments, type Moments, type MomentSource, zeroMoments } from './moments.ts';
import { type Objective, retraction } from './objective.ts';
import { RowUpdate } from './row-update.ts';
import type { Rows } from './rows/rows.ts';
import type { Stepper } from './step-rule.ts';
import type { BatchView, SeenRows, Viewer } from './view.ts';

/** How SpecNet1 keeps its columns orthogonal. */
export interface RotationOptions {
  /** Which Gram matrix becomes n²I: 'gram', that of the moments, or 'support', that of the rows of `view.neighborhood()`, for free rows only: it evaluates rows again. */
  readonly orthogonalize: 'gram' | 'support';
  /** Orthogonalize before or after the rows move; 'after' for free rows only: it evaluates rows again. */
  readonly rotate: 'before' | 'after';
}

/** The pieces of a step: an objective, the view and the moments of a scheme, free rows or those of a network, and a step rule. */
export interface DescentParts {
  /** The public function that errors name. */
  readonly caller: string;
  readonly look: Viewer;
  readonly rows: Rows;
  readonly moments: MomentSource;
  readonly objective: Objective;
  readonly stepper: Stepper;
  readonly rotation: RotationOptions;
  /** The largest `relativeTrace` allowed. Default: 1e8; a minimizer of f2 has at most 1. */
  readonly bound?: number;
  /** The counters of an earlier run, to be continued. Default: none. */
  readonly from?: DescentCounters;
}

export interface DescentCounters {
  /** The log of the growth of tr YᵀDY, summed over the steps whose columns were scaled back. */
  readonly growth: number;
  /** The flops of products with W, and of the moments that gradients use. Those of the orthogonalization are not counted. */
  readonly flops: number;
}

/** Thrown when the rows grow far beyond the size of a minimizer. */
export class BlowUp extends Error {}

/** The largest `relativeTrace` allowed by default. */
export const largestTrace = 1e8;
/** Under f1 every step scales the columns back. This bounds the log of their growth, summed over the steps. */
const largestGrowth = Math.log(1e4);

export class Descent {
  #length = 0;
  readonly #parts: DescentParts;
  readonly #bound: number;
  #growth: number;
  #flops: number;
  readonly #update: RowUpdate;
  readonly #measured: Moments;

  constructor(parts: DescentParts) {
    this.#parts = parts;
    this.#bound = parts.bound ?? largestTrace;
    this.#growth = parts.from?.growth ?? 0;
    this.#flops = parts.from?.flops ?? 0;
    this.#update = new RowUpdate(parts.rows.width);
    this.#measured = zeroMoments(parts.rows.width);
  }

  /** The length of the last move along the direction. Negative, because directions point along the gradient. */
  get length(): number {
    return this.#length;
  }

  get counters(): DescentCounters {
    return { growth: this.#growth, flops: this.#flops };
  }

  /** One step on this batch. */
  step(batch: Int32Array): void {
    const { look, rows, objective, stepper, rotation } = this.#parts;
    const rotate = objective.constrained ? rotation.rotate : null;
    const view = look(batch); // W[B,S], D and η; for the neighbor scheme eq:def-B-nbh
    let seen = rows.evaluate(view.support); // Y_S: read, or the network's forward pass
    let moments = this.#parts.moments.update(view, seen); // YᵀDY and ηᵀY: measured, recorded, tracked or corrected
    if (rotate === 'before') ({ seen, moments } = this.#orthogonalize(view, seen, this.#gramToRotate(view, moments)));
    this.#checkTrace(view, moments);
    const traceBefore = rotate === 'after' ? relativeTrace(this.#gramToRotate(view, moments), view.population) : null;
    objective.gradient(view, moments, this.#update); // eq:gradYlocal, eq:gradYfull, eq:gradYneighbor; SpecNet1: eq:gradYlocal1, …
    stepper.condition(view, moments, this.#update);
    // Free rows: eq:iterYlocal, eq:iterYfull, eq:iterYneighbor, the last with the update of the record. Networks: backward, then the optimizer.
    this.#length = rows.move(view, seen, moments, this.#update, stepper);
    if (traceBefore !== null) this.#orthogonalizeAfter(view, traceBefore);
    this.#flops += 2 * view.entries * rows.width + this.#parts.moments.flops(view) + stepper.flops(view);
  }

  /** Orthogonalization hides growth, so the growth is measured before it. */
  #orthogonalizeAfter(view: BatchView, traceBefore: number): void {
    const { rows, moments } = this.#parts;
    const seen = rows.evaluate(view.support);
    const gram = this.#gramToRotate(view, moments.update(view, seen));
    this.#growth += Math.log(relativeTrace(gram, view.population) / traceBefore);
    this.#orthogonalize(view, seen, gram);
    if (!(this.#growth < largestGrowth)) throw new BlowUp('the rows grow without bound');
  }

  /** Y ← Y·r, so that this Gram matrix becomes population²·I, as after eq:iterYlocal1, eq:iterYfull1 and eq:iterYneighbor1. Returns Y·r and its moments. */
  #orthogonalize(view: BatchView, seen: SeenRows, gram: Float64Array): { seen: SeenRows; moments: Moments } {
    const { caller, rows, moments, rotation } = this.#parts;
    const r = retraction(caller, gram, view.population);
    const side = rotation.orthogonalize === 'gram' ? view.population : null;
    return { seen: rows.rotate(view, seen, r), moments: moments.rotate(r, side) };
  }

  /** YᵀDY of the moments, or of the rows in N(B) alone. */
  #gramToRotate(view: BatchView, moments: Moments): Float64Array {
    const { rows, rotation } = this.#parts;
    if (rotation.orthogonalize === 'gram') return moments.gram;
    const neighborhood = view.neighborhood();
    return measureMoments(neighborhood, rows.evaluate(neighborhood.support), this.#measured).gram;
  }

  /** Rows that were just orthogonalized have a trace of 1, unless they are not finite. */
  #checkTrace(view: BatchView, { gram }: Moments): void {
    const trace = relativeTrace(gram, view.population);
    if (!(trace < this.#bound)) throw new BlowUp(`tr YᵀDY is ${trace} times that of orthonormal columns`);
  }
}

/** tr YᵀDY, relative to that of columns with YᵀDY = side²·I. */
export function relativeTrace(gram: Float64Array, side: number): number {
  const width = Math.round(Math.sqrt(gram.length));
  let trace = 0;
  for (let p = 0; p < gram.length; p += width + 1) trace += gram[p];
  return trace / width / side / side;
}
