/** Statements on descent: how much a step on some rows lowers f2, and that the gradient tends to zero. */

import { ballConstants, type Formulas, printedBound } from '../../instances/formulas.ts';
import type { Instance } from '../../instances/instances.ts';
import { iterate, partition, pointInBall, largestRowNorm, catchBreakdown } from '../../instances/iteration.ts';
import { gradientOf, leastValue, norm, valueOf } from '../../instances/landscape.ts';
import { allRows, completeGraph, eigenpairs, type SmallPencil } from '../../instances/small-pencil.ts';
import type { Counterexample, PencilCheck } from '../../instances/statement.ts';
import { surfacePoint } from './bounds.ts';

/** The number of steps per instance. */
const steps = 6;

export const descentInequality: PencilCheck = {
  about: 'pencils',
  check(instance, formulas) {
    const { pencil, components: width, random } = instance;
    const radius = ballConstants(pencil).leastRadius * random.uniform(1, 1.5);
    const parts = partition(random, pencil.size, 1 + random.integer(pencil.size));
    const start = pointInBall(random, pencil, width, radius);
    // From a small fraction of the allowed step, where the inequality is tight, to nearly all of it.
    const fraction = random.uniform() < 0.5 ? 10 ** random.uniform(-4, -1) : random.uniform(0.1, 0.999);
    const bounds = parts.map((part) => formulas.blockBound(pencil, part, radius));
    const lengths = bounds.map((bound) => (2 * fraction) / bound);
    const printedL = printedBound(pencil, width, radius);
    const corrected = followSteps(
      instance,
      start,
      radius,
      parts,
      lengths,
      (p) => 1 - (lengths[p] * bounds[p]) / 2,
      formulas,
    );
    const printed = followSteps(
      instance,
      start,
      radius,
      parts,
      parts.map(() => fraction / printedL),
      () => 1 - fraction,
      formulas,
    );
    return {
      findings: [{ what: 'f(Z⁺) minus the corrected bound, relative', measured: corrected.excess, bound: 1e-12 }],
      printed: [{ what: 'f(Z⁺) minus the printed bound, relative', measured: printed.excess, bound: 1e-12 }],
      notes: [{ what: 'steps that left the ball', value: corrected.left }],
    };
  },
  refute(formulas) {
    const found: Counterexample[] = [];
    for (const size of [3, 4, 5, 6, 8, 12, 20]) {
      if (found.length > 0 && size !== 20) continue;
      const candidate = inequalityCounterexample(size, formulas);
      if (candidate.measured > candidate.bound) found.push(candidate);
    }
    return found;
  },
};

/** Steps from `start`, part after part: the largest relative excess of f over its bound, and how many left the ball. */
function followSteps(
  { pencil, components: width }: Instance,
  start: Float64Array,
  radius: number,
  parts: readonly Int32Array[],
  lengths: readonly number[],
  factor: (part: number) => number,
  formulas: Formulas,
): { excess: number; left: number } {
  let excess = -Infinity;
  let left = 0;
  let z = start;
  for (let step = 0; step < steps; step++) {
    const p = step % parts.length;
    const before = valueOf(pencil, width, z);
    const square = squareOn(parts[p], width, gradientOf(pencil, width, z, formulas));
    const run = iterate(pencil, width, z, formulas, lengths[p]);
    run.step(parts[p]);
    z = run.rows;
    if (!(largestRowNorm(pencil, width, z) < radius)) {
      left++;
      break;
    }
    const bound = before - lengths[p] * factor(p) * square;
    excess = Math.max(excess, (valueOf(pencil, width, z) - bound) / Math.max(1, Math.abs(before)));
  }
  return { excess: excess === -Infinity ? 0 : excess, left };
}

/** ‖g_S‖². */
function squareOn(part: Int32Array, width: number, gradient: Float64Array): number {
  let square = 0;
  for (const row of part) for (let k = 0; k < width; k++) square += gradient[row * width + k] ** 2;
  return square;
}

