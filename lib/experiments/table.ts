/** Which experiments are there? */

import { data } from './data.ts';
import type { Experiments } from './experiment.ts';
import { oneMoonLinear } from './one-moon-linear.ts';
import { oneMoonCost, oneMoonEmbedding, oneMoonNetwork, oneMoonPencil } from './one-moon-network.ts';

/** In the order of the report. */
export const experiments: Experiments = {
  data,
  'one-moon-linear': oneMoonLinear,
  'one-moon-network': oneMoonNetwork,
  'one-moon-cost': oneMoonCost,
  'one-moon-embedding': oneMoonEmbedding,
  'one-moon-pencil': oneMoonPencil,
};
