/** The interface of differentiable operations: shape, precision, forward function and pullbacks. */

import type { Precision, Shape, Tensor } from '../tensor/tensor.ts';
import type { Workspace } from '../tensor/workspace.ts';

/** One application of an operation: the argument of its functions. */
export interface Call<Params> {
  readonly inputs: readonly Tensor[];
  readonly params: Params;
  /** Scratch memory, valid until the tape is reset. */
  readonly workspace: Workspace;
}

/** A call in the backward pass: also with its result and the gradient with respect to it. */
export interface BackwardCall<Params> extends Call<Params> {
  readonly value: Tensor;
  readonly gradient: Tensor;
}

/** Writes the gradient with respect to one input to `into`, or adds it if `accumulate`. */
export type Pullback<Params> = (call: BackwardCall<Params>, into: Tensor, accumulate: boolean) => void;

/** A differentiable operation. */
export interface Operation<Params> {
  readonly name: string;
  /** The shape of the result. Throws an error that names `caller` if the inputs do not fit together. */
  shape(inputs: readonly Tensor[], params: Params, caller: string): Shape;
  /** The precision of the result. Default: that of the first input. */
  precision?(inputs: readonly Tensor[], params: Params): Precision;
  /** Overwrites `value`. */
  forward(call: Call<Params>, value: Tensor): void;
  /** Computes once what the pullbacks share. They receive the result as `gradient`. */
  prepare?(call: BackwardCall<Params>): Tensor;
  /** One for each input. */
  readonly pullbacks: readonly Pullback<Params>[];
}
