/** How is a network evaluated on many rows and differentiated on a few of them, without computing those twice? */

import { dense, gatherRows } from '../autodiff/functions.ts';
import { operations } from '../autodiff/operations.ts';
import { stopGradient, Tape, type Variable } from '../autodiff/tape.ts';
import { badValue } from '../core/check.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type Inputs, inputsOf, type Points } from './inputs.ts';
import type { Layer } from './mlp.ts';

/** One step at a time: evaluate, restrict if wanted, `tape.backward`, read the gradients. */
export class Pass {
  readonly tape = new Tape();
  readonly #layers: readonly Layer[];
  readonly #many: Inputs;
  readonly #few: Inputs;
  /** Weights and bias of every layer in turn. */
  readonly #parameters: Variable[] = [];
  readonly #values: Variable[] = [];

  constructor(layers: readonly Layer[], points: Points) {
    if (layers[0].weights.rows !== points.cols) {
      throw badValue('Pass', `points of ${layers[0].weights.rows} columns, as the network takes`, points.cols);
    }
    this.#layers = layers;
    this.#many = inputsOf(points);
    this.#few = inputsOf(points);
  }

  /** The output for these rows, all of them for null; whatever the last step made is over. */
  evaluate(rows: Int32Array | null): Variable {
    this.tape.reset();
    this.#parameters.length = this.#values.length = 0;
    let value: Points | Variable = this.#many.take(rows);
    for (const { weights, bias, activation } of this.#layers) {
      const [w, b] = [this.tape.watch(weights), this.tape.watch(bias)];
      value = dense(value as Tensor, w, b, activation);
      this.#parameters.push(w, b);
      this.#values.push(value);
    }
    return value as Variable;
  }

  /** The output for some of these rows alone: `places` among those evaluated, and the rows of the data they stand for. */
  restrict(places: Int32Array, rows: Int32Array): Variable {
    let value: Points | Variable = this.#few.take(rows);
    for (const [l, { activation }] of this.#layers.entries()) {
      const [w, b] = [this.#parameters[2 * l], this.#parameters[2 * l + 1]];
      const known = stopGradient(gatherRows(this.#values[l], places));
      value =
        value instanceof CsrMatrix
          ? this.tape.record(operations.sparseDense, [w, b], { x: value, activation }, 'dense', known)
          : this.tape.record(operations.dense, [value, w, b], activation, 'dense', known);
    }
    return value as Variable;
  }

  /** After `tape.backward`: one for each parameter, in the order of `Mlp.parameters`; null for those without influence. */
  get gradients(): readonly (Tensor | null)[] {
    return this.#parameters.map((parameter) => parameter.gradient);
  }
}
