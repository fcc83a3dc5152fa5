/** The statement that iterations converge to the minimum, from random points and from points near a saddle. */

import { kernels } from '../../../kernels/table.ts';
import { workingStep } from './bounds.ts';
import type { Formulas } from '../../instances/formulas.ts';
import type { Instance } from '../../instances/instances.ts';
import { iterate, partition } from '../../instances/iteration.ts';
import {
  gradientNorm,
  leastValue,
  normalRows,
  rotated,
  saddleSets,
  stationaryPoint,
  valueOf,
} from '../../instances/landscape.ts';
import { type Eigenpairs, eigenpairs, type SmallPencil } from '../../instances/small-pencil.ts';
import type { PencilCheck } from '../../instances/statement.ts';

/** The maximal number of sweeps. */
export const maxSweeps = 60_000;

/** Whether there are K positive eigenvalues and a gap after them that is wide enough for fast convergence. */
export function hasClearGap({ values }: Eigenpairs, width: number): boolean {
  const least = 0.05;
  return width < values.length && values[width - 1] >= least && values[width - 1] - values[width] >= least;
}

/**
 * The change of log ‖gradient‖ along an iteration: growth from 1e-8 near a saddle to 1, decay from there to 3e-11, and a
 * margin.
 */
const logChange = 50;

/**
 * Whether iterations converge within `maxSweeps`. Curvatures in Z are at least min D times those in X = D^½Z, and the step
 * is proportional to 1/max D, so that iterations are slow if degrees differ much.
 */
function convergesInTime({ mass }: SmallPencil, { values }: Eigenpairs, width: number, step: number): boolean {
  const least = Math.min(4 * (values[width - 1] - values[width]), 8 * values[width - 1]);
  return maxSweeps * step * Math.min(...mass) * least >= logChange;
}

export const convergence: PencilCheck = {
  about: 'pencils',
  check(instance, formulas) {
    const { pencil, components: width } = instance;
    const pairs = eigenpairs(pencil);
    const { values } = pairs;
    if (!hasClearGap(pairs, width) || !convergesInTime(pencil, pairs, width, workingStep(pencil, values))) return null;
    const nearSaddle = pointNearSaddle(instance);
    if (!nearSaddle) return null;
    const least = leastValue(pairs, width);
    const scale = Math.max(1, values[0] ** 2);
    const ends = [normalRows(instance.random, pencil, width, Math.sqrt(values[0] / pencil.size)), nearSaddle].map(
      (start) => descend(instance, start, values, formulas),
    );
    const [random, saddle] = ends.map(({ value, sweeps }) => ({ excess: Math.abs(value - least) / scale, sweeps }));
    return {
      findings: [
        { what: 'final f minus f*, from a random point', measured: random.excess, bound: 1e-10 },
        { what: 'final f minus f*, from near a saddle', measured: saddle.excess, bound: 1e-10 },
      ],
      notes: [
        { what: 'sweeps from a random point', value: random.sweeps },
        { what: 'sweeps from near a saddle', value: saddle.sweeps },
      ],
    };
  },
};

/** Block descent until the gradient in X = D^½Z is at the level of rounding. */
function descend(
  { pencil, components: width, random }: Instance,
  start: Float64Array,
  values: Float64Array,
  formulas: Formulas,
): { value: number; sweeps: number } {
  const parts = partition(random, pencil.size, random.uniform() < 0.5 ? pencil.size : 3);
  const run = iterate(pencil, width, start, formulas, workingStep(pencil, values));
  let sweeps = 0;
  // Near a saddle the gradient is about 1e-8 at first. Only near a minimizer does it fall below a hundredth of that.
  do {
    for (let inner = 0; inner < 20; inner++) for (const part of parts) run.step(part);
    sweeps += 20;
  } while (sweeps < maxSweeps && gradientNorm(pencil, width, run.rows, formulas) > 3e-11);
  return { value: valueOf(pencil, width, run.rows), sweeps };
}

/** A point at about 1e-8 from a random saddle; null if there is no saddle. */
function pointNearSaddle({ pencil, components: width, random }: Instance): Float64Array | null {
  const pairs = eigenpairs(pencil);
  const sets = saddleSets(pairs, width);
  if (sets.length === 0) return null;
  const set = sets[random.integer(sets.length)];
  const saddle = rotated(random, width, stationaryPoint(pencil, pairs, set, width));
  const shift = normalRows(random, pencil, width, 1e-8);
  kernels.add(shift.length, saddle, shift, shift);
  return shift;
}
