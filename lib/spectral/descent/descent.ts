/** One step of SpecNet1 or SpecNet2: view, evaluate, moments, gradient, move. It is the same for free rows, networks and all schemes. */

import { measureMoments, type Moments, type MomentSource, zeroMoments } from './moments.ts';
import { type Objective, retraction } from './objective.ts';
import { RowUpdate } from './row-update.ts';
import type { Rows } from './rows.ts';
import type { Stepper } from './step-rule.ts';
import { type BatchView, gathered, type Viewer } from './view.ts';

/** How SpecNet1 keeps its columns orthogonal. */
export interface RotationOptions {
  /** Which Gram matrix becomes n²I: 'gram', that of the moments, or 'support', that of the rows of `view.neighborhood()`. */
  readonly orthogonalize: 'gram' | 'support';
  /** Orthogonalize before or after the rows move. */
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
  /** `relativeTrace` of the rows at the start. Default: 1. */
  readonly startTrace?: number;
}

/** Thrown when the rows grow far beyond the size of a minimizer. */
export class BlowUp extends Error {}

/** The largest `relativeTrace` allowed. A minimizer of f2 has at most 1. */
export const largestTrace = 1e8;
/** Under f1 every step scales the columns back. This bounds the log of their growth, summed over the steps. */
const largestGrowth = Math.log(1e4);

export class Descent {
  /** The log of the growth of tr YᵀDY, summed over the steps whose columns were scaled back. */
  growth = 0;
  /** The flops of products with W and of moments. */
  flops = 0;
  /** The length of the last move along the direction. */
  length = 0;
  readonly #parts: DescentParts;
  readonly #largestTrace: number;
  readonly #update: RowUpdate;
  readonly #measured: Moments;

  constructor(parts: DescentParts) {
    this.#parts = parts;
    this.#largestTrace = largestTrace * Math.max(1, parts.startTrace ?? 1);
    this.#update = new RowUpdate(parts.rows.width);
    this.#measured = zeroMoments(parts.rows.width);
  }

  step(batch: Int32Array): void {
    const { look, rows, objective, stepper, rotation } = this.#parts;
    const rotates = objective.constrained ? rotation.rotate : null;
    const view = look(batch); // W[B,S], D and η: eq:def-B-nbh
    const seen = rows.evaluate(view.support); // Y_S: read, or the network's forward pass
    let moments = this.#parts.moments.update(view, seen); // YᵀDY and ηᵀY: measured, tracked or corrected
    if (rotates === 'before') moments = this.#orthogonalize(view, this.#gramToOrthogonalize(view, moments));
    const trace = this.#checkedTrace(view, moments);
    objective.gradient(view, moments, this.#update); // eq:gradYlocal, eq:gradYfull, eq:gradYneighbor
    stepper.condition(view, moments, this.#update);
    this.length = rows.move(view, moments, this.#update, stepper); // eq:iterYneighbor; or backward and Adam
    if (rotates === 'after') this.#orthogonalizeAfter(view, trace);
    this.flops += 2 * view.entries * rows.width + this.#parts.moments.flops(view) + stepper.flops(view);
  }

  /** Orthogonalization hides growth, so the growth is measured before it. */
  #orthogonalizeAfter(view: BatchView, traceBefore: number): void {
    const { rows, moments } = this.#parts;
    const gram = this.#gramToOrthogonalize(view, moments.update(view, rows.evaluate(view.support)));
    this.growth += Math.log(relativeTrace(gram, view.population) / traceBefore);
    this.#orthogonalize(view, gram);
    if (!(this.growth < largestGrowth)) throw new BlowUp('the rows grow without bound');
  }

  /** Y ← Y·r, so that this Gram matrix becomes population²·I, as after eq:iterYlocal1, eq:iterYfull1 and eq:iterYneighbor1. Returns the moments of Y·r. */
  #orthogonalize(view: BatchView, gram: Float64Array): Moments {
    const { caller, rows, moments, rotation } = this.#parts;
    const r = retraction(caller, gram, view.population);
    rows.rotate(r);
    return moments.rotate(r, rotation.orthogonalize === 'gram' ? view.population : null);
  }

  #gramToOrthogonalize(view: BatchView, moments: Moments): Float64Array {
    return (this.#parts.rotation.orthogonalize === 'gram' ? moments : this.#measureNeighborhood(view)).gram;
  }

  /** The moments of Y over N(B) alone. */
  #measureNeighborhood(view: BatchView): Moments {
    const support = view.neighborhood();
    const isOwn = support === null || support === view.support;
    const supportMass = isOwn ? view.supportMass : gathered(view.supportMass, support);
    const weights = { supportMass, supportEta: null };
    return measureMoments(weights, this.#parts.rows.evaluate(support), this.#measured);
  }

  #checkedTrace(view: BatchView, { gram }: Moments): number {
    const trace = relativeTrace(gram, view.population);
    if (!(trace < this.#largestTrace)) throw new BlowUp(`tr YᵀDY is ${trace} times that of orthonormal columns`);
    return trace;
  }
}

/** tr YᵀDY, relative to that of columns with YᵀDY = side²·I. */
export function relativeTrace(gram: Float64Array, side: number): number {
  const width = Math.round(Math.sqrt(gram.length));
  let trace = 0;
  for (let p = 0; p < gram.length; p += width + 1) trace += gram[p];
  return trace / width / side / side;
}
