/** Initial weights of a layer. */

import type { Random } from '../../core/random.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Writes weights (inputs×outputs) and bias. */
type Rule = (weights: Tensor, bias: Tensor, random: Random) => void;

/** The rules by name. */
export const initials = {
  /** Weights and bias uniform in ±1/√inputs, as the layers of most frameworks begin. */
  'fan-in': (weights, bias, random) => {
    const bound = 1 / Math.sqrt(weights.rows);
    random.fillUniform(weights.data, -bound, bound);
    random.fillUniform(bias.data, -bound, bound);
  },
  /** Normal with variance 2/inputs, which keeps the size of activations through relu; no bias. */
  he: (weights, bias, random) => {
    random.fillNormal(weights.data, 0, Math.sqrt(2 / weights.rows));
    bias.data.fill(0);
  },
  /** Uniform with variance 2/(inputs + outputs), which keeps the size of values and gradients; no bias. */
  glorot: (weights, bias, random) => {
    const bound = Math.sqrt(6 / (weights.rows + weights.cols));
    random.fillUniform(weights.data, -bound, bound);
    bias.data.fill(0);
  },
} satisfies Record<string, Rule>;

/** How weights begin: uniform in ±1/√inputs with bias ('fan-in'), or as He or Glorot proposed, without. */
export type Initial = keyof typeof initials;
