/** How fast do iterations fall? By the theorem's own step, by one that works, and as the Hessian predicts. */

import { symmetricEigen } from '../../linalg/eigen.ts';
import { isClear, mostSweeps } from './convergence.ts';
import { ballConstants, type Formulas, printedBound } from '../instances/formulas.ts';
import { iterate } from '../instances/iteration.ts';
import {
  curvatures,
  fromX,
  gradientOf,
  hessianOf,
  leading,
  norm,
  slopeOf,
  stationaryPoint,
} from '../instances/landscape.ts';
import { allRows, eigenpairs, normalized, rescaled, type SmallPencil } from '../instances/small-pencil.ts';
import type { PencilStatement } from '../instances/statement.ts';

/** Sweeps over which the theorem's own step is followed; the rest is extrapolated. */
const followed = 4000;
/** Of the pencils that are drawn, and the fewest of one that is given. */
const nodes = 10;
/** A gradient that falls by less in all of them is not told from rounding to a thousandth. */
const leastFall = 1e-5;
/** How far beside the minimiser it is begun, and how many times the least curvature the largest may be, so that what is
 * left of the square of that does not hide the slowest way. */
const beside = 1e-5;
const widestSpread = 300;

export const theoremStep: PencilStatement = {
  about: 'pencils',
  label: 'thm:convergence, bound on the step',
  claim:
    '1/(16M(R)) is the least of the three bounds; at n = 10 such a step falls as the Hessian says, 10⁵ to 10⁹ sweeps for a factor of 10⁶',
  printed: null,
  expected: 'holds',
  instances: 20,
  check(instance, formulas) {
    const { components: width, given, ofGraph } = instance;
    const { size } = instance.pencil;
    const pencil = rescaled(instance.pencil, 1 / size);
    const pairs = eigenpairs(pencil);
    // With fewer nodes the theorem's step is not that small.
    if (!ofGraph || (given ? size < nodes : size !== nodes)) return null;
    if (!isClear(pairs, width)) return null;
    const { leastRadius, steps } = ballConstants(pencil);
    const { root, inverse } = steps(leastRadius, width);
    const third = 1 / (width * printedBound(pencil, width, leastRadius) * size);
    const z = stationaryPoint(pencil, pairs, leading(pairs, width), width);
    const slow = slowest(pencil, width, z);
    const start = z.map((entry, p) => entry + beside * norm(z) * slow.direction[p]);
    const length = 0.999 * Math.min(root, inverse, third);
    if (followed * length * slow.least < leastFall || slow.most > widestSpread * slow.least) return null;
    const from = (step: number) => sweepsFrom(pencil, width, start, step, formulas);
    const rate = -Math.log(shrinkage(from(length), followed)) / followed;
    const fast = 2 / (slow.least + slow.most);
    const practical = sweepsFor(from(fast), 1e-6);
    const sweeps = Math.log(1e6) / rate;
    const decades = {
      what: 'decades of its sweeps from 10⁷, n = 10',
      measured: Math.abs(Math.log10(sweeps) - 7),
      bound: 2,
    };
    return {
      findings: [
        { what: '1/(16M(R)) in units of the other two bounds', measured: inverse / Math.min(root, third), bound: 1 },
        {
          what: 'rate from that of the Hessian, relative',
          measured: Math.abs(rate / (length * slow.least) - 1),
          bound: 1e-3,
        },
        {
          what: 'sweeps of a working step over those of the theorem’s',
          measured: practical / sweeps,
          bound: 1e-3,
        },
        // Those that are drawn have ten nodes; one of somebody's own may have weights as uneven as they like.
        ...(given ? [] : [decades]),
      ],
      notes: [
        { what: 'the theorem’s step on (W/n, D/n)', value: length },
        { what: `its sweeps for a factor of 10⁶, extrapolated from ${followed}`, value: sweeps },
        { what: 'sweeps of a working step for the same, all of them made', value: practical },
      ],
    };
  },
};

/** The least curvature that is not a rotation, its direction, and the largest, in Z. */
function slowest(pencil: SmallPencil, width: number, z: Float64Array) {
  const { values, vectors } = symmetricEigen(hessianOf(pencil, width, z));
  const at = values.length - 1 - (width * (width - 1)) / 2;
  const direction = Float64Array.from(values, (_, p) => vectors.data[p * values.length + at]);
  return { least: values[at], most: values[0], direction };
}

/** Sweeps of all rows from z on, each with its gradient. */
function sweepsFrom(pencil: SmallPencil, width: number, z: Float64Array, length: number, formulas: Formulas) {
  const run = iterate(pencil, width, z, formulas, length);
  const rows = allRows(pencil.size);
  return {
    sweep: (): void => run.step(rows),
    gradient: (): number => norm(gradientOf(pencil, width, run.rows, formulas)),
  };
}

/** The last gradient over the first, after so many sweeps. */
function shrinkage({ sweep, gradient }: ReturnType<typeof sweepsFrom>, sweeps: number): number {
  const first = gradient();
  for (let made = 0; made < sweeps; made++) sweep();
  return gradient() / first;
}

/** How many sweeps until the gradient is at most that part of the first? */
function sweepsFor({ sweep, gradient }: ReturnType<typeof sweepsFrom>, factor: number): number {
  const enough = factor * gradient();
  let sweeps = 0;
  for (; sweeps < mostSweeps && gradient() > enough; sweeps++) sweep();
  return sweeps;
}

export const localRate: PencilStatement = {
  about: 'pencils',
  label: 'not in the paper',
  claim:
    'near the minimiser D⁻¹-preconditioned steps of length ℓ shrink the gradient by 1 − ℓ·min{4(λ_K − λ_{K+1}), 8λ_K} each',
  printed: null,
  expected: 'holds',
  instances: 200,
  check({ pencil, components: width, random }, formulas) {
    const pairs = eigenpairs(pencil);
    const { values } = pairs;
    if (!isClear(pairs, width)) return null;
    const whole = normalized(pencil);
    const bottom = stationaryPoint(whole, pairs, leading(pairs, width), width);
    const { direction, most } = slowest(whole, width, bottom);
    const least = Math.min(4 * (values[width - 1] - values[width]), 8 * values[width - 1]);
    const next = curvatures(hessianOf(whole, width, bottom)).findLast((bend) => bend > least * (1 + 1e-6)) ?? most;
    // Where the next slowest way is hardly faster, the slowest is not seen alone before rounding ends it.
    if (next < 1.5 * least) return null;
    const length = 1 / most;
    const near = bottom.map((entry, p) => entry + 1e-4 * direction[p] + 1e-6 * random.normal());
    const start = fromX(pencil, width, near);
    const run = iterate(pencil, width, start, formulas, { precondition: 'degree', length });
    const rows = allRows(pencil.size);
    const slope = (): number => slopeOf(pencil, width, run.rows, formulas);
    let before = slope();
    let factor = 0;
    const end = 1e-4 * before;
    for (let step = 0; step < mostSweeps && before > end; step++) {
      run.step(rows);
      const after = slope();
      factor = after / before;
      before = after;
    }
    return {
      findings: [
        {
          what: 'factor of a step from 1 − ℓ·least curvature',
          measured: Math.abs(factor - (1 - length * least)),
          bound: 1e-6,
        },
      ],
    };
  },
};
