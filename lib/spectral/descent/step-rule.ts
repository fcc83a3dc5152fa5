/** Step rules: from the gradient of a batch to the direction and the length of its move. */

import { reduceKernels } from '../../wasm/families.ts';
import { factorInPlace } from '../../linalg/cholesky.ts';
import { solveRightInPlace } from '../../linalg/triangular.ts';
import { GrowableArray } from '../../tensor/growable-array.ts';
import { type Precision, Tensor } from '../../tensor/tensor.ts';
import type { Moments } from './moments.ts';
import { minimizeQuartic } from './quartic.ts';
import { type BatchArrays, RowUpdate } from './row-update.ts';
import type { BatchView } from './view.ts';

/**
 * none: the gradient g itself, as in the paper. degree: n·D⁻¹g, so that one length suits rows of all degrees.
 * gram: ¼n³·D⁻¹g·(YᵀDY)⁻¹. Length 1 is then a step of power iteration, Y_B ← n²·D⁻¹WY·(YᵀDY)⁻¹; a larger one is
 * over-relaxation. columns: the same, with the diagonal of YᵀDY in place of YᵀDY also in g, so that the columns are independent
 * of each other. They all approach the first eigenvector unless Rayleigh-Ritz separates them after each epoch.
 */
export const preconditioners = ['none', 'degree', 'gram', 'columns'] as const;

/** What a gradient is multiplied by before it becomes a step; docs/solver.md has the formulas. */
export type Preconditioner = (typeof preconditioners)[number];

/** With length 'search', each step goes to the exact minimum of f2 along its direction. */
export interface StepRule {
  readonly precondition: Preconditioner;
  readonly length: number | 'search';
  /** Full batch only: directions are conjugated (Polak-Ribière). */
  readonly conjugate?: boolean;
}

/** What conjugate gradients keep between steps: the last direction, the last preconditioned gradient, and its product with the gradient. */
export interface StepMemory {
  readonly direction: Float64Array;
  readonly conditioned: Float64Array;
  readonly square: number;
}

/** A step calls `condition`, then `choose`. If `length` is not null, rows may skip `choose`. */
export interface Stepper {
  /** The constant factor of the direction, which is negative. Null if `choose` computes it or changes the direction. */
  readonly length: number | null;
  /** Replaces the gradient by the preconditioned one. */
  condition(view: BatchView, moments: Moments, update: RowUpdate): void;
  /** Writes the direction, which points along the gradient. Returns the length: rows ← rows + length·direction. */
  choose(view: BatchView, arrays: BatchArrays, moments: Moments, update: RowUpdate): number;
  /** The flops of products with W in `choose`. */
  flops(view: BatchView): number;
  /** Null without conjugate directions. */
  readonly memory: StepMemory | null;
}

/** `caller`: the public function that errors name. `from`: the memory of an earlier run, to be continued. */
export function stepperOf(
  caller: string,
  rule: StepRule,
  width: number,
  precision: Precision,
  from: StepMemory | null = null,
): Stepper {
  let memory = (rule.conjugate && from) || null;
  const search = new LineSearch(width, precision);
  const constant = rule.length === 'search' ? null : -rule.length;
  const plain = rule.conjugate ? new RowUpdate(width) : null;
  return {
    length: plain ? null : constant,
    get memory() {
      return memory;
    },
    flops: ({ entries }) => (constant === null ? 2 * entries * width : 0),
    condition(view, moments, update) {
      plain?.copy(update);
      precondition[rule.precondition](caller, view, moments, update);
    },
    choose(view, arrays, moments, update) {
      update.apply(view, arrays, moments.mean);
      if (plain) {
        const gradient = new Float64Array(arrays.direction.length);
        plain.apply(view, { ...arrays, direction: gradient }, moments.mean);
        memory = conjugate(memory, gradient, arrays.direction);
      }
      return constant ?? search.length(view, arrays, moments);
    },
  };
}

type Precondition = (caller: string, view: BatchView, moments: Moments, update: RowUpdate) => void;

