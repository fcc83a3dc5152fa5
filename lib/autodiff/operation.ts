/** What does the tape need to know of an operation? Its result, and how a gradient travels back through it. */

import type { Precision, Shape, Tensor } from '../tensor/tensor.ts';
import type { Workspace } from '../tensor/workspace.ts';

/** One application of an operation, as its functions see it. */
export interface Call<Params> {
  readonly inputs: readonly Tensor[];
  readonly params: Params;
  /** Scratch until the tape is reset. */
  readonly workspace: Workspace;
}

/** A call on its way back: with the result it gave and the gradient that arrived there. */
export interface BackwardCall<Params> extends Call<Params> {
  readonly value: Tensor;
  readonly gradient: Tensor;
}

/** Writes the gradient with respect to one input to `into`, or adds it if `accumulate`. */
export type Pullback<Params> = (call: BackwardCall<Params>, into: Tensor, accumulate: boolean) => void;

export interface Operation<Params> {
  readonly name: string;
  /** The shape of the result; throws in the name of `caller` if the inputs do not fit together. */
  shape(inputs: readonly Tensor[], params: Params, caller: string): Shape;
  /** That of the first input, unless said. */
  precision?(inputs: readonly Tensor[], params: Params): Precision;
  /** Overwrites `value`. */
  forward(call: Call<Params>, value: Tensor): void;
  /** What the pullbacks share, computed once: they see the result in place of the gradient. */
  prepare?(call: BackwardCall<Params>): Tensor;
  /** One for each input. */
  readonly pullbacks: readonly Pullback<Params>[];
}
