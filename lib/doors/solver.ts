/** `specnet/solver`: exact spectra, the batch solvers SpecNet1 and SpecNet2, their training on networks, and Rayleigh-Ritz. */

export { spectrum } from '../spectral/spectrum/spectrum.ts';
export type { CertifyChoice } from '../spectral/spectrum/certify.ts';
export type { Certificate, SolverReport } from '../spectral/spectrum/solver-report.ts';
export type { SolverChoice } from '../spectral/spectrum/solvers.ts';
export type { Spectrum, SpectrumOptions } from '../spectral/spectrum/spectrum.ts';
export { train } from '../spectral/train/train.ts';
export type { EpochState, LastingSettings, TrainingState } from '../spectral/train/options.ts';
export type { TrainMethod, TrainOptions, TrainScheme } from '../spectral/train/options.ts';
export { ritzHead } from '../spectral/ritz/ritz-head.ts';
export type { RitzHead, RitzOptions } from '../spectral/ritz/ritz-head.ts';
export { solve } from '../spectral/solve/solve.ts';
export type { Solution } from '../spectral/solve/solve.ts';
export type { SolveOptions, StepChoice } from '../spectral/solve/settings.ts';
export { StepTooLarge } from '../spectral/solve/step-too-large.ts';
export { rayleighRitz } from '../spectral/ritz/rayleigh-ritz.ts';
export type { Quality } from '../spectral/ritz/quality.ts';
export type { Eigenpairs, RayleighRitz, RayleighRitzOptions } from '../spectral/ritz/rayleigh-ritz.ts';
export type { EpochRecord, SolverState } from '../spectral/solve/state.ts';
export type { Preconditioner, StepMemory, StepRule } from '../spectral/descent/step-rule.ts';
export type { RitzBlock, RitzMemory } from '../spectral/ritz/ritz.ts';
export type { MomentKind, Moments, MomentSource } from '../spectral/descent/moments.ts';
export type { BatchOrder } from '../spectral/descent/batches.ts';
export type { Method, Objective, SolverMethod } from '../spectral/descent/objective.ts';
export type { PencilKind } from '../spectral/pencil/pencil.ts';
export type { BatchView, ListedRows, Scheme, SeenRows, Support } from '../spectral/descent/view.ts';
export type { RotationOptions } from '../spectral/descent/descent.ts';
export type { BatchArrays, RowUpdate, WeightedRows } from '../spectral/descent/row-update.ts';
