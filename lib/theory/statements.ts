/** The table of all statements that can be verified. */

import { ball, lipschitz } from './statements/descent/bounds.ts';
import { convergence } from './statements/descent/convergence.ts';
import { correctedUnbiased } from './statements/solver/corrected.ts';
import { costs } from './statements/solver/costs.ts';
import { minimizerCurvature, saddles } from './statements/landscape/curvature.ts';
import { deflation } from './statements/landscape/deflation.ts';
import { descentInequality, gradientToZero } from './statements/descent/descent-lemma.ts';
import { edgeGradientUnbiased } from './statements/solver/edges.ts';
import { trackedLag } from './statements/solver/lag.ts';
import { orderedColumns } from './statements/landscape/ordered.ts';
import { specnet1Floor } from './statements/solver/floor.ts';
import { gradient } from './statements/landscape/gradient.ts';
import { hessianForm } from './instances/hessian-form.ts';
import { hessianSpectrum } from './statements/landscape/hessian.ts';
import { minimizers, optimalValues } from './statements/landscape/minimizers.ts';
import { localRate, theoremStep } from './statements/descent/rate.ts';
import { scaling } from './statements/solver/scaling.ts';
import { sameGradient } from './statements/solver/schemes.ts';
import { specnet1Span } from './statements/solver/span.ts';
import type { Statement } from './instances/statement.ts';
import { stationaryPoints } from './statements/landscape/stationary.ts';

/** All statements, in the order of the paper. */
export const statements = {
  gradient,
  minimizers,
  'optimal-values': optimalValues,
  'stationary-points': stationaryPoints,
  'hessian-form': hessianForm,
  'hessian-spectrum': hessianSpectrum,
  saddles,
  'minimizer-curvature': minimizerCurvature,
  deflation,
  'ordered-columns': orderedColumns,
  ball,
  lipschitz,
  'descent-inequality': descentInequality,
  'gradient-to-zero': gradientToZero,
  convergence,
  'theorem-step': theoremStep,
  'local-rate': localRate,
  'same-gradient': sameGradient,
  'tracked-lag': trackedLag,
  'corrected-moments': correctedUnbiased,
  'edge-gradient': edgeGradientUnbiased,
  'specnet1-span': specnet1Span,
  'specnet1-floor': specnet1Floor,
  costs,
  scaling,
} as const satisfies Record<string, Statement>;

/** The name of a statement that can be verified. */
export type StatementName = keyof typeof statements;
