/** What is one step? View, moments, gradient, move, moments again, rotation: the same for every method and scheme. */

import type { Iterate } from './iterate.ts';
import { type Moments, type MomentSource, zeroMoments } from './moments.ts';
import { type Objective, retraction } from './objective.ts';
import { RowMap } from './row-map.ts';
import type { Stepper } from './step-rule.ts';
import { type BatchView, gathered } from './view.ts';

/** How SpecNet1 keeps its columns orthogonal. */
export interface RotationOptions {
  /** Whose Gram matrix is made n²I: that of the moments, or that of the rows the batch sees. */
  readonly orthogonalise: 'gram' | 'support';
  readonly rotate: 'before' | 'after';
}

/** Thrown where rows grow beyond everything a minimiser could hold. */
export class BlowUp extends Error {}

/** Of tr YᵀDY over what it is for orthonormal columns; a minimiser of f2 has at most 1. */
const largestGram = 1e8;
/** For f1, whose columns are scaled back at each step: by how much they would have grown in all. */
const largestGrowth = Math.log(1e4);

export class Descent {
  /** log of the growth of tr YᵀDY in steps that were then scaled back. */
  growth = 0;
  /** Leading work: products with W and moments, in flops. */
  flops = 0;
  /** The last step's. */
  length = 0;
  readonly moments: MomentSource;
  readonly #caller: string;
  readonly #iterate: Iterate;
  readonly #objective: Objective;
  readonly #stepper: Stepper;
  readonly #rotation: RotationOptions;
  readonly #largest: number;
  readonly #measured: Moments;
  readonly #map: RowMap;
  #before = new Float64Array(0);
  #after = new Float64Array(0);
  #product = new Float64Array(0);
  #direction = new Float64Array(0);

  /** `caller` is named in what is thrown. Rows that begin larger than orthonormal ones may be as large as `start`, a `relativeTrace`. */
  constructor(
    caller: string,
    iterate: Iterate,
    objective: Objective,
    moments: MomentSource,
    stepper: Stepper,
    rotation: RotationOptions,
    start = 1,
  ) {
    this.#caller = caller;
    this.moments = moments;
    this.#iterate = iterate;
    this.#objective = objective;
    this.#stepper = stepper;
    this.#rotation = rotation;
    this.#largest = largestGram * Math.max(1, start);
    this.#measured = zeroMoments(iterate.width);
    this.#map = new RowMap(iterate.width);
  }

  step(view: BatchView): void {
    const iterate = this.#iterate;
    const { constrained } = this.#objective;
    if (constrained && this.#rotation.rotate === 'before') this.#retract(view);
    const moments = this.moments.read(view);
    const size = this.#checked(view, moments);
    this.#objective.gradient(view, moments, this.#map);
    this.#stepper.condition(view, moments, this.#map);
    if (!this.#follow(view)) this.#move(view, moments);
    if (constrained && this.#rotation.rotate === 'after') {
      this.growth += Math.log(this.#retract(view) / size);
      if (!(this.growth < largestGrowth)) throw new BlowUp('the rows grow without bound');
    }
    this.flops += 2 * view.entries * iterate.width + this.moments.work(view) + this.#stepper.work(view);
  }

  /** The short way, where nobody has to see the direction; else false, and nothing is done. */
  #follow(view: BatchView): boolean {
    const { length } = this.#stepper;
    if (length === null || !this.moments.follow?.(view, this.#map, length)) return false;
    this.length = length;
    return true;
  }

  #move(view: BatchView, moments: Moments): void {
    const iterate = this.#iterate;
    this.#resize(view.batch.length * iterate.width);
    iterate.rows(view, this.#before);
    iterate.product(view, this.#product);
    this.length = this.#stepper.choose(view, this.#before, this.#product, moments, this.#map, this.#direction);
    iterate.move(view, this.#direction, this.length);
    iterate.rows(view, this.#after);
    this.moments.commit(view, this.#before, this.#after);
  }

  /** Scales Y so that the Gram matrix is population²·I; returns the trace it had, in units of that. */
  #retract(view: BatchView): number {
    const { gram } = this.#rotation.orthogonalise === 'gram' ? this.moments.read(view) : this.#measure(view);
    const trace = relativeTrace(gram, view.population);
    const r = retraction(this.#caller, gram, view.population);
    this.#iterate.rotate(r);
    this.moments.rotate(r, this.#rotation.orthogonalise === 'gram' ? view.population : null);
    return trace;
  }

  #measure(view: BatchView): Moments {
    const rows = view.neighborhood();
    const mass = rows && rows !== view.support ? gathered(view.supportMass, rows) : view.supportMass;
    this.#iterate.measure(rows, mass, null, this.#measured);
    return this.#measured;
  }

  #checked(view: BatchView, { gram }: Moments): number {
    const size = relativeTrace(gram, view.population);
    if (!(size < this.#largest)) throw new BlowUp(`tr YᵀDY is ${size} times that of orthonormal columns`);
    return size;
  }

  #resize(length: number): void {
    if (this.#before.length === length) return;
    this.#before = new Float64Array(length);
    this.#after = new Float64Array(length);
    this.#product = new Float64Array(length);
    this.#direction = new Float64Array(length);
  }
}

/** tr YᵀDY over what it is for orthonormal columns. */
export function relativeTrace(gram: Float64Array, side: number): number {
  const width = Math.round(Math.sqrt(gram.length));
  let trace = 0;
  for (let p = 0; p < gram.length; p += width + 1) trace += gram[p];
  return trace / width / side / side;
}
