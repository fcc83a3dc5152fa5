/** The formulas under test: those of the solver, the constants of the corrected lemmas, and those of the paper. */

import type { Rules } from '../../core/options.ts';
import { followRows } from '../../kernels/batch/moving-rows.ts';
import { edgeGradient } from '../../spectral/descent/edges.ts';
import { correctedMoments, recordedMoments, trackedMoments } from '../../spectral/descent/moments.ts';
import type { Moments, MomentSource } from '../../spectral/descent/moments.ts';
import { type Objective, objectives } from '../../spectral/descent/objective.ts';
import { blockNorm, largestEntry, largestMass, type SmallPencil } from './small-pencil.ts';

/** The formulas that statements are about. Callers of `verify` can replace them. */
export interface Formulas {
  /** The objective f2 of the solver, with its gradient. */
  readonly objective: Objective;
  /** Updates the solver's record of YᵀDY and ηᵀY after a change of some rows. */
  readonly follow: typeof followRows;
  /** The moments that the solver's steps read from that record. */
  moments(record: Moments): MomentSource;
  /** The corrected moments of SpecNet2 on networks. */
  readonly corrected: typeof correctedMoments;
  /** The moments that SpecNet2 tracks on networks, without a correction. */
  readonly tracked: typeof correctedMoments;
  /** The gradient of f2 on sampled edges. */
  readonly edges: typeof edgeGradient;
  /** The direction of ordered columns, TriOFM. */
  readonly ordered: Objective;
  /** A bound on the second derivatives by two entries of Z, within the ball of radius R. */
  entryBound(pencil: SmallPencil, radius: number): number;
  /** A bound on the curvature along changes of these rows alone, within the ball of radius R. */
  blockBound(pencil: SmallPencil, rows: ArrayLike<number>, radius: number): number;
}

export const formulaRules = {
  objective: 'object',
  follow: 'function',
  moments: 'function',
  corrected: 'function',
  tracked: 'function',
  edges: 'function',
  ordered: 'object',
  entryBound: 'function',
  blockBound: 'function',
} as const satisfies Rules<Formulas>;

export const formulas: Formulas = {
  objective: objectives.specnet2,
  follow: followRows,
  moments: recordedMoments,
  corrected: correctedMoments,
  tracked: trackedMoments,
  edges: edgeGradient,
  ordered: objectives.triofm,
  entryBound: (pencil, radius) => 4 * largestEntry(pencil) + 4 * (pencil.size + 2) * radius ** 2 * largestMass(pencil),
  blockBound: (pencil, rows, radius) =>
    4 * blockNorm(pencil, rows) + 4 * (pencil.size + 2 * rows.length) * radius ** 2 * largestMass(pencil),
};

/** L of the paper: its bound on second derivatives, which limits its steps. */
export function printedBound({ size, weights, mass }: SmallPencil, components: number, radius: number): number {
  return 4 * Math.max(...weights) + 4 * (size + components) * radius ** 2 * Math.max(...mass);
}

/** The constants of the paper's lemma on the ball, made of its M₁, M₂ and M(R). */
export interface BallConstants {
  /** 2·√M₁, the smallest radius that the lemma allows. */
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
