/** Comparison of gradients with central differences, entry by entry. */

import { badKind, badValue } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { Random, type Seed } from '../core/random.ts';
import { reduceKernels } from '../wasm/families.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { type Operand, stopGradient, Tape, type Variable } from './tape.ts';

/** The step of the differences and the tolerance of the comparison. */
export interface GradientCheckOptions {
  /** Half the distance between the two arguments of a difference, relative to entries above 1. Default: ε^⅓. */
  readonly step?: number;
  /** The largest error that passes, relative to the largest entry of the gradient. Default: 100·ε^⅔. */
  readonly tolerance?: number;
  /** Seeds the random weights that reduce a result with many entries to one number. Default: 0. */
  readonly seed?: Seed;
}

const rules = { step: 'number', tolerance: 'number', seed: 'seed' } as const satisfies Rules<GradientCheckOptions>;

/** Whether the gradient agrees with the differences, and the entry with the largest error. */
export interface GradientCheck {
  readonly passes: boolean;
  readonly tolerance: number;
  /** The largest error of all entries, relative to the largest entry of the gradient, followed by its position and values. */
  readonly error: number;
  readonly input: number;
  readonly index: number;
  readonly computed: number;
  readonly expected: number;
}

/**
 * Differentiates f at the inputs, as variables of one tape, by `backward` and by central differences. f must be smooth
 * near the inputs: at the kink of a ReLU the two differ, without an error. Cost: two evaluations for every entry of every input.
 */
export function checkGradient(
  f: (...variables: Variable[]) => Variable,
  inputs: readonly Tensor[],
  options: GradientCheckOptions = {},
): GradientCheck {
  if (typeof f !== 'function') throw badKind('checkGradient', 'a function of variables', f);
  if (!Array.isArray(inputs)) throw badKind('checkGradient', 'an array of tensors', inputs);
  if (inputs.length === 0) throw badValue('checkGradient', 'at least one input', 'none');
  checkOptions('checkGradient', options, rules);
  const single = inputs.some((input) => input.precision === 'single');
  const epsilon = single ? 2 ** -23 : Number.EPSILON;
  const { step = Math.cbrt(epsilon), tolerance = 100 * Math.cbrt(epsilon) ** 2, seed = 0 } = options;
  const tape = new Tape();
  const random = new Random(seed);

  const variables = inputs.map((input) => tape.watch(input));
  const root = f(...variables);
  const weights = zeros(root.value.shape, root.value.precision);
  random.fillUniform(weights.data, 0.5, 1.5);
  for (let i = 1; i < weights.size; i += 2) weights.data[i] = -weights.data[i];
  tape.backward(root, weights);
  const gradients = variables.map((variable) => variable.gradient?.copy() ?? null);

  const evaluate = (): number => {
    tape.reset();
    const value = stopGradient(f(...inputs.map((input) => tape.watch(input))) as Operand);
    return reduceKernels().dot(value.size, value.data, weights.data);
  };
  let worst = { input: 0, index: 0, computed: 0, expected: 0 };
  let error = 0;
  let largest = 0;
  for (const [input, { data }] of inputs.entries()) {
    for (let index = 0; index < data.length; index++) {
      const expected = difference(data, index, step, evaluate);
      const computed = gradients[input]?.data[index] ?? 0;
      largest = Math.max(largest, Math.abs(expected));
      // A NaN counts as the largest error.
      if (Math.abs(computed - expected) <= error || Number.isNaN(error)) continue;
      error = Math.abs(computed - expected);
      worst = { input, index, computed, expected };
    }
  }
  if (error > 0) error /= Math.max(largest, Number.MIN_VALUE);
  return { passes: error <= tolerance, tolerance, error, ...worst };
}

/**
 * The central difference with respect to data[index]. Divides by the distance of the arguments after rounding. Restores the
 * entry, also if `evaluate` throws.
 */
function difference(data: Float32Array | Float64Array, index: number, step: number, evaluate: () => number): number {
  const middle = data[index];
  const width = step * Math.max(1, Math.abs(middle));
  try {
    const [above, high, below, low] = [width, -width].flatMap((move) => {
      data[index] = middle + move;
      return [data[index], evaluate()];
    });
    return (high - low) / (above - below);
  } finally {
    data[index] = middle;
  }
}
