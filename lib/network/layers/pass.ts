/** How is a network evaluated on many rows and differentiated on a few of them, without computing those twice? */

import { operations } from '../../autodiff/operations.ts';
import { slopeTimesGradient } from '../../autodiff/products.ts';
import { stopGradient, Tape, type Variable } from '../../autodiff/tape.ts';
import { badValue } from '../../core/check.ts';
import { sectionRows } from '../../kernels/batch/gaps.ts';
import { kernels } from '../../kernels/table.ts';
import { type CsrArrays, CsrMatrix } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Inputs, inputsOf, type Points } from './inputs.ts';
import { AfterRelu } from './after-relu.ts';
import type { Layer } from '../bodies/mlp.ts';
import { denseOfFew, expandProduct, type ProductGradient, ProductMaker } from '../optimizer/product-gradient.ts';
import { SparseLayer } from './sparse-layer.ts';

/**
 * Rows above which a layer's gradient is better made than left as a product: on MNIST somewhere between 32 and 64. What is
 * left of so many has no gaps.
 */
const fewRows = sectionRows;

/** One step at a time: evaluate, restrict if wanted, `tape.backward`, read the gradients. */
export class Pass {
  readonly tape = new Tape();
  readonly #layers: readonly Layer[];
  /** Where points are sparse the first layer is computed beside the tape, which begins with its values. */
  readonly #first: SparseLayer | null;
  readonly #afterRelu = new AfterRelu();
  readonly #many: Inputs | null;
  readonly #few: Inputs | null;
  /** Weights and bias of every layer on the tape in turn. */
  readonly #parameters: Variable[] = [];
  readonly #values: Variable[] = [];
  /** Of restricted layers whose weights are no variables of the tape, since their gradients are products: what is left of the input, and the output. */
  readonly #products = new Map<number, { readonly left: CsrArrays; readonly out: Variable }>();
  readonly #makers: readonly ProductMaker[];
  #isRestricted = false;
  /** What the first layer beside the tape was last asked for: its rows and its values. */
  #rows: Int32Array | null = null;
  #begin: Variable | null = null;
  /** Those of its points that it will be restricted to, turned. */
  #turned: CsrArrays | null = null;

  constructor(layers: readonly Layer[], points: Points) {
    if (layers[0].weights.rows !== points.cols) {
      throw badValue('Pass', `points of ${layers[0].weights.rows} columns, as the network takes`, points.cols);
    }
    const isSparse = points instanceof CsrMatrix;
    this.#first = isSparse ? new SparseLayer(layers[0], points) : null;
    this.#layers = isSparse ? layers.slice(1) : layers;
    this.#makers = this.#layers.map((layer) => new ProductMaker(layer));
    this.#many = isSparse ? null : inputsOf(points);
    this.#few = isSparse ? null : inputsOf(points);
  }

  /** The output for these rows, all of them for null; whatever the last step made is over. */
  evaluate(rows: Int32Array | null): Variable {
    this.tape.reset();
    this.#parameters.length = this.#values.length = 0;
    this.#products.clear();
    this.#isRestricted = false;
    this.#turned = null;
    let value: Points | Variable = this.#first
      ? this.#beginWith(rows, this.#first.evaluate(rows, this.tape.workspace))
      : this.#many!.take(rows);
    let before = this.#first?.activation;
    for (const layer of this.#layers) {
      const { weights, bias, activation } = layer;
      const [w, b] = [this.tape.watch(weights), this.tape.watch(bias)];
      const known = before === 'relu' ? this.#fromRelu((value as Variable).value, layer) : null;
      value = this.tape.record(operations.dense, [value as Tensor, w, b], activation, 'dense', known);
      this.#parameters.push(w, b);
      this.#values.push(value);
      before = activation;
    }
    return value as Variable;
  }

  /**
   * Before `restrict` to these rows of the data: where the gradient of the first weights, which is a product, will have
   * entries. Null where that is not known.
   */
  startsFor(rows: Int32Array): Int32Array | null {
    this.#turned = this.#first?.turn(rows) ?? null;
    return this.#turned?.starts ?? null;
  }

  /**
   * The output for some of these rows alone: `places` among those evaluated, and the rows of the data they stand for. Once
   * in a step.
   */
  restrict(places: Int32Array, rows: Int32Array): Variable {
    if (this.#isRestricted) throw badValue('Pass.restrict', 'one call after evaluate', 'another one');
    this.#isRestricted = true;
    let value: Points | Variable = this.#begin
      ? this.#beginWith(rows, this.#gather(this.#begin, places))
      : this.#few!.take(rows);
    let before = this.#first?.activation;
    for (const [l, layer] of this.#layers.entries()) {
      const { weights, activation } = layer;
      const [w, b] = [this.#parameters[2 * l], this.#parameters[2 * l + 1]];
      const known = this.#gather(this.#values[l], places);
      const x = stopGradient(value as Variable);
      if (before === 'relu' && rows.length <= fewRows && this.#afterRelu.suits(x, layer)) {
        const left = this.#makers[l].leftOf(x);
        value = this.tape.record(denseOfFew, [value as Variable, weights, b], { activation, left }, 'dense', known);
        this.#products.set(l, { left, out: value });
      } else {
        value = this.tape.record(operations.dense, [value as Variable, w, b], activation, 'dense', known);
      }
      before = activation;
    }
    return value as Variable;
  }

  /** After `tape.backward`: one for each parameter, in the order of `Mlp.parameters`; null for those without influence. */
  gradients(): readonly (Tensor | ProductGradient | null)[] {
    const { workspace } = this.tape;
    const others: (Tensor | ProductGradient | null)[] = this.#parameters.map((parameter) => parameter.gradient);
    for (const [l, { left, out }] of this.#products) {
      const { value, gradient } = out;
      if (!gradient) continue;
      const arrived = slopeTimesGradient(this.#layers[l].activation, { value, gradient, workspace });
      const product = { ...this.#makers[l].turn(arrived.rows, left), arrived };
      // Where the root depends on the rows that were evaluated, too, both ways add up.
      const whole = this.#parameters[2 * l].gradient;
      others[2 * l] = whole ? expandProduct(product, this.#copy(whole), true) : product;
    }
    if (!this.#begin) return others;
    const { value, gradient } = this.#begin;
    if (!gradient) return [null, null, ...others];
    const turned = this.#turned ?? this.#first!.turn(this.#rows);
    const first = this.#first!.pullBack(turned, value, gradient, workspace);
    return [...first, ...others];
  }

  /** The layer's values; null where the tape may compute them. */
  #fromRelu(x: Tensor, layer: Layer): Tensor | null {
    if (!this.#afterRelu.suits(x, layer)) return null;
    const out = this.tape.workspace.take([x.rows, layer.weights.cols], 'single');
    this.#afterRelu.evaluate(x, layer, out);
    return out;
  }

  #copy({ shape, precision, data }: Tensor): Tensor {
    const out = this.tape.workspace.take(shape, precision);
    out.data.set(data);
    return out;
  }

  /** Some rows of a value, beside the tape. */
  #gather({ value: { cols, data, precision } }: Variable, places: Int32Array): Tensor {
    const out = this.tape.workspace.take([places.length, cols], precision);
    kernels.gatherRows(places.length, cols, places, data, out.data);
    return out;
  }

  #beginWith(rows: Int32Array | null, values: Tensor): Variable {
    this.#rows = rows;
    this.#begin = this.tape.watch(values);
    return this.#begin;
  }
}
