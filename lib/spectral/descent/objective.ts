/** The objectives: f1 under YᵀDY = n²I (eq:specnet1), and f2 of all Y (eq:uopt2), also with ordered columns; each with the gradient that its steps use. */

import { mirror } from '../../kernels/reduce.ts';
import { kernels } from '../../kernels/table.ts';
import { factorInPlace } from '../../linalg/cholesky.ts';
import { invertTriangularInto } from '../../linalg/triangular.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { reduceKernels } from '../../wasm/families.ts';
import type { Moments } from './moments.ts';
import type { RowUpdate } from './row-update.ts';
import type { BatchView, Scheme } from './view.ts';

export const methods = ['specnet1', 'specnet2'] as const;

/** Which objective: f1 under orthogonality (SpecNet1), or f2 without (SpecNet2). */
export type Method = (typeof methods)[number];

export const solverMethods = [...methods, 'triofm'] as const;

/** SpecNet1, SpecNet2, or SpecNet2 with ordered columns (TriOFM), for the solver alone: networks do not separate the columns. */
export type SolverMethod = (typeof solverMethods)[number];

/**
 * With n, the view's population: f1 = n⁻²·tr Yᵀ(D − W)Y, which is eq:specnet1 for √n·D^-½Y in place of Y; and
 * f2 = n⁻²·tr(−2YᵀWY + n⁻²·(YᵀDY)²), eq:uopt. Where the trivial pair is deflated, W is W − ηηᵀ, as in eq:uopt2.
 */
export interface Objective {
  /** Whether Y's columns are made orthogonal in every step. */
  readonly constrained: boolean;
  /** Sets `update` to the gradient. The schemes differ only in the view and the moments. */
  gradient(view: Pick<BatchView, 'population'>, moments: Moments, update: RowUpdate): void;
}

export const objectives: Record<SolverMethod, Objective> = {
  specnet1: {
    constrained: true,
    /** 2(Y_B − D⁻¹(W − ηηᵀ)Y), n²D⁻¹ times the derivative of f1, and 0 in rows of degree 0: eq:gradYlocal1, eq:gradYfull1, eq:gradYneighbor1, there without deflation. */
    gradient(_view, _moments, update) {
      update.set(2, -2, 1);
    },
  },
  specnet2: {
    constrained: false,
    /** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY, n times the derivative of f2 (eq:gradY, eq:gradY2): eq:gradYlocal, eq:gradYfull, eq:gradYneighbor. */
    gradient({ population: n }, { gram }, update) {
      update.set(0, -4 / n, 0);
      for (let p = 0; p < gram.length; p++) update.own[p] = ((4 / n) * gram[p]) / n / n;
    },
  },
  triofm: {
    constrained: false,
    /**
     * −4/n·(W − ηηᵀ)Y + 4/n³·DY·triu(YᵀDY): a column meets only the columns before it, so that the first becomes the first
     * eigenvector, the second the next one, and so on (docs/theory.md). It is not the gradient of any function.
     */
    gradient(view, moments, update) {
      objectives.specnet2.gradient(view, moments, update);
      const { own, width } = update;
      for (let k = 1; k < width; k++) own.fill(0, k * width, k * width + k);
    },
  },
};

/** The smallest batch. SpecNet1 local orthogonalizes the columns of the batch, which needs as many rows as columns. */
export function leastBatch(method: SolverMethod, scheme: Scheme, width: number): number {
  return method === 'specnet1' && scheme === 'local' ? width : 1;
}

/** r = side·L⁻ᵀ of the Cholesky factor L of YᵀDY, so that Y·r has the Gram matrix side²·I: subsec:f1scheme. Throws `NotPositiveDefinite`. */
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

/**
 * The matrix C of the pullback of Ỹ_B = (Y·r)_B, where r = retraction(YᵀDY, side) depends on all rows of Y (subsec:net1-training): if Ỹ_B has
 * the gradient G, Y has G·rᵀ in the rows of B, and D·Y·C is added in all rows. With r = side·R⁻¹ and RᵀR = YᵀDY, dR·R⁻¹ is the
 * upper triangle of R⁻ᵀ·d(YᵀDY)·R⁻¹ with half of its diagonal. So C = −r·U·rᵀ/side², where U is symmetric with the upper triangle of Ỹ_BᵀG.
 */
export function retractionPullback(
  rotated: Float64Array,
  gradient: Float64Array,
  r: Float64Array,
  side: number,
): Float64Array {
  const width = Math.round(Math.sqrt(r.length));
  const [u, half, c] = [0, 1, 2].map(() => new Float64Array(r.length));
  reduceKernels().gram(rotated.length / width, width, width, null, rotated, gradient, u);
  mirror(width, u);
  kernels.matmul(width, width, width, r, u, half, false);
  kernels.matmulTransposeB(width, width, width, half, r, c, false);
  for (let p = 0; p < c.length; p++) c[p] /= -side * side;
  return c;
}