const precondition: Record<Preconditioner, Precondition> = {
  none: () => {},
  degree(_caller, { population }, _moments, update) {
    update.massExponent++;
    update.scale(population);
  },
  gram(caller, { population }, { gram }, update) {
    const { width } = update;
    const factor = new Tensor(gram.slice(), [width, width]);
    factorInPlace(caller, factor, 'Use larger batches or fewer components.');
    const row = new Float64Array(width);
    for (const matrix of [update.own, update.affinity]) {
      solveRightInPlace(width, width, true, true, factor.data, row, matrix);
      solveRightInPlace(width, width, true, false, factor.data, row, matrix);
    }
    update.massExponent++;
    update.scale(population ** 3 / 4);
  },
  columns(_caller, { population }, { gram }, update) {
    update.set(1, -1, 1);
    for (let p = 0; p < gram.length; p += update.width + 1) update.affinity[p] *= (population / gram[p]) * population;
  },
};

/** direction = conditioned + β·last direction, in place of the conditioned gradient. */
function conjugate(memory: StepMemory | null, gradient: Float64Array, direction: Float64Array): StepMemory {
  const conditioned = direction.slice();
  const square = reduceKernels().dot(gradient.length, gradient, conditioned);
  if (memory && memory.square > 0) {
    const change = square - reduceKernels().dot(gradient.length, gradient, memory.conditioned);
    const beta = Math.max(0, change / memory.square);
    for (let p = 0; p < direction.length; p++) direction[p] += beta * memory.direction[p];
    // The move would go uphill, so the memory is outdated: start over.
    if (reduceKernels().dot(gradient.length, gradient, direction) <= 0) direction.set(conditioned);
  }
  return { direction: direction.slice(), conditioned, square };
}

/** Exact line search: f2 on a line is a quartic. Its coefficients need one more product with W[B,B]. */
class LineSearch {
  readonly #width: number;
  /** Zeros between two calls. */
  readonly #support: GrowableArray;
  readonly #product: GrowableArray;

  constructor(width: number, precision: Precision) {
    this.#width = width;
    this.#support = new GrowableArray(precision);
    this.#product = new GrowableArray(precision);
  }

  length(view: BatchView, { rows, product, direction: z }: BatchArrays, moments: Moments): number {
    const width = this.#width;
    const { batch, mass, eta, population: n } = view;
    const count = batch.length;
    const { gram, mean } = moments;
    const curved = this.#batchProduct(view, z);
    let linear = 0;
    let quadratic = 0;
    for (let p = 0; p < count * width; p++) {
      linear += product[p] * z[p];
      quadratic += curved[p] * z[p];
    }
    if (eta) {
      const shift = new Float64Array(width);
      reduceKernels().weightedColumnSums(count, width, eta, z, shift);
      for (let j = 0; j < width; j++) {
        linear -= mean[j] * shift[j];
        quadratic -= shift[j] * shift[j];
      }
    }
    // (Y + tZ)ᵀD(Y + tZ) = G + t·C + t²·E
    const half = new Float64Array(width * width);
    const e = new Float64Array(width * width);
    reduceKernels().gram(count, width, width, mass, rows, z, half);
    reduceKernels().gram(count, width, width, mass, z, z, e);
    let [gc, cc, ge, ce, ee] = [0, 0, 0, 0, 0];
    for (let i = 0, p = 0; i < width; i++) {
      for (let j = 0; j < width; j++, p++) {
        const c = half[p] + half[j * width + i];
        gc += gram[p] * c;
        cc += c * c;
        ge += gram[p] * e[p];
        ce += c * e[p];
        ee += e[p] * e[p];
      }
    }
    const s = 1 / n / n;
    return minimizeQuartic(-4 * linear + 2 * s * gc, -2 * quadratic + s * (cc + 2 * ge), 2 * s * ce, s * ee);
  }

  /** W[B,B]·z, as W[B,S] times z padded with zeros outside the batch. For free rows: the support is all rows, or the batch. */
  #batchProduct(view: BatchView, z: Float64Array): ArrayLike<number> {
    const { batch, support, supportMass, place } = view;
    const width = this.#width;
    const padded = this.#support.take((support ?? supportMass).length * width);
    const product = this.#product.take(batch.length * width);
    for (let i = 0; i < batch.length; i++) {
      for (let j = 0; j < width; j++) padded[place[i] * width + j] = z[i * width + j];
    }
    view.multiply(width, padded, product);
    for (let i = 0; i < batch.length; i++) padded.fill(0, place[i] * width, (place[i] + 1) * width);
    return product;
  }
}
