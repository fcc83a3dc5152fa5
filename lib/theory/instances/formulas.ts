/** The formulas on trial: the solver's own, and the constants of the corrected lemmas. Others can take their place. */

import { followRows } from '../../kernels/batch/batch.ts';
import { type Moments, type MomentSource, recordedMoments } from '../../spectral/descent/moments.ts';
import { type Objective, objectives } from '../../spectral/descent/objective.ts';
import { blockNorm, largestEntry, largestMass, type SmallPencil } from './small-pencil.ts';

/** The formulas that statements are about; others can be tried in their place. */
export interface Formulas {
  /** f2 of the solver, with its gradient. */
  readonly objective: Objective;
  /** How the solver's record of YᵀDY and ηᵀY follows a change of some rows. */
  readonly follow: typeof followRows;
  /** What the solver's steps read from that record. */
  moments(record: Moments): MomentSource;
  /** No second derivative by two entries of Z is larger, within the ball of radius R. */
  entryBound(pencil: SmallPencil, radius: number): number;
  /** No curvature is larger along a change of these rows alone, within the ball of radius R. */
  blockBound(pencil: SmallPencil, rows: ArrayLike<number>, radius: number): number;
}

export const formulas: Formulas = {
  objective: objectives.specnet2,
  follow: followRows,
  moments: recordedMoments,
  entryBound: (pencil, radius) => 4 * largestEntry(pencil) + 4 * (pencil.size + 2) * radius ** 2 * largestMass(pencil),
  blockBound: (pencil, rows, radius) =>
    4 * blockNorm(pencil, rows) + 4 * (pencil.size + 2 * rows.length) * radius ** 2 * largestMass(pencil),
};

/** L of the paper: its bound on second derivatives, and what its steps are measured by. */
export function printedBound({ size, weights, mass }: SmallPencil, components: number, radius: number): number {
  return 4 * Math.max(...weights) + 4 * (size + components) * radius ** 2 * Math.max(...mass);
}

/** M₁, M₂ and M(R) of the paper. */
export interface BallConstants {
  /** 2·√M₁, the least radius the lemma allows. */
  readonly leastRadius: number;
  /** The two bounds on the step that keep rows within a ball of radius R ≥ 2√M₁. */
  steps(radius: number, components: number): { readonly root: number; readonly inverse: number };
}

export function ballConstants({ size, weights, mass }: SmallPencil): BallConstants {
  let first = 0;
  let second = 0;
  let diagonal = 0;
  let across = 0;
  let most = 0;
  for (let i = 0; i < size; i++) {
    const own = weights[i * size + i];
    let others = 0;
    for (let j = 0; j < size; j++) if (j !== i) others += weights[i * size + j] ** 2 / mass[j];
    first = Math.max(first, (own + Math.sqrt(own ** 2 + mass[i] * others + mass[i] / 2)) / (2 * mass[i]));
    second = Math.max(second, own ** 2 / (4 * mass[i]) + others / 4);
    diagonal = Math.max(diagonal, own ** 2);
    across = Math.max(across, mass[i] * others);
    most = Math.max(most, mass[i]);
  }
  return {
    leastRadius: 2 * Math.sqrt(first),
    steps(radius, components) {
      const m =
        3 *
        (diagonal * radius ** 2 + most ** 2 * size ** 2 * components ** 2 * radius ** 6 + across * size * radius ** 2);
      const root = (-2 * second + Math.sqrt(4 * second ** 2 + 3 * m * radius ** 2)) / (8 * m);
      return { root, inverse: 1 / (16 * m) };
    },
  };
}
