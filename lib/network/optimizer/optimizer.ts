/** How do gradients move parameters? By SGD with momentum, Adam or AdamW; their memory can be taken out and put back. */

import { badValue, checkChoice } from '../../core/check.ts';
import { kernels } from '../../kernels/table.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';
import { sameShape } from '../../tensor/workspace.ts';
import { batchKernels } from '../../wasm/simd/batch/twins.ts';
import { expandProduct, type ProductGradient } from './product-gradient.ts';

/** Which rule moves the parameters, with its constants. */
export type OptimizerOptions =
  | { readonly kind: 'sgd'; readonly momentum?: number }
  | { readonly kind: 'adam'; readonly beta1?: number; readonly beta2?: number; readonly epsilon?: number }
  /** Adam whose weights also shrink by rate·decay in every step (Loshchilov & Hutter). */
  | {
      readonly kind: 'adamw';
      readonly beta1?: number;
      readonly beta2?: number;
      readonly epsilon?: number;
      readonly decay?: number;
    };

/** Everything that a later run needs to go on with the same bits: tensors are copies. */
export interface OptimizerState {
  readonly kind: OptimizerOptions['kind'];
  readonly steps: number;
  readonly moments: readonly Tensor[];
}

const defaults = { momentum: 0, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decay: 0.01 } as const;
const momentsOf = { sgd: 1, adam: 2, adamw: 2 } as const;

/** Moves parameters by their gradients, in place, and remembers what its rule needs for that. */
export class Optimizer {
  readonly options: OptimizerOptions;
  readonly #parameters: readonly Tensor[];
  /** Velocities, or first and second moments: those of all parameters in turn, then the next kind. */
  readonly #moments: readonly Tensor[];
  readonly #settings: { momentum: number; beta1: number; beta2: number; epsilon: number; decay: number };
  #steps = 0;
  /** Of which parameter, and from which row on, rows without a gradient are moved already. */
  #begun: { readonly index: number; readonly row: number } | null = null;
  /** For gradients that are products, where they must be made. */
  readonly #rooms: Tensor[] = [];

  constructor(parameters: readonly Tensor[], options: OptimizerOptions = { kind: 'adam' }) {
    checkChoice('Optimizer', 'kind', options.kind, Object.keys(momentsOf));
    const { kind, ...rest } = options;
    this.#settings = { ...defaults, ...(kind === 'adamw' ? {} : { decay: 0 }), ...rest };
    const { momentum, beta1, beta2, epsilon, decay } = this.#settings;
    for (const [name, value] of Object.entries({ momentum, beta1, beta2 })) {
      if (!(value >= 0 && value < 1)) throw badValue('Optimizer', `${name} from 0 to below 1`, value);
    }
    if (!(epsilon > 0)) throw badValue('Optimizer', 'epsilon above 0', epsilon);
    if (!(decay >= 0)) throw badValue('Optimizer', 'decay of at least 0', decay);
    this.options = options;
    this.#parameters = parameters;
    this.#moments = Array.from({ length: momentsOf[kind] }, () =>
      parameters.map(({ shape, precision }) => zeros(shape, precision)),
    ).flat();
  }

  /** Steps made so far. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Begins the next step where it is known already what becomes of some rows of a matrix: parameter `index` will have a
   * product as its gradient, with these starts and at this rate, and rows without an entry have none. Threads do it while
   * the caller finds out about the others; until `step`, which must follow with a product, nobody may look at this parameter.
   */
  begin(index: number, starts: Int32Array, rate: number): void {
    if (this.options.kind === 'sgd' || this.#settings.decay !== 0) return;
    const { beta1, beta2 } = this.#settings;
    const [length, least] = this.#lengths(this.#steps + 1, rate);
    const { rows, cols, data } = this.#parameters[index];
    const [moment, square] = [index, this.#parameters.length + index].map((i) => this.#moments[i].data);
    const row = batchKernels().beginAdam(rows, cols, starts, length, beta1, beta2, least, moment, square, data);
    this.#begun = { index, row };
  }

  /** Waits for those who are at what was begun, and forgets it, as after a failure. Returns what that was. */
  settle(): { readonly index: number; readonly row: number } | null {
    const begun = this.#begun;
    if (begun) batchKernels().settleAdam();
    this.#begun = null;
    return begun;
  }

  /** Moves every parameter that has a gradient, by this rate. */
  step(gradients: readonly (Tensor | ProductGradient | null)[], rate: number): void {
    if (gradients.length !== this.#parameters.length) {
      throw badValue(
        'Optimizer.step',
        `${this.#parameters.length} gradients, one for each parameter`,
        gradients.length,
      );
    }
    const begun = this.settle();
    const given = begun && gradients[begun.index];
    if (begun && (!given || given instanceof Tensor)) {
      const got = given ? 'a whole gradient' : 'none';
      throw badValue('Optimizer.step', `a product for parameter ${begun.index}, with which it was begun`, got);
    }
    this.#steps++;
    const { momentum, beta1, beta2, decay } = this.#settings;
    const [length, least] = this.#lengths(this.#steps, rate);
    for (const [i, parameter] of this.#parameters.entries()) {
      const gradient = gradients[i];
      if (!gradient) continue;
      const { size, data } = parameter;
      const moment = this.#moments[i].data;
      if (this.options.kind === 'sgd') {
        const all =
          gradient instanceof Tensor
            ? gradient
            : expandProduct(gradient, (this.#rooms[i] ??= zeros(parameter.shape, parameter.precision)));
        kernels.sgdStep(size, rate, momentum, all.data, moment, data);
        continue;
      }
      const square = this.#moments[this.#parameters.length + i].data;
      const numbers = [length, beta1, beta2, least, rate * decay] as const;
      if (gradient instanceof Tensor) {
        kernels.adamStep(size, ...numbers, gradient.data, moment, square, data);
      } else {
        const { starts, columns, values, arrived } = gradient;
        const { rows, cols } = parameter;
        const { adamProduct } = batchKernels();
        const from = i === begun?.index ? begun.row : rows;
        adamProduct(rows, cols, starts, columns, values, arrived.data, ...numbers, moment, square, data, from);
      }
    }
  }

  /** Rate and epsilon, with both corrections of the bias towards zero folded in. */
  #lengths(steps: number, rate: number): [length: number, least: number] {
    const { beta1, beta2, epsilon } = this.#settings;
    const second = Math.sqrt(1 - beta2 ** steps);
    return [(rate * second) / (1 - beta1 ** steps), epsilon * second];
  }

  state(): OptimizerState {
    return { kind: this.options.kind, steps: this.#steps, moments: this.#moments.map((moment) => moment.copy()) };
  }

  /** Goes on from a state of an optimizer of the same kind for parameters of the same shapes. */
  restore({ kind, steps, moments }: OptimizerState): void {
    if (kind !== this.options.kind) {
      throw badValue('Optimizer.restore', `the state of ${this.options.kind}, as this optimizer is`, kind);
    }
    const fits =
      moments.length === this.#moments.length &&
      moments.every(({ shape }, i) => sameShape(shape, this.#moments[i].shape));
    if (!fits) throw badValue('Optimizer.restore', 'the state of an optimizer for these parameters', 'another one');
    this.settle();
    this.#steps = steps;
    for (const [i, { data }] of this.#moments.entries()) data.set(moments[i].data);
  }
}
