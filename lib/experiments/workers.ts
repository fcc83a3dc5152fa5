/** The table of workers, one for each kind of job. */

import { describeData } from './recipes/data.ts';
import type { Workers } from './shared/experiment.ts';
import { embedMnist, trainMnist } from './recipes/mnist/jobs.ts';
import { embedOneMoon, solveOneMoon, trainOneMoon } from './recipes/one-moon/jobs.ts';
import { measureScaling } from './recipes/scaling.ts';
import { embedTwoMoons, trainTwoMoons } from './recipes/two-moons/jobs.ts';

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
