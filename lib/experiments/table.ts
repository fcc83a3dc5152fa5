/** Which experiments are there? */

import { classical } from './classical.ts';
import { data } from './data.ts';
import type { Experiments } from './experiment.ts';
import { mnist, mnistTen } from './mnist.ts';
import { mnistEmbedding } from './mnist-embedding.ts';
import { oneMoonCost } from './one-moon-cost.ts';
import { oneMoonEmbedding } from './one-moon-embedding.ts';
import { oneMoonLinear } from './one-moon-linear.ts';
import { oneMoonNetwork } from './one-moon-network.ts';
import { oneMoonPencil } from './one-moon-pencil.ts';
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
