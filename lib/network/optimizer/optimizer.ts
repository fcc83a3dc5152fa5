/** SGD with momentum, Adam and AdamW. Their state can be saved and restored. */

import { badValue, showShape } from '../../core/check.ts';
import { checkVariant, defined, type RulesByKind } from '../../core/options.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';
import { sameShape } from '../../tensor/workspace.ts';
import { gradientKernels, optimizerKernels } from '../../wasm/families.ts';
import { expandProduct, type Gradient, type PendingGradients, type ProductGradient } from './gradient.ts';

/** Which rule moves the parameters, with its constants. */
export type OptimizerOptions =
  | { readonly kind: 'sgd'; readonly momentum?: number }
  | { readonly kind: 'adam'; readonly beta1?: number; readonly beta2?: number; readonly epsilon?: number }
  /** Adam whose parameters also shrink by rate·decay in every step (Loshchilov & Hutter). */
  | {
      readonly kind: 'adamw';
      readonly beta1?: number;
      readonly beta2?: number;
      readonly epsilon?: number;
      readonly decay?: number;
    };

const adamRules = { kind: 'any', beta1: 'number', beta2: 'number', epsilon: 'number' } as const;
const rules: RulesByKind<OptimizerOptions> = {
  sgd: { kind: 'any', momentum: 'number' },
  adam: adamRules,
  adamw: { ...adamRules, decay: 'number' },
};

/** Refuses anything but options of an optimizer as the option `name`. */
export function checkOptimizer(caller: string, name: string, options: OptimizerOptions): void {
  checkVariant(caller, options, rules, name);
}

/** Everything that a later run needs to continue with the same bits. The tensors are copies. */
export interface OptimizerState {
  readonly kind: OptimizerOptions['kind'];
  readonly steps: number;
  readonly moments: readonly Tensor[];
}

const defaults = { momentum: 0, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decay: 0.01 } as const;
/** Moments of each parameter: velocities, or first and second moments. */
export const momentsOf = { sgd: 1, adam: 2, adamw: 2 } as const;

/** Rows of parameter `index` that have no gradient, from row `from` on. Threads move them in the background. */
interface EmptyRows {
  readonly index: number;
  readonly from: number;
}

/** Moves parameters by their gradients, in place. Keeps the moments of its rule. */
export class Optimizer {
  readonly options: OptimizerOptions;
  readonly #parameters: readonly Tensor[];
  /** The first moments (velocities for SGD) of all parameters, then the second moments of all parameters. */
  readonly #moments: readonly Tensor[];
  readonly #settings: { momentum: number; beta1: number; beta2: number; epsilon: number; decay: number };
  #steps = 0;
  /** Buffers for products that must be multiplied out. */
  readonly #expanded: Tensor[] = [];