/** All rows on the surface of the ball take a step at once with α = 0.3/L. */
function inequalityCounterexample(size: number, formulas: Formulas): Counterexample {
  const pencil = completeGraph(size);
  const radius = ballConstants(pencil).leastRadius;
  const printedL = printedBound(pencil, 1, radius);
  const z = surfacePoint(pencil, 1, radius);
  const square = norm(gradientOf(pencil, 1, z, formulas)) ** 2;
  const run = iterate(pencil, 1, z, formulas, 0.3 / printedL);
  run.step(allRows(size));
  const bound = valueOf(pencil, 1, z) - (0.3 / printedL) * 0.7 * square;
  const what = `complete graph of ${size} nodes, K = 1, all rows on the surface, α = 0.3/L: f(Z⁺) against its bound`;
  return { what, measured: valueOf(pencil, 1, run.rows), bound, pencil };
}

/** The number of steps of an iteration. */
const iterationSteps = 24;

export const gradientToZero: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const radius = ballConstants(pencil).leastRadius;
    const parts = partition(random, pencil.size, 1 + random.integer(pencil.size));
    const z = pointInBall(random, pencil, width, radius);
    const fraction = random.uniform(0.05, 0.95);
    const bounds = parts.map((part) => formulas.blockBound(pencil, part, radius));
    // One step length for all parts, below the bound of each.
    const length = (2 * fraction) / Math.max(...bounds);
    const run = iterate(pencil, width, z, formulas, length);
    const first = valueOf(pencil, width, z);
    const scale = Math.max(1, Math.abs(first));
    let value = first;
    let rise = 0;
    let decrease = 0;
    let least = Infinity;
    for (let step = 0; step < iterationSteps; step++) {
      const p = step % parts.length;
      const square = squareOn(parts[p], width, gradientOf(pencil, width, run.rows, formulas));
      least = Math.min(least, square);
      decrease += length * (1 - (length * bounds[p]) / 2);
      run.step(parts[p]);
      const next = valueOf(pencil, width, run.rows);
      rise = Math.max(rise, next - value);
      value = next;
    }
    const allowed = (first - leastValue(eigenpairs(pencil), width)) / decrease;
    return {
      findings: [
        { what: 'largest rise of f in a step, relative', measured: rise / scale, bound: 1e-13 },
        { what: 'the least squared gradient in units of its bound', measured: least / allowed, bound: 1 },
      ],
    };
  },
  refute(formulas) {
    const found: Counterexample[] = [];
    for (let below = 5; below <= 40; below += 5) {
      // The first counterexample, and one far beyond it.
      if (found.length > 0 && below < 40) continue;
      const pencil: SmallPencil = { size: 2, weights: Float64Array.of(1, 0, 0, -below), mass: Float64Array.of(1, 1) };
      const rise = riseInBall(pencil, formulas);
      const what = `W = diag(1, −${below}), D = I, K = 1, α = 0.999/L: rise of f in a step within the ball`;
      if (rise > 0) found.push({ what, measured: rise, bound: 1e-13, pencil });
    }
    return found;
  },
};

/**
 * Iterates from a point near the minimizer (1, 0). Returns the first rise of f in a step that begins and ends within the
 * ball; 0 if there is none, or if the final gradient is smaller than the first one, as convergence to zero requires.
 */
function riseInBall(pencil: SmallPencil, formulas: Formulas): number {
  const radius = ballConstants(pencil).leastRadius;
  const length = 0.999 / printedBound(pencil, 1, radius);
  const run = iterate(pencil, 1, Float64Array.of(0.99, 1e-2), formulas, length);
  const gradientSize = (): number => norm(gradientOf(pencil, 1, run.rows, formulas));
  const first = gradientSize();
  let found = 0;
  const grows = (): boolean => {
    for (let step = 0; step < 200; step++) {
      const before = valueOf(pencil, 1, run.rows);
      run.step(allRows(2));
      const rise = valueOf(pencil, 1, run.rows) - before;
      if (found === 0 && rise > 1e-6 && largestRowNorm(pencil, 1, run.rows) < radius) found = rise;
    }
    return gradientSize() > first;
  };
  // If the rows grow without bound, so does the gradient.
  return catchBreakdown(grows, true) ? found : 0;
}
