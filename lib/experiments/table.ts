/** Which experiments are there? */

import { data } from './data.ts';
import type { Experiments } from './experiment.ts';
import { oneMoonLinear } from './one-moon-linear.ts';

/** In the order of the report. */
export const experiments: Experiments = {
  data,
  'one-moon-linear': oneMoonLinear,
};
