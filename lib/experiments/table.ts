/** The table of experiments. */

import { classical } from './recipes/classical.ts';
import { corrected } from './recipes/corrected.ts';
import { data } from './recipes/data.ts';
import type { Experiments } from './shared/experiment.ts';
import { mnist, mnistTen } from './recipes/mnist/mnist.ts';
import { mnistEmbedding } from './recipes/mnist/embedding.ts';
import { oneMoonCost } from './recipes/one-moon/cost.ts';
import { oneMoonEmbedding } from './recipes/one-moon/embedding.ts';
import { oneMoonLinear } from './recipes/one-moon/linear.ts';
import { oneMoonNetwork } from './recipes/one-moon/network.ts';
import { oneMoonPencil } from './recipes/one-moon/pencil.ts';
import { scaling } from './recipes/scaling.ts';
import { twoMoons } from './recipes/two-moons/two-moons.ts';

/** In the order of the report. */
export const experiments: Experiments = {
  data,
  'one-moon-linear': oneMoonLinear,
  'one-moon-network': oneMoonNetwork,
  'one-moon-cost': oneMoonCost,
  'one-moon-embedding': oneMoonEmbedding,
  'one-moon-pencil': oneMoonPencil,
  'two-moons': twoMoons,
  mnist,
  'mnist-k10': mnistTen,
  'mnist-embedding': mnistEmbedding,
  corrected,
  classical,
  scaling,
};
