/** Which experiments are there? */

import { classical } from './classical.ts';
import { data } from './data.ts';
import type { Experiments } from './experiment.ts';
import { mnist, mnistEmbedding, mnistTen } from './mnist.ts';
import { oneMoonLinear } from './one-moon-linear.ts';
import { oneMoonCost, oneMoonEmbedding, oneMoonNetwork, oneMoonPencil } from './one-moon-network.ts';
import { scaling } from './scaling.ts';
import { twoMoons } from './two-moons.ts';

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
  classical,
  scaling,
};
