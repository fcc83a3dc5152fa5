/** How is a solve stopped and taken up again? With all that the next epoch depends on. */

import type { RandomState } from '../../core/random.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Moments } from '../descent/moments.ts';
import type { PencilKind } from '../pencil/pencil.ts';
import type { RitzMemory } from '../ritz/ritz.ts';
import type { StepMemory } from '../descent/step-rule.ts';

/** A value: nothing writes to it. */
export interface SolverState {
  readonly epoch: number;
  /** `markOf` the graph. */
  readonly graph: number;
  /** What the rows belong to: to go on with another would be to start anew. */
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
