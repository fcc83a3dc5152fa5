/** Who does the jobs? One worker for each kind. */

import { describeData } from './data.ts';
import type { Workers } from './experiment.ts';
import { embedOneMoon, solveOneMoon, trainOneMoon } from './one-moon-jobs.ts';

export const workers: Workers = {
  data: describeData,
  linear: solveOneMoon,
  network: trainOneMoon,
  direct: embedOneMoon,
};
