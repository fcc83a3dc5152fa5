/** Statements on the ball: steps that stay within it, and bounds on the second derivatives of f2. */

import { largestMagnitude } from '../../../linalg/matrix.ts';
import { ballConstants, printedBound } from '../../instances/formulas.ts';
import { iterate, partition, pointInBall, largestRowNorm } from '../../instances/iteration.ts';
import { hessianOf } from '../../instances/landscape.ts';
import { completeGraph, deflated, largestMass, type SmallPencil } from '../../instances/small-pencil.ts';
import type { Counterexample, PencilCheck } from '../../instances/statement.ts';

/** The number of random points per instance. */
const pointCount = 4;

export const ball: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const { leastRadius, steps } = ballConstants(pencil);
    const radius = leastRadius * random.uniform(1, 2);
    const { root, inverse } = steps(radius, width);
    const allowed = 0.999 * Math.min(root, inverse);
    const starts = Array.from({ length: pointCount }, () => pointInBall(random, pencil, width, radius));
    const parts = partition(random, pencil.size, 1 + random.integer(pencil.size));
    let largestNorm = 0;
    for (const z of starts) {
      const run = iterate(pencil, width, z, formulas, allowed);
      for (const part of parts) run.step(part);
      largestNorm = Math.max(largestNorm, largestRowNorm(pencil, width, run.rows));
    }
    const stays = (step: number): boolean =>
      starts.every((z) => {
        const run = iterate(pencil, width, z, formulas, step);
        run.step(parts[0]);
        return largestRowNorm(pencil, width, run.rows) < radius;
      });
    let excess = 1;
    // Factors of four are enough for the order of magnitude.
    while (excess < 2 ** 30 && stays(4 * excess * allowed)) excess *= 4;
    return {
      findings: [{ what: 'the largest row norm, in units of R', measured: largestNorm / radius, bound: 1 }],
      notes: [
        { what: 'largest tried multiple of the allowed step that stays within', value: excess },
        { what: '1/(16M(R)) over the other bound', value: inverse / root },
      ],
    };
  },
};

export const lipschitz: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const radius = ballConstants(pencil).leastRadius * random.uniform(1, 2);
    let most = 0;
    for (let point = 0; point < pointCount; point++) {
      most = Math.max(most, largestSecondDerivative(pencil, width, pointInBall(random, pencil, width, radius)));
    }
    const bound = formulas.entryBound(pencil, radius);
    const printed = printedBound(pencil, width, radius);
    return {
      findings: [{ what: 'the largest second derivative, in units of the bound', measured: most / bound, bound: 1 }],
      printed: [
        { what: 'the largest second derivative, in units of the printed bound', measured: most / printed, bound: 1 },
      ],
    };
  },
  refute() {
    const candidates: [what: string, pencil: SmallPencil, width: number][] = [];
    for (const size of [2, 4]) candidates.push([`complete graph of ${size} nodes, K = 1`, completeGraph(size), 1]);
    for (let size = 3; size <= 8; size++) {
      candidates.push([`complete graph of ${size} nodes, deflated, K = 2`, deflated(completeGraph(size)), 2]);
    }
    const found = candidates.map(([what, pencil, width]) => entryCounterexample(what, pencil, width));
    const failing = found.filter(({ measured, bound }) => measured > bound);
    // One deflated graph is enough: the first.
    return failing.filter(({ what }, i) => !what.includes('deflated') || !failing[i - 1]?.what.includes('deflated'));
  },
};

function largestSecondDerivative(pencil: SmallPencil, width: number, z: Float64Array): number {
  return largestMagnitude(hessianOf(pencil, width, z).data);
}

/** All rows just inside the surface of the ball, along the first column. */
export function surfacePoint({ size, mass }: SmallPencil, width: number, radius: number): Float64Array {
  const z = new Float64Array(size * width);
  for (let i = 0; i < size; i++) z[i * width] = (radius * (1 - 1e-12)) / Math.sqrt(mass[i]);
  return z;
}

function entryCounterexample(what: string, pencil: SmallPencil, width: number): Counterexample {
  const radius = ballConstants(pencil).leastRadius;
  const measured = largestSecondDerivative(pencil, width, surfacePoint(pencil, width, radius));
  return {
    what: `${what}: a second derivative against L`,
    measured,
    bound: printedBound(pencil, width, radius),
    pencil,
  };
}

/** A practical step length: the inverse of a bound on the curvature where ‖D^½Z‖ is at most that of a minimizer. */
export function workingStep(pencil: SmallPencil, values: Float64Array): number {
  const spread = Math.max(Math.abs(values[0]), Math.abs(values[values.length - 1]));
  return 1 / (largestMass(pencil) * (4 * spread + 12 * Math.max(values[0], 0)));
}
