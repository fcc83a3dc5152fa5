/** How much does a step on some rows lower f2, and does that take the gradient to zero? */

import { ballConstants, type Formulas, printedBound } from '../instances/formulas.ts';
import type { Instance } from '../instances/instances.ts';
import { iterate, partition, pointInBall, reach, unlessBrokenDown } from '../instances/iteration.ts';
import { gradientOf, leastValue, norm, valueOf } from '../instances/landscape.ts';
import { allRows, completeGraph, eigenpairs, type SmallPencil } from '../instances/small-pencil.ts';
import type { Counterexample, PencilStatement } from '../instances/statement.ts';
import { surfacePoint } from './bounds.ts';

/** Steps of one instance. */
const steps = 6;

export const descentInequality: PencilStatement = {
  about: 'pencils',
  label: 'lem:grad, inequality in its proof',
  claim:
    'f(Z⁺) ≤ f(Z) − α(1 − αL_S/2)‖g_S‖² for α < 2/L_S, L_S = 4‖W_SS‖₂ + 4(n+2|S|)R² max D, while Z and Z⁺ are in the ball',
  printed: 'f(Z⁺) ≤ f(Z) − α(1 − αL)‖g_S‖² for α < 1/L with the bound L on single entries',
  expected: 'corrected',
  instances: 10_000,
  check(instance, formulas) {
    const { pencil, components: width, random } = instance;
    const radius = ballConstants(pencil).leastRadius * random.uniform(1, 1.5);
    const parts = partition(random, pencil.size, 1 + random.integer(pencil.size));
    const start = pointInBall(random, pencil, width, radius);
    // From a small part of what is allowed, where the inequality is tight, to nearly all.
    const share = random.uniform() < 0.5 ? 10 ** random.uniform(-4, -1) : random.uniform(0.1, 0.999);
    const bounds = parts.map((part) => formulas.blockBound(pencil, part, radius));
    const lengths = bounds.map((bound) => (2 * share) / bound);
    const printed = printedBound(pencil, width, radius);
    const ours = along(instance, start, radius, parts, lengths, (p) => 1 - (lengths[p] * bounds[p]) / 2, formulas);
    const theirs = along(
      instance,
      start,
      radius,
      parts,
      parts.map(() => share / printed),
      () => 1 - share,
      formulas,
    );
    return {
      findings: [{ what: 'f(Z⁺) above what is promised, relative', measured: ours.above, bound: 1e-12 }],
      printed: [{ what: 'f(Z⁺) above what is printed, relative', measured: theirs.above, bound: 1e-12 }],
      notes: [{ what: 'steps that left the ball', value: ours.left }],
    };
  },
  refute(formulas) {
    const found: Counterexample[] = [];
    for (const size of [3, 4, 5, 6, 8, 12, 20]) {
      if (found.length > 0 && size !== 20) continue;
      const beyond = inequalityBeyond(size, formulas);
      if (beyond.measured > beyond.bound) found.push(beyond);
    }
    return found;
  },
};

/** Steps from `start`, a part after another: the most that f was above the promise, in units of what it was. */
function along(
  { pencil, components: width }: Instance,
  start: Float64Array,
  radius: number,
  parts: readonly Int32Array[],
  lengths: readonly number[],
  factor: (part: number) => number,
  formulas: Formulas,
): { above: number; left: number } {
  let above = -Infinity;
  let left = 0;
  let z = start;
  for (let step = 0; step < steps; step++) {
    const p = step % parts.length;
    const before = valueOf(pencil, width, z);
    const square = squareOn(parts[p], width, gradientOf(pencil, width, z, formulas));
    const run = iterate(pencil, width, z, formulas, lengths[p]);
    run.step(parts[p]);
    z = run.rows;
    if (!(reach(pencil, width, z) < radius)) {
      left++;
      break;
    }
    const promised = before - lengths[p] * factor(p) * square;
    above = Math.max(above, (valueOf(pencil, width, z) - promised) / Math.max(1, Math.abs(before)));
  }
  return { above: above === -Infinity ? 0 : above, left };
}

/** ‖g_S‖². */
function squareOn(part: Int32Array, width: number, gradient: Float64Array): number {
  let square = 0;
  for (const row of part) for (let k = 0; k < width; k++) square += gradient[row * width + k] ** 2;
  return square;
}

