/** Multilayer perceptrons: networks whose initial weights are drawn at random. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Activation } from '../../kernels/types.ts';
import { type Precision, precisions, type Tensor, zeros } from '../../tensor/tensor.ts';
import { type Initial, initials } from '../layers/initial.ts';
import { activations, checkMemory, Network } from './network.ts';

/** The activation of the hidden layers, and their initial weights. */
export interface MlpOptions {
  /** Of the hidden layers. Default: 'relu'. */
  readonly activation?: Exclude<Activation, 'identity'>;
  /** Default: 'fan-in'. */
  readonly initial?: Initial;
  readonly precision?: Precision;
  readonly seed?: Seed;
}

const rules: Rules<MlpOptions> = {
  activation: activations,
  initial: Object.keys(initials),
  precision: precisions,
  seed: 'seed',
};

/** A network whose parameters change as it learns; nothing else does. */
export class Mlp extends Network {
  /** `sizes`: columns of the input, units of each hidden layer, columns of the output. */
  constructor(sizes: readonly number[], options: MlpOptions = {}) {
    checkOptions('Mlp', options, rules);
    super(options.activation ?? 'relu', drawParameters(sizes, options));
  }
}

/** Initial weights and bias, layer by layer. */
function drawParameters(sizes: readonly number[], options: MlpOptions): Tensor[] {
  const { initial = 'fan-in', precision = 'single', seed = 0 } = options;
  if (!Array.isArray(sizes) || sizes.length < 2) throw badValue('Mlp', 'sizes of at least input and output', sizes);
  for (const size of sizes) checkCount('Mlp', 'a size', size, 1);
  checkMemory('Mlp', sizes, precision);
  const random = new Random(seed);
  return sizes.slice(1).flatMap((outputs, l) => {
    const weights = zeros([sizes[l], outputs], precision);
    const bias = zeros([outputs], precision);
    initials[initial](weights, bias, random.fork(`layer ${l}`));
    return [weights, bias];
  });
}
