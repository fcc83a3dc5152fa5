/** All statements that can be verified: what each of them says, and where it is checked. */

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
import { hessianForm } from './statements/landscape/hessian-form.ts';
import { hessianSpectrum } from './statements/landscape/hessian.ts';
import { minimizers, optimalValues } from './statements/landscape/minimizers.ts';
import { localRate, theoremStep } from './statements/descent/rate.ts';
import { scaling } from './statements/solver/scaling.ts';
import { sameGradient } from './statements/solver/schemes.ts';
import { specnet1Span } from './statements/solver/span.ts';
import type { Statement } from './instances/statement.ts';
import { stationaryPoints } from './statements/landscape/stationary.ts';

const inOrder = {
  gradient: {
    label: 'eq:gradY',
    claim: 'the gradient of the solver is n times the derivative of f2, entry by entry',
    instances: 2000,
    ...gradient,
  },
  minimizers: {
    label: 'thm:minimizers, cor:minimizers',
    claim:
      'Y = UΛ^½Q with UᵀDU = n²I minimizes f2, with the value −Σ max(λ,0)² over the leading K; its rank is the number of positive λ',
    instances: 2000,
    ...minimizers,
  },
  'optimal-values': {
    label: 'MNIST section, f1* and f2*',
    claim:
      'f2* = −Σ max(λᵢ,0)² over i = 2 … K+1 with deflation; f1* = K − Σλᵢ under YᵀY = nI, n times that under ỸᵀDỸ = n²I',
    printed: 'f2* is the sum of the λᵢ² with a plus sign',
    instances: 10_000,
    ...optimalValues,
  },
  'stationary-points': {
    label: 'eq:stationarypoints',
    claim: 'the gradient vanishes at UΛ^½PQ where P selects at most K positive eigenvalues, and at no other point',
    printed: 'any eigenvalues may be selected',
    instances: 10_000,
    ...stationaryPoints,
  },
  'hessian-form': {
    label: 'proof of thm:minimizers, display of the Hessian',
    claim: 'SᵀHS = n⁻²[−4 tr SᵀWS + 4n⁻²(tr SᵀDS·YᵀDY + tr SᵀDY·SᵀDY + tr SᵀDY·YᵀDS)] is the second derivative of f2',
    printed: 'the same with n⁻¹ instead of n⁻² everywhere, and no n⁻² before the bracket',
    instances: 10_000,
    ...hessianForm,
  },
  'hessian-spectrum': {
    label: 'not in the paper',
    claim:
      'at the point of a set Ω, in X = D^½Y/n: 4(μ_k − λᵢ) for i ∉ Ω, 8λ_ω, each pair 0 and 4(λ_a + λ_b), and r(K − r) zeros',
    instances: 1000,
    ...hessianSpectrum,
  },
  saddles: {
    label: 'proof of thm:minimizers, saddle points',
    claim:
      'if one of the leading K is not selected, f2 falls along it: curvature −4λᵢ if fewer than K are selected, else −4λᵢ + 4λⱼ, with UᵢᵀDUᵢ = n²',
    instances: 1000,
    ...saddles,
  },
  'minimizer-curvature': {
    label: 'not in the paper',
    claim:
      'at a minimizer exactly K(K−1)/2 curvatures are zero, the rotations; the least of the others is min{4(λ_K − λ_{K+1}), 8λ_K}',
    instances: 1000,
    ...minimizerCurvature,
  },
  deflation: {
    label: 'section on unconstrained optimization, deflation',
    claim:
      'W − ηηᵀ has the eigenvalues 0, λ₂, λ₃, …; its minimizer is that of λ₂ … λ_{K+1} exactly if these are positive and λ_{K+1} > λ_{K+2}',
    printed: 'the minimizer of the deflated pencil always spans the eigenvectors 2 … K + 1',
    instances: 10_000,
    ...deflation,
  },
  'ordered-columns': {
    label: 'beyond the paper',
    claim:
      'with triu(YᵀDY) for YᵀDY in the gradient, columns rest at √λ times any different eigenvectors of positive λ, or at 0; only the leading ones in order are stable',
    instances: 200,
    ...orderedColumns,
  },
  ball: {
    label: 'lem:bound',
    claim:
      'for R ≥ 2√M₁ and steps below both bounds, no step on any rows leaves the ball max ‖D^½Z_i‖ < R (X there is D^½Y)',
    instances: 2000,
    ...ball,
  },
  lipschitz: {
    label: 'lem:Lip',
    claim: 'within the ball no second derivative by two entries is above 4 max|W| + 4(n+2)R² max D',
    printed: '4 max W + 4(n+K)R² max D is enough',
    instances: 10_000,
    ...lipschitz,
  },
  'descent-inequality': {
    label: 'lem:grad, inequality in its proof',
    claim:
      'f(Z⁺) ≤ f(Z) − α(1 − αL_S/2)‖g_S‖² for α < 2/L_S, L_S = 4‖W_SS‖₂ + 4(n+2|S|)R² max D, while Z and Z⁺ are in the ball',
    printed: 'f(Z⁺) ≤ f(Z) − α(1 − αL)‖g_S‖² for α < 1/L with the bound L on single entries',
    instances: 10_000,
    ...descentInequality,
  },
  'gradient-to-zero': {
    label: 'lem:grad',
    claim:
      'with α < 2/L_S f falls at every step and the least ‖g_S‖² so far is at most (f(Z₀) − f*)/Σα(1 − αL_S/2), which tends to zero',
    printed: 'α < 1/L is enough for every symmetric W',
    instances: 10_000,
    ...gradientToZero,
  },
  convergence: {
    label: 'thm:convergence',
    claim: 'from random points, and from points at 1e-8 from a saddle, block descent with a constant step reaches f*',
    instances: 200,
    ...convergence,
  },
  'theorem-step': {
    label: 'thm:convergence, bound on the step',
    claim:
      '1/(16M(R)) is the least of the three bounds; at n = 10 the rate of this step is that of the Hessian, 10⁵ to 10⁹ sweeps for a factor of 10⁶',
    instances: 20,
    ...theoremStep,
  },
  'local-rate': {
    label: 'not in the paper',
    claim:
      'near the minimizer D⁻¹-preconditioned steps of length ℓ shrink the gradient by 1 − ℓ·min{4(λ_K − λ_{K+1}), 8λ_K} each',
    instances: 200,
    ...localRate,
  },
  'same-gradient': {
    label: 'remark on the schemes',
    claim:
      'full and neighbor compute the exact gradient of f2 on their rows; local that of its batch as a graph, which differs unless the batch is all of the graph',
    instances: 1,
    ...sameGradient,
  },
  'tracked-lag': {
    label: 'beyond the paper',
    claim:
      'if rows move at constant speed, the tracked ηᵀY is that of rows 1/π_j − 1 steps old on average, about n/|N(B)| − 1, where π_j is the probability that a batch sees row j',
    instances: 50,
    ...trackedLag,
  },
  'corrected-moments': {
    label: 'beyond the paper',
    claim:
      'the average of corrected moments over all batches is YᵀDY, and their variance falls with the square of the change since the record',
    instances: 100,
    ...correctedUnbiased,
  },
  'edge-gradient': {
    label: 'beyond the paper',
    claim: 'the average of the gradient on two edges, drawn in proportion to W, is the gradient of f2',
    instances: 100,
    ...edgeGradientUnbiased,
  },
  'specnet1-span': {
    label: 'not in the paper',
    claim:
      'a sweep of SpecNet1 over blocks has the span of Z_B ← (1−2α)Z_B + 2αD⁻¹WZ, with any orthogonalization on the way',
    instances: 10_000,
    ...specnet1Span,
  },
  'specnet1-floor': {
    label: 'rmk:2',
    claim:
      'with b < n and a constant step SpecNet1 stops at a floor; its span is that of Z_B ← (1−2α)Z_B + 2αD⁻¹WZ; with b = n it stays at the eigenvectors',
    printed: 'SpecNet1 with the full or neighbor scheme converges to the eigenvectors',
    instances: 1,
    ...specnet1Floor,
  },
  costs: {
    label: 'section on computational cost',
    claim:
      'a step multiplies at most b² entries of W by K (local), s·b for s nonzeros per row (full, neighbor); moments take bK², nK², bK²',
    instances: 1,
    ...costs,
  },
  scaling: {
    label: 'appendix:scaling',
    claim:
      'f2*, the entries of Y and the gradient at a fixed smooth Y stay O(1) as n grows; errors of λ, ψ and the gradient fall as n^-½',
    instances: 12,
    ...scaling,
  },
} satisfies Record<string, Statement>;

/** The name of a statement that can be verified. */
export type StatementName = keyof typeof inOrder;

/** All statements, in the order of the paper. */
export const statements: Readonly<Record<StatementName, Statement>> = inOrder;
