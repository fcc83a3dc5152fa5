/** Who does the jobs? One worker for each kind. */

import { describeData } from './data.ts';
import type { Workers } from './experiment.ts';
import { embedMnist, trainMnist } from './mnist-jobs.ts';
import { embedOneMoon, solveOneMoon, trainOneMoon } from './one-moon-jobs.ts';
import { measureScaling } from './scaling.ts';
import { embedTwoMoons, trainTwoMoons } from './two-moons-jobs.ts';

export const workers: Workers = {
  data: describeData,
  linear: solveOneMoon,
  network: trainOneMoon,
  direct: embedOneMoon,
  'two-moons': trainTwoMoons,
  'two-moons-direct': embedTwoMoons,
  mnist: trainMnist,
  'mnist-direct': embedMnist,
  scaling: measureScaling,
};
