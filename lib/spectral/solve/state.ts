/** The state of a solve, with all that the next epoch depends on, and the record of an epoch. */

import type { RandomState } from '../../core/random.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Moments } from '../descent/moments.ts';
import type { PencilKind } from '../pencil/pencil.ts';
import type { Quality } from '../ritz/quality.ts';
import type { Eigenpairs } from '../ritz/rayleigh-ritz.ts';
import type { RitzMemory } from '../ritz/ritz.ts';
import type { StepMemory } from '../descent/step-rule.ts';

/** A value: nothing writes to it. */
export interface SolverState {
  readonly epoch: number;
  /** `graphFingerprint` of the graph. */
  readonly graph: number;
  /** The problem that the rows belong to; another one cannot continue from them. */
  readonly pencil: PencilKind;
  readonly deflate: boolean;
  /** Y, in the precision of the solve. */
  readonly rows: Tensor;
  readonly moments: Moments;
  readonly random: RandomState;
  readonly ritz: RitzMemory | null;
  readonly step: StepMemory | null;
  readonly growth: number;
  readonly flops: number;
  readonly seconds: number;
}

/** A start that no epoch has changed yet. */
export type Beginning = Pick<SolverState, 'rows' | 'random'> & Partial<SolverState>;

/** One line of the trace. */
export interface EpochRecord extends Pick<Eigenpairs, 'eigenvalues' | 'residuals'>, Quality {
  readonly epoch: number;
  /** Of the method's gradient over all rows: ∇f2 in the paper's units, or 2(I − D⁻¹W)Y less what lies in the span, for unit columns. */
  readonly gradientNorm: number;
  /** Length of the last step. */
  readonly step: number;
  /** Leading work so far: products with W and moments of the steps. The reviews take one product each besides. */
  readonly flops: number;
  /** So far, with the reviews. */
  readonly seconds: number;
}
