/** Runs the solver's own loop on a small pencil, with its gradient, moments and steps. */

import { NotPositiveDefinite } from '../../linalg/cholesky.ts';
import { BlowUp, Descent, largestTrace, relativeTrace } from '../../spectral/descent/descent.ts';
import { FreeRows } from '../../spectral/descent/rows/free-rows.ts';
import { measureAll, zeroMoments } from '../../spectral/descent/moments.ts';
import { stepperOf, type StepRule } from '../../spectral/descent/step-rule.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Formulas } from './formulas.ts';
import { type SmallPencil, viewOf } from './small-pencil.ts';

export interface Iteration {
  /** The current Z; read only. */
  readonly rows: Float64Array;
  step(batch: Int32Array): void;
  /** Recomputes the moments, as the solver does after every epoch. */
  measure(): void;
}

/** Iterates from a copy of z, with tracked moments as in the neighbor scheme. `population` is used as n. */
export function iterate(
  pencil: SmallPencil,
  width: number,
  z: Float64Array,
  formulas: Formulas,
  rule: StepRule | number,
  population = 1,
): Iteration {
  const record = zeroMoments(width);
  const rows = new FreeRows(new Tensor(z.slice(), [pencil.size, width]), record, formulas.follow);
  const { size, mass } = pencil;
  const measure = (): void => {
    rows.applyFactor();
    measureAll({ size, mass, eta: null }, rows.stored.data, record);
  };
  measure();
  const chosen = typeof rule === 'number' ? ({ precondition: 'none', length: rule } as const) : rule;
  const descent = new Descent({
    caller: 'verify',
    look: (batch) => viewOf(pencil, batch, population),
    rows,
    moments: formulas.moments(record),
    objective: formulas.objective,
    stepper: stepperOf('verify', chosen, width, 'double'),
    rotation: { orthogonalize: 'gram', rotate: 'after' },
    // The size of the ball of the lemmas depends on the scale of the pencil, so that only relative growth counts.
    bound: largestTrace * Math.max(1, relativeTrace(record.gram, population)),
  });
  return {
    get rows() {
      rows.applyFactor();
      return rows.stored.data as Float64Array;
    },
    step: (batch) => descent.step(batch),
    measure,
  };
}

/** The result of `work`, or `fallback` if rows grow without bound or columns become dependent. Rethrows other errors. */
export function catchBreakdown<T>(work: () => T, fallback: T): T {
  try {
    return work();
  } catch (error) {
    if (isBreakdown(error)) return fallback;
    throw error;
  }
}

export function isBreakdown(error: unknown): boolean {
  return error instanceof BlowUp || error instanceof NotPositiveDefinite;
}

/** Partitions the rows, in random order, into batches of `batch` rows. The last one may be smaller. */
export function partition(
  random: { permutation(count: number): Int32Array },
  size: number,
  batch: number,
): Int32Array[] {
  const order = random.permutation(size);
  const parts: Int32Array[] = [];
  for (let from = 0; from < size; from += batch) parts.push(order.slice(from, from + batch));
  return parts;
}

/** max ‖D^½Z_i‖ over the rows. */
export function largestRowNorm({ size, mass }: SmallPencil, width: number, z: Float64Array): number {
  let most = 0;
  for (let i = 0; i < size; i++) {
    let square = 0;
    for (let k = 0; k < width; k++) square += z[i * width + k] ** 2;
    most = Math.max(most, mass[i] * square);
  }
  return Math.sqrt(most);
}

/**
 * Random rows within the ball ‖D^½Z_i‖ < R: anywhere, all near its surface, or all near its surface in one direction, where
 * second derivatives are largest.
 */
export function pointInBall(
  random: { normal(): number; uniform(low?: number, high?: number): number },
  { size, mass }: SmallPencil,
  width: number,
  radius: number,
): Float64Array {
  const z = new Float64Array(size * width);
  const mode = random.uniform();
  const shared = Float64Array.from({ length: width }, () => random.normal());
  for (let i = 0; i < size; i++) {
    const direction = mode > 0.7 ? shared : Float64Array.from({ length: width }, () => random.normal());
    const fraction = mode < 0.4 ? random.uniform() : 1 - 1e-9;
    const length = Math.hypot(...direction);
    for (let k = 0; k < width; k++) z[i * width + k] = (radius * fraction * direction[k]) / length / Math.sqrt(mass[i]);
  }
  return z;
}
