/** `specnet/theory`: the paper's statements as numerical checks, and eigenfunctions of the continuum. */

export { eigenfunctions } from '../theory/continuum/eigenfunctions.ts';
export type { EigenfunctionOptions, Eigenfunctions } from '../theory/continuum/eigenfunctions.ts';
export { verify } from '../theory/verify.ts';
export type { VerifyOptions } from '../theory/verify.ts';
export { statements } from '../theory/statements.ts';
export type { StatementName } from '../theory/statements.ts';
export type {
  Claim,
  Counterexample,
  Evidence,
  Finding,
  GraphStatement,
  LawStatement,
  Note,
  Observation,
  PencilStatement,
  Statement,
  Verdict,
} from '../theory/instances/statement.ts';
export type { GivenPencil, Instance, Law } from '../theory/instances/instances.ts';
export type { Formulas } from '../theory/instances/formulas.ts';
export type { SmallPencil } from '../theory/instances/small-pencil.ts';
