/** Which statements are there? */

import { ball, lipschitz } from './bounds.ts';
import { convergence } from './convergence.ts';
import { costs } from './costs.ts';
import { minimizerCurvature, saddles } from './curvature.ts';
import { deflation } from './deflation.ts';
import { descentInequality, gradientToZero } from './descent-lemma.ts';
import { specnet1Floor } from './floor.ts';
import { gradient } from './gradient.ts';
import { hessianForm } from './hessian-form.ts';
import { hessianSpectrum } from './hessian.ts';
import { minimizers, optimalValues } from './minimizers.ts';
import { localRate, theoremStep } from './rate.ts';
import { scaling } from './scaling.ts';
import { sameGradient } from './schemes.ts';
import { specnet1Span } from './span.ts';
import type { Statement } from './statement.ts';
import { stationaryPoints } from './stationary.ts';

/** In the order of the paper. */
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
  ball,
  lipschitz,
  'descent-inequality': descentInequality,
  'gradient-to-zero': gradientToZero,
  convergence,
  'theorem-step': theoremStep,
  'local-rate': localRate,
  'same-gradient': sameGradient,
  'specnet1-span': specnet1Span,
  'specnet1-floor': specnet1Floor,
  costs,
  scaling,
} as const satisfies Record<string, Statement>;

/** Every statement that can be verified, in the order of the paper. */
export type StatementName = keyof typeof statements;
