/** The state of a solve, on which the next epoch depends, and the record of an epoch. */

import type { RandomState } from '../../core/random.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { PencilKind } from '../pencil/pencil.ts';
import type { Quality } from '../ritz/quality.ts';
import type { Eigenpairs } from '../ritz/rayleigh-ritz.ts';
import type { RitzMemory } from '../ritz/ritz.ts';
import type { StepMemory } from '../descent/step-rule.ts';

/** All that is needed to continue a solve. Nothing writes to it. */
export interface SolverState {
  readonly epoch: number;
  /** `graphFingerprint` of the graph. */
  readonly graph: number;
  /** The eigenproblem of the rows. A solve of another one cannot continue from them. */
  readonly pencil: PencilKind;
  readonly deflate: boolean;
  /** Y, in the precision of the solve. */
  readonly rows: Tensor;
  readonly random: RandomState;
  readonly ritz: RitzMemory | null;
  readonly step: StepMemory | null;
  readonly growth: number;
  readonly flops: number;
  readonly seconds: number;
}

/** The state before the first epoch. */
export type Beginning = Pick<SolverState, 'rows' | 'random'> & Partial<SolverState>;

/** One line of the trace. */
export interface EpochRecord extends Pick<Eigenpairs, 'eigenvalues' | 'residuals'>, Quality {
  readonly epoch: number;
  /** The norm of the gradient over all rows: of ∇f2 in the units of the paper; for f1 of 2(I − D⁻¹W)Y without its part in the span, for unit columns. */
  readonly gradientNorm: number;
  /** Length of the last step. */
  readonly step: number;
  /** The flops so far of products with W and of moments in steps. The review of an epoch takes one product more. */
  readonly flops: number;
  /** The seconds so far, including the reviews. */
  readonly seconds: number;
}
