/** What is made small? f1 under YᵀDY = n²I, or f2 of all Y; each with the gradient that its steps use. */

import { factorInPlace } from '../../linalg/cholesky.ts';
import { invertTriangularInto } from '../../linalg/triangular.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Moments } from './moments.ts';
import type { RowMap } from './row-map.ts';
import type { BatchView, Scheme } from './view.ts';

export const methods = ['specnet1', 'specnet2'] as const;

/** Which objective: f1 under orthogonality (SpecNet1), or f2 without (SpecNet2). */
export type Method = (typeof methods)[number];

/**
 * Of n rows (or of as many as the view's population): f1 = n⁻²·tr Yᵀ(D − W)Y, f2 = n⁻²·tr(−2YᵀWY + n⁻²·(YᵀDY)²), with
 * W − ηηᵀ for W where the trivial pair is taken out.
 */
export interface Objective {
  /** Are Y's columns made orthogonal at every step? */
  readonly constrained: boolean;
  /** The map becomes that of the gradient. */
  gradient(view: BatchView, moments: Moments, map: RowMap): void;
}

export const objectives: Record<Method, Objective> = {
  specnet1: {
    constrained: true,
    /** 2(Y_B − D⁻¹(W − ηηᵀ)Y), and 0 in rows of degree 0. */
    gradient(_view, _moments, map) {
      map.set(2, -2, 1);
    },
  },
  specnet2: {
    constrained: false,
    /** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY, n times the derivative of f2. */
    gradient({ population: n }, { gram }, map) {
      map.set(0, -4 / n, 0);
      for (let p = 0; p < gram.length; p++) map.pull[p] = ((4 / n) * gram[p]) / n / n;
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
