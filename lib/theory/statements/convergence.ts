/** Where do iterations end? From anywhere, and from beside a saddle, at the bottom. */

import { kernels } from '../../kernels/table.ts';
import { workingStep } from './bounds.ts';
import type { Formulas } from '../instances/formulas.ts';
import type { Instance } from '../instances/instances.ts';
import { iterate, partition } from '../instances/iteration.ts';
import {
  leading,
  leastValue,
  normalRows,
  rotated,
  slopeOf,
  stationaryPoint,
  subsets,
  valueOf,
} from '../instances/landscape.ts';
import { type Eigenpairs, eigenpairs, type SmallPencil } from '../instances/small-pencil.ts';
import type { PencilStatement } from '../instances/statement.ts';

/** So many are waited for. */
export const mostSweeps = 60_000;

/** K positive eigenvalues and a gap after them, wide enough for iterations that end soon. */
export function isClear({ values }: Eigenpairs, width: number): boolean {
  const least = 0.05;
  return width < values.length && values[width - 1] >= least && values[width - 1] - values[width] >= least;
}

/** Of the gradient: from 1e-8 beside a saddle to 1, and from there to 3e-11, with a little to spare. */
const logarithms = 50;

/**
 * Do `mostSweeps` take iterations to their end? In Z curvatures are at least min D times those in X = D^½Z, and the step is
 * in the inverse of max D: rows of very uneven degrees creep.
 */
function endsInTime({ mass }: SmallPencil, { values }: Eigenpairs, width: number, step: number): boolean {
  const least = Math.min(4 * (values[width - 1] - values[width]), 8 * values[width - 1]);
  return mostSweeps * step * Math.min(...mass) * least >= logarithms;
}

export const convergence: PencilStatement = {
  about: 'pencils',
  label: 'thm:convergence',
  claim: 'from random points, and from 1e-8 beside a saddle, block descent with a constant step reaches f*',
  printed: null,
  expected: 'holds',
  instances: 200,
  check(instance, formulas) {
    const { pencil, components: width } = instance;
    const pairs = eigenpairs(pencil);
    const { values } = pairs;
    if (!isClear(pairs, width) || !endsInTime(pencil, pairs, width, workingStep(pencil, values))) return null;
    const beside = besideSaddle(instance);
    if (!beside) return null;
    const least = leastValue(pairs, width);
    const scale = Math.max(1, values[0] ** 2);
    const ends = [normalRows(instance.random, pencil, width, Math.sqrt(values[0] / pencil.size)), beside].map((start) =>
      descendTo(instance, start, values, formulas),
    );
    const [random, saddle] = ends.map(({ value, sweeps }) => ({ apart: Math.abs(value - least) / scale, sweeps }));
    return {
      findings: [
        { what: 'f at the end less f*, from a random point', measured: random.apart, bound: 1e-10 },
        { what: 'f at the end less f*, from beside a saddle', measured: saddle.apart, bound: 1e-10 },
      ],
      notes: [
        { what: 'sweeps from a random point', value: random.sweeps },
        { what: 'sweeps from beside a saddle', value: saddle.sweeps },
      ],
    };
  },
};

/** Sweeps of blocks until the gradient, in X = D^½Z, is what rounding leaves of it. */
function descendTo(
  { pencil, components: width, random }: Instance,
  start: Float64Array,
  values: Float64Array,
  formulas: Formulas,
): { value: number; sweeps: number } {
  const parts = partition(random, pencil.size, random.uniform() < 0.5 ? pencil.size : 3);
  const run = iterate(pencil, width, start, formulas, workingStep(pencil, values));
  let sweeps = 0;
  // Beside a saddle the gradient is about 1e-8 at first: less than a hundredth of it comes of a minimiser alone.
  do {
    for (let inner = 0; inner < 20; inner++) for (const part of parts) run.step(part);
    sweeps += 20;
  } while (sweeps < mostSweeps && slopeOf(pencil, width, run.rows, formulas) > 3e-11);
  return { value: valueOf(pencil, width, run.rows), sweeps };
}

function besideSaddle({ pencil, components: width, random }: Instance): Float64Array | null {
  const pairs = eigenpairs(pencil);
  const positive = pairs.values.filter((value) => value > 0).length;
  const sets = subsets(positive, width).filter((set) => leading(pairs, width).some((i) => !set.includes(i)));
  if (sets.length === 0) return null;
  const set = sets[random.integer(sets.length)];
  const saddle = rotated(random, width, stationaryPoint(pencil, pairs, set, width));
  const shift = normalRows(random, pencil, width, 1e-8);
  kernels.add(shift.length, saddle, shift, shift);
  return shift;
}
