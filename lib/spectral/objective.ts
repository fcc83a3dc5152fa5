/** What is made small? f1 under YᵀDY = n²I, or f2 of all Y; each with the gradient that its steps use. */

import { factorInPlace } from '../linalg/cholesky.ts';
import { invertTriangularInto } from '../linalg/triangular.ts';
import { Tensor } from '../tensor/tensor.ts';
import type { Moments } from './moments.ts';
import type { BatchView, Scheme } from './view.ts';

export const methods = ['specnet1', 'specnet2'] as const;

/** Which objective: f1 under orthogonality (SpecNet1), or f2 without (SpecNet2). */
export type Method = (typeof methods)[number];

/**
 * Of n rows (or of as many as the view's population): f1 = n⁻²·tr Yᵀ(D − W)Y, f2 = n⁻²·tr(−2YᵀWY + n⁻²·(YᵀDY)²), with
 * W − ηηᵀ for W where the trivial pair is taken out. Arrays are |B|×K; `product` is W[B,S]·Y_S.
 */
export interface Objective {
  /** Are Y's columns made orthogonal at every step? */
  readonly constrained: boolean;
  gradient(view: BatchView, rows: Float64Array, product: Float64Array, moments: Moments, out: Float64Array): void;
}

export const objectives: Record<Method, Objective> = {
  specnet1: {
    constrained: true,
    /** 2(Y_B − D⁻¹(W − ηηᵀ)Y), and 0 in rows of degree 0. */
    gradient({ batch, mass, eta }, rows, product, { mean }, out) {
      const width = mean.length;
      for (let i = 0, at = 0; i < batch.length; i++) {
        for (let j = 0; j < width; j++, at++) {
          const affinity = eta ? product[at] - eta[i] * mean[j] : product[at];
          out[at] = mass[i] > 0 ? 2 * (rows[at] - affinity / mass[i]) : 0;
        }
      }
    },
  },
  specnet2: {
    constrained: false,
    /** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY, n times the derivative of f2. */
    gradient({ batch, mass, eta, population: n }, rows, product, { gram, mean }, out) {
      const width = mean.length;
      for (let i = 0; i < batch.length; i++) {
        const row = i * width;
        for (let j = 0; j < width; j++) {
          let pull = 0;
          for (let p = 0; p < width; p++) pull += rows[row + p] * gram[p * width + j];
          const affinity = eta ? product[row + j] - eta[i] * mean[j] : product[row + j];
          out[row + j] = (4 / n) * ((mass[i] * pull) / n / n - affinity);
        }
      }
    },
  },
};

/** SpecNet1 makes columns of what it sees orthogonal, which takes as many rows. */
export function leastBatch(method: Method, scheme: Scheme, width: number): number {
  return method === 'specnet1' && scheme === 'local' ? width : 1;
}

/** r = side·L⁻ᵀ of the Cholesky factor L of YᵀDY, so that Y·r has side²·I in its place. Throws `NotPositiveDefinite`. */
export function retraction(caller: string, gram: Float64Array, side: number): Float64Array {
  const width = Math.round(Math.sqrt(gram.length));
  const factor = new Tensor(gram.slice(), [width, width]);
  factorInPlace(caller, factor, 'Use larger batches or fewer components.');
  const inverse = new Float64Array(gram.length);
  invertTriangularInto(width, true, factor.data, inverse);
  const r = new Float64Array(gram.length);
  for (let i = 0; i < width; i++) for (let j = i; j < width; j++) r[i * width + j] = side * inverse[j * width + i];
  return r;
}