/** All rows on the surface of the ball, all stepped at once with α = 0.3/L. */
function inequalityBeyond(size: number, formulas: Formulas): Counterexample {
  const pencil = completeGraph(size);
  const radius = ballConstants(pencil).leastRadius;
  const bound = printedBound(pencil, 1, radius);
  const z = surfacePoint(pencil, 1, radius);
  const square = norm(gradientOf(pencil, 1, z, formulas)) ** 2;
  const run = iterate(pencil, 1, z, formulas, 0.3 / bound);
  run.step(allRows(size));
  const promised = valueOf(pencil, 1, z) - (0.3 / bound) * 0.7 * square;
  const what = `complete graph of ${size} nodes, K = 1, all rows on the surface, α = 0.3/L: f(Z⁺) against the promise`;
  return { what, measured: valueOf(pencil, 1, run.rows), bound: promised, pencil };
}

/** Steps of an iteration that are followed. */
const followed = 24;

export const gradientToZero: PencilStatement = {
  about: 'pencils',
  label: 'lem:grad',
  claim:
    'with α < 2/L_S f falls at every step and the least ‖g_S‖² so far is at most (f(Z₀) − f*)/Σα(1 − αL_S/2), which tends to zero',
  printed: 'α < 1/L is enough for every symmetric W',
  expected: 'corrected',
  instances: 10_000,
  check({ pencil, components: width, random }, formulas) {
    const radius = ballConstants(pencil).leastRadius;
    const parts = partition(random, pencil.size, 1 + random.integer(pencil.size));
    const z = pointInBall(random, pencil, width, radius);
    const share = random.uniform(0.05, 0.95);
    const bounds = parts.map((part) => formulas.blockBound(pencil, part, radius));
    // One step for all parts, below what each of them allows.
    const length = (2 * share) / Math.max(...bounds);
    const run = iterate(pencil, width, z, formulas, length);
    const first = valueOf(pencil, width, z);
    const scale = Math.max(1, Math.abs(first));
    let value = first;
    let rise = 0;
    let promise = 0;
    let least = Infinity;
    for (let step = 0; step < followed; step++) {
      const p = step % parts.length;
      const square = squareOn(parts[p], width, gradientOf(pencil, width, run.rows, formulas));
      least = Math.min(least, square);
      promise += length * (1 - (length * bounds[p]) / 2);
      run.step(parts[p]);
      const next = valueOf(pencil, width, run.rows);
      rise = Math.max(rise, next - value);
      value = next;
    }
    const allowed = (first - leastValue(eigenpairs(pencil), width)) / promise;
    return {
      findings: [
        { what: 'rise of f in any step, relative', measured: rise / scale, bound: 1e-13 },
        { what: 'the least squared gradient in units of what is promised', measured: least / allowed, bound: 1 },
      ],
    };
  },
  refute(formulas) {
    const found: Counterexample[] = [];
    for (let below = 5; below <= 40; below += 5) {
      // The first of them, and one that is well beyond.
      if (found.length > 0 && below < 40) continue;
      const pencil: SmallPencil = { size: 2, weights: Float64Array.of(1, 0, 0, -below), mass: Float64Array.of(1, 1) };
      const rise = riseWithin(pencil, formulas);
      const what = `W = diag(1, −${below}), D = I, K = 1, α = 0.999/L: rise of f in a step within the ball`;
      if (rise > 0) found.push({ what, measured: rise, bound: 1e-13, pencil });
    }
    return found;
  },
};

/**
 * From near the minimiser (1, 0): the first rise of f in a step that begins and ends within the ball; 0 if there is none, or
 * if the gradient is smaller in the end than it was at first, as it would have to be on its way to zero.
 */
function riseWithin(pencil: SmallPencil, formulas: Formulas): number {
  const radius = ballConstants(pencil).leastRadius;
  const length = 0.999 / printedBound(pencil, 1, radius);
  const run = iterate(pencil, 1, Float64Array.of(0.99, 1e-2), formulas, length);
  const slope = (): number => norm(gradientOf(pencil, 1, run.rows, formulas));
  const first = slope();
  let found = 0;
  const grows = (): boolean => {
    for (let step = 0; step < 200; step++) {
      const before = valueOf(pencil, 1, run.rows);
      run.step(allRows(2));
      const rise = valueOf(pencil, 1, run.rows) - before;
      if (found === 0 && rise > 1e-6 && reach(pencil, 1, run.rows) < radius) found = rise;
    }
    return slope() > first;
  };
  // Rows that go beyond everything take the gradient with them.
  return unlessBrokenDown(grows, true) ? found : 0;
}
