/** Which way, and how far? From the gradient of a batch to the change of its rows. */

import { kernels } from '../kernels/table.ts';
import { factorInPlace } from '../linalg/cholesky.ts';
import { solveRightInPlace } from '../linalg/triangular.ts';
import { allocate, type Precision, Tensor } from '../tensor/tensor.ts';
import type { Moments } from './moments.ts';
import { minimiseQuartic } from './quartic.ts';
import type { BatchView } from './view.ts';

/**
 * none: the gradient g itself, as in the paper. degree: n·D⁻¹g, which makes one length fit rows of every degree.
 * gram: ¼n³·D⁻¹g·(YᵀDY)⁻¹, of which length 1 is the step Y_B ← n²·D⁻¹WY·(YᵀDY)⁻¹ of a power iteration and more is
 * over-relaxation. columns: the same with the diagonal of YᵀDY alone, so that columns do not disturb each other; only
 * Rayleigh-Ritz after each epoch keeps them apart.
 */
export const preconditioners = ['none', 'degree', 'gram', 'columns'] as const;

/** What a gradient is multiplied by before it becomes a step; docs/solver.md has the formulas. */
export type Preconditioner = (typeof preconditioners)[number];

/** 'search': the length that makes f2 least along the way, which is exact. */
export interface StepRule {
  readonly precondition: Preconditioner;
  readonly length: number | 'search';
  /** Full batch only: directions are conjugated (Polak-Ribière). */
  readonly conjugate?: boolean;
}

/** What a step rule remembers between steps: of conjugate gradients the last direction and the last gradients. */
export interface StepMemory {
  readonly direction: Float64Array;
  readonly conditioned: Float64Array;
  readonly square: number;
}

/** All arrays are |B|×K. */
export interface Stepper {
  /** Turns the gradient into a direction, in place, and returns by which length it is to be added to the rows. */
  choose(view: BatchView, rows: Float64Array, product: Float64Array, moments: Moments, gradient: Float64Array): number;
  /** What that spends on products with W, in flops. */
  work(view: BatchView): number;
  memory: StepMemory | null;
}

export function stepperOf(rule: StepRule, width: number, precision: Precision): Stepper {
  const search = new LineSearch(width, precision);
  return {
    memory: null,
    work: ({ entries }) => (rule.length === 'search' ? 2 * entries * width : 0),
    choose(view, rows, product, moments, gradient) {
      const plain = rule.conjugate ? gradient.slice() : gradient;
      precondition[rule.precondition](view, moments, gradient, rows, product);
      if (rule.conjugate) this.memory = conjugate(this.memory, plain, gradient);
      return rule.length === 'search' ? search.length(view, rows, product, moments, gradient) : -rule.length;
    },
  };
}

type Conditioning = (
  view: BatchView,
  moments: Moments,
  gradient: Float64Array,
  rows: Float64Array,
  product: Float64Array,
) => void;

const precondition: Record<Preconditioner, Conditioning> = {
  none: () => {},
  degree: divideByMass,
  gram(view, moments, gradient) {
    const width = moments.mean.length;
    divideByMass(view, moments, gradient);
    const factor = new Tensor(moments.gram.slice(), [width, width]);
    factorInPlace('solve', factor, 'Use larger batches or fewer components.');
    const row = new Float64Array(width);
    solveRightInPlace(view.batch.length, width, true, true, factor.data, row, gradient);
    solveRightInPlace(view.batch.length, width, true, false, factor.data, row, gradient);
    const scale = view.population ** 2 / 4;
    for (let p = 0; p < view.batch.length * width; p++) gradient[p] *= scale;
  },
  columns({ batch, mass, eta, population }, { gram, mean }, gradient, rows, product) {
    const width = mean.length;
    for (let i = 0, at = 0; i < batch.length; i++) {
      for (let j = 0; j < width; j++, at++) {
        const affinity = eta ? product[at] - eta[i] * mean[j] : product[at];
        const image = (population / gram[j * (width + 1)]) * population * (affinity / mass[i]);
        gradient[at] = mass[i] > 0 ? rows[at] - image : 0;
      }
    }
  },
};

/** g ← n·D⁻¹g. Rows of degree 0 have gradient 0 and keep it. */
function divideByMass({ batch, mass, population }: BatchView, { mean }: Moments, gradient: Float64Array): void {
  const width = mean.length;
  for (let i = 0, at = 0; i < batch.length; i++) {
    for (let j = 0; j < width; j++, at++) if (mass[i] > 0) gradient[at] *= population / mass[i];
  }
}

/** direction = conditioned + β·last direction, in place of the conditioned gradient. */
function conjugate(memory: StepMemory | null, gradient: Float64Array, direction: Float64Array): StepMemory {
  const conditioned = direction.slice();
  const square = kernels.dot(gradient.length, gradient, conditioned);
  if (memory) {
    const change = square - kernels.dot(gradient.length, gradient, memory.conditioned);
    const beta = Math.max(0, change / memory.square);
    for (let p = 0; p < direction.length; p++) direction[p] += beta * memory.direction[p];
    // Uphill directions come of a memory that no longer fits: start over.
    if (kernels.dot(gradient.length, gradient, direction) <= 0) direction.set(conditioned);
  }
  return { direction: direction.slice(), conditioned, square };
}

/** Exact line search: f2 on a line is a quartic of which the coefficients take one more product with W[B,B]. */
class LineSearch {
  readonly #width: number;
  readonly #precision: Precision;
  #support = allocate(0, 'double' as Precision);
  #product = allocate(0, 'double' as Precision);

  constructor(width: number, precision: Precision) {
    this.#width = width;
    this.#precision = precision;
  }

  length(view: BatchView, rows: Float64Array, product: Float64Array, moments: Moments, z: Float64Array): number {
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
      kernels.weightedColumnSums(count, width, eta, z, shift);
      for (let j = 0; j < width; j++) {
        linear -= mean[j] * shift[j];
        quadratic -= shift[j] * shift[j];
      }
    }
    // (Y + tZ)ᵀD(Y + tZ) = G + t·C + t²·E
    const half = new Float64Array(width * width);
    const e = new Float64Array(width * width);
    kernels.gram(count, width, width, mass, rows, z, half);
    kernels.gram(count, width, width, mass, z, z, e);
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
    return minimiseQuartic(-4 * linear + 2 * s * gc, -2 * quadratic + s * (cc + 2 * ge), 2 * s * ce, s * ee);
  }

  /** W[B,B]·z, through a support that is zero outside of the batch. */
  #batchProduct(view: BatchView, z: Float64Array): ArrayLike<number> {
    const { batch, support, supportMass, place } = view;
    const width = this.#width;
    const size = (support ? support.length : supportMass.length) * width;
    if (this.#support.length < size) this.#support = allocate(size, this.#precision);
    if (this.#product.length < batch.length * width) this.#product = allocate(batch.length * width, this.#precision);
    const padded = this.#support;
    for (let i = 0; i < batch.length; i++) {
      for (let j = 0; j < width; j++) padded[place[i] * width + j] = z[i * width + j];
    }
    view.multiply(width, padded, this.#product);
    for (let i = 0; i < batch.length; i++) padded.fill(0, place[i] * width, (place[i] + 1) * width);
    return this.#product;
  }
}
