/** Statements on the rate of convergence: with the theorem's step, with a practical step, and as the Hessian predicts. */

import { symmetricEigen } from '../../../linalg/eigen.ts';
import { hasClearGap, maxSweeps } from './convergence.ts';
import { ballConstants, type Formulas, printedBound } from '../../instances/formulas.ts';
import { iterate } from '../../instances/iteration.ts';
import {
  curvatures,
  fromX,
  gradientNorm,
  gradientOf,
  hessianOf,
  minimizerOf,
  norm,
} from '../../instances/landscape.ts';
import { allRows, eigenpairs, normalized, rescaled, type SmallPencil } from '../../instances/small-pencil.ts';
import type { PencilCheck } from '../../instances/statement.ts';

/** The number of sweeps with the theorem's step. The rest is extrapolated. */
const measuredSweeps = 4000;
/** The number of nodes of random pencils, and the least number of nodes of the user's own. */
const requiredNodes = 10;
/** If the gradient falls by less in all sweeps, rounding hides its rate, which is checked to a thousandth. */
const leastFall = 1e-5;
/** The relative distance of the start from the minimizer. */
const offset = 1e-5;
/** The largest ratio of curvatures. Beyond it, terms of second order in `offset` hide the slowest direction. */
const widestSpread = 300;

export const theoremStep: PencilCheck = {
  about: 'pencils',
  check(instance, formulas) {
    const { components: width, given, ofGraph } = instance;
    const { size } = instance.pencil;
    const pencil = rescaled(instance.pencil, 1 / size);
    const pairs = eigenpairs(pencil);
    // With fewer nodes the theorem's step is not that small.
    if (!ofGraph || (given ? size < requiredNodes : size !== requiredNodes)) return null;
    if (!hasClearGap(pairs, width)) return null;
    const { leastRadius, steps } = ballConstants(pencil);
    const { root, inverse } = steps(leastRadius, width);
    const third = 1 / (width * printedBound(pencil, width, leastRadius) * size);
    const z = minimizerOf(pencil, pairs, width);
    const slow = slowestMode(pencil, width, z);
    const start = z.map((entry, p) => entry + offset * norm(z) * slow.direction[p]);
    const length = 0.999 * Math.min(root, inverse, third);
    if (measuredSweeps * length * slow.least < leastFall || slow.most > widestSpread * slow.least) return null;
    const sweepsWith = (step: number) => startSweeps(pencil, width, start, step, formulas);
    const rate = -Math.log(shrinkage(sweepsWith(length), measuredSweeps)) / measuredSweeps;
    const practicalStep = 2 / (slow.least + slow.most);
    const practical = sweepsUntil(sweepsWith(practicalStep), 1e-6);
    const sweeps = Math.log(1e6) / rate;
    const decades = {
      what: 'decades between its sweeps and 10⁷, n = 10',
      measured: Math.abs(Math.log10(sweeps) - 7),
      bound: 2,
    };
    return {
      findings: [
        { what: '1/(16M(R)) in units of the other two bounds', measured: inverse / Math.min(root, third), bound: 1 },
        {
          what: 'rate minus that of the Hessian, relative',
          measured: Math.abs(rate / (length * slow.least) - 1),
          bound: 1e-3,
        },
        {
          what: 'sweeps of a practical step over those of the theorem’s',
          measured: practical / sweeps,
          bound: 1e-3,
        },
        // Random pencils have ten nodes. The weights of the user's own may differ by any factor.
        ...(given ? [] : [decades]),
      ],
      notes: [
        { what: 'the theorem’s step on (W/n, D/n)', value: length },
        { what: `its sweeps for a factor of 10⁶, extrapolated from ${measuredSweeps}`, value: sweeps },
        { what: 'sweeps of a practical step for the same, not extrapolated', value: practical },
      ],
    };
  },
};

/** The least curvature that does not belong to a rotation, its direction, and the largest curvature, in Z. */
function slowestMode(pencil: SmallPencil, width: number, z: Float64Array) {
  const { values, vectors } = symmetricEigen(hessianOf(pencil, width, z));
  const at = values.length - 1 - (width * (width - 1)) / 2;
  const direction = Float64Array.from(values, (_, p) => vectors.data[p * values.length + at]);
  return { least: values[at], most: values[0], direction };
}

/** An iteration from z: `sweep` steps all rows at once, `gradient` is the norm of the current gradient. */
function startSweeps(pencil: SmallPencil, width: number, z: Float64Array, length: number, formulas: Formulas) {
  const run = iterate(pencil, width, z, formulas, length);
  const rows = allRows(pencil.size);
  return {
    sweep: (): void => run.step(rows),
    gradient: (): number => norm(gradientOf(pencil, width, run.rows, formulas)),
  };
}

/** The ratio of the gradient after `sweeps` sweeps to the first one. */
function shrinkage({ sweep, gradient }: ReturnType<typeof startSweeps>, sweeps: number): number {
  const first = gradient();
  for (let done = 0; done < sweeps; done++) sweep();
  return gradient() / first;
}

/** The number of sweeps until the gradient is at most `factor` times the first one. */
function sweepsUntil({ sweep, gradient }: ReturnType<typeof startSweeps>, factor: number): number {
  const target = factor * gradient();
  let sweeps = 0;
  for (; sweeps < maxSweeps && gradient() > target; sweeps++) sweep();
  return sweeps;
}

export const localRate: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const pairs = eigenpairs(pencil);
    const { values } = pairs;
    if (!hasClearGap(pairs, width)) return null;
    const unit = normalized(pencil);
    const bottom = minimizerOf(unit, pairs, width);
    const { direction, most } = slowestMode(unit, width, bottom);
    const least = Math.min(4 * (values[width - 1] - values[width]), 8 * values[width - 1]);
    const next = curvatures(hessianOf(unit, width, bottom)).findLast((value) => value > least * (1 + 1e-6)) ?? most;
    // If the next slowest direction is hardly faster, rounding sets in before the slowest one dominates.
    if (next < 1.5 * least) return null;
    const length = 1 / most;
    const near = bottom.map((entry, p) => entry + 1e-4 * direction[p] + 1e-6 * random.normal());
    const start = fromX(pencil, width, near);
    const run = iterate(pencil, width, start, formulas, { precondition: 'degree', length });
    const rows = allRows(pencil.size);
    const currentNorm = (): number => gradientNorm(pencil, width, run.rows, formulas);
    let before = currentNorm();
    let factor = 0;
    const end = 1e-4 * before;
    for (let step = 0; step < maxSweeps && before > end; step++) {
      run.step(rows);
      const after = currentNorm();
      factor = after / before;
      before = after;
    }
    return {
      findings: [
        {
          what: 'factor of a step minus (1 − ℓ·least curvature)',
          measured: Math.abs(factor - (1 - length * least)),
          bound: 1e-6,
        },
      ],
    };
  },
};