  constructor(parameters: readonly Tensor[], options: OptimizerOptions = { kind: 'adam' }) {
    checkOptimizer('Optimizer', '', options);
    const { kind, ...rest } = defined(options);
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
   * Moves every parameter that has a gradient, at this rate. Computes pending gradients. Meanwhile other threads move the
   * rows that will have no gradient: if a gradient cannot be computed or does not fit, only these rows have moved.
   */
  step(gradients: readonly Gradient[] | PendingGradients, rate: number): void {
    if (!(rate >= 0 && rate < Infinity)) throw badValue('Optimizer.step', 'a finite rate of at least 0', rate);
    if (isList(gradients)) return this.#move(gradients, rate, null);
    const started = this.#startEmptyRows(gradients.starts, rate);
    try {
      this.#move(gradients.compute(), rate, started);
    } finally {
      if (started) gradientKernels().finishAdam();
    }
  }

  #move(gradients: readonly Gradient[], rate: number, started: EmptyRows | null): void {
    const caller = 'Optimizer.step';
    if (gradients.length !== this.#parameters.length) {
      throw badValue(caller, `${this.#parameters.length} gradients, one for each parameter`, gradients.length);
    }
    const announced = started && gradients[started.index];
    if (started && (!announced || announced instanceof Tensor)) {
      throw badValue(caller, `a product for parameter ${started.index}, as announced`, announced ? 'a tensor' : 'none');
    }
    for (const [i, gradient] of gradients.entries()) checkGradientShape(caller, this.#parameters[i], gradient, i);
    this.#steps++;
    for (const [i, gradient] of gradients.entries()) {
      if (!gradient) continue;
      if (this.options.kind === 'sgd') this.#moveBySgd(i, gradient, rate);
      else this.#moveByAdam(i, gradient, rate, started?.index === i ? started.from : this.#parameters[i].rows);
    }
  }

  #moveBySgd(index: number, gradient: Tensor | ProductGradient, rate: number): void {
    const { size, data, shape, precision } = this.#parameters[index];
    const whole =
      gradient instanceof Tensor
        ? gradient
        : expandProduct(gradient, (this.#expanded[index] ??= zeros(shape, precision)));
    optimizerKernels().sgdStep(size, rate, this.#settings.momentum, whole.data, this.#moments[index].data, data);
  }

  /** From row `movedFrom` on, rows without an entry in a product have been moved already. */
  #moveByAdam(index: number, gradient: Tensor | ProductGradient, rate: number, movedFrom: number): void {
    const { rows, cols, size } = this.#parameters[index];
    const { numbers, arrays } = this.#adamOperands(index, this.#steps, rate);
    const decay = rate * this.#settings.decay;
    if (gradient instanceof Tensor)
      return optimizerKernels().adamStep(size, ...numbers, decay, gradient.data, ...arrays);
    const { starts, columns, values, delta } = gradient;
    const { adamProduct } = gradientKernels();
    adamProduct(rows, cols, starts, columns, values, delta.data, ...numbers, decay, ...arrays, movedFrom);
  }

  /** Starts Adam in the background for rows of a matrix that will have no gradient in this step. */
  #startEmptyRows(allStarts: readonly (Int32Array | null)[], rate: number): EmptyRows | null {
    const index = allStarts.findIndex((starts) => starts !== null);
    if (index < 0 || this.options.kind === 'sgd' || this.#settings.decay !== 0) return null;
    const { rows, cols } = this.#parameters[index];
    const { numbers, arrays } = this.#adamOperands(index, this.#steps + 1, rate);
    return { index, from: gradientKernels().startAdam(rows, cols, allStarts[index]!, ...numbers, ...arrays) };
  }

  /** The operands of the Adam kernels. The rate includes both bias corrections, and epsilon that of the second moments. */
  #adamOperands(index: number, steps: number, rate: number) {
    const { beta1, beta2, epsilon } = this.#settings;
    const correction = Math.sqrt(1 - beta2 ** steps);
    const length = (rate * correction) / (1 - beta1 ** steps);
    const tensors = [this.#moments[index], this.#moments[this.#parameters.length + index], this.#parameters[index]];
    const [first, second, parameters] = tensors.map(({ data }) => data);
    return {
      numbers: [length, beta1, beta2, epsilon * correction] as const,
      arrays: [first, second, parameters] as const,
    };
  }

  state(): OptimizerState {
    return { kind: this.options.kind, steps: this.#steps, moments: this.#moments.map((moment) => moment.copy()) };
  }

  /** Continues from the state of an optimizer of the same kind, for parameters of the same shapes. */
  restore({ kind, steps, moments }: OptimizerState): void {
    if (kind !== this.options.kind) {
      throw badValue('Optimizer.restore', `the state of ${this.options.kind}, the kind of this optimizer`, kind);
    }
    const fits =
      moments.length === this.#moments.length &&
      moments.every(({ shape }, i) => sameShape(shape, this.#moments[i].shape));
    if (!fits) throw badValue('Optimizer.restore', 'the state of an optimizer for these parameters', 'other shapes');
    this.#steps = steps;
    for (const [i, { data }] of this.#moments.entries()) data.set(moments[i].data);
  }
}

function isList(gradients: readonly Gradient[] | PendingGradients): gradients is readonly Gradient[] {
  return Array.isArray(gradients);
}

/** Kernels read as many numbers as the parameter has. */
function checkGradientShape(caller: string, { shape, rows, cols }: Tensor, gradient: Gradient, index: number): void {
  if (!gradient) return;
  const fits =
    gradient instanceof Tensor
      ? sameShape(gradient.shape, shape)
      : gradient.starts.length === rows + 1 && gradient.delta.cols === cols;
  if (fits) return;
  const got = gradient instanceof Tensor ? gradient.shape : [gradient.starts.length - 1, gradient.delta.cols];
  throw badValue(caller, `a gradient of parameter ${index} to be ${showShape(shape)}, as that is`, showShape(got));
}
