/** Steps of SGD and Adam in one pass over memory. No moment ever decays into a denormal, which costs 20 to 100 times as much. */

import type { Floats } from './types.ts';

/** First moments and velocities below this become 0; squared gradients below it count as this much. */
export const denormalGuard = 1e-30;
/** Squared gradients above this, near the end of Float32, count as this much. */
export const overflowGuard = 3e38;

/** velocity ← momentum·velocity + gradient; parameters ← parameters − rate·velocity. */
export function sgdStep(
  n: number,
  rate: number,
  momentum: number,
  gradient: Floats,
  velocity: Floats,
  parameters: Floats,
): void {
  for (let i = 0; i < n; i++) {
    const v = flush(momentum * velocity[i] + gradient[i]);
    velocity[i] = v;
    parameters[i] -= rate * v;
  }
}

/**
 * Adam (Kingma & Ba), with decoupled decay: m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g² with 1e-30 ≤ g² ≤ 3e38,
 * p ← p − decay·p − rate·m/(√v + ε). The caller folds both bias corrections into `rate` and `epsilon`:
 * rate = α√(1−β₂ᵗ)/(1−β₁ᵗ), ε = ε₀√(1−β₂ᵗ); and decay = α·λ.
 */
export function adamStep(
  n: number,
  rate: number,
  beta1: number,
  beta2: number,
  epsilon: number,
  decay: number,
  gradient: Floats,
  first: Floats,
  second: Floats,
  parameters: Floats,
): void {
  for (let i = 0; i < n; i++) {
    const g = gradient[i];
    const m = flush(beta1 * first[i] + (1 - beta1) * g);
    const v = beta2 * second[i] + (1 - beta2) * clamp(g * g);
    first[i] = m;
    second[i] = v;
    parameters[i] -= decay * parameters[i] + (rate * m) / (Math.sqrt(v) + epsilon);
  }
}

export const plainOptimizers = { sgdStep, adamStep };

/** Steps of optimizers. */
export type OptimizerKernels = typeof plainOptimizers;

function flush(value: number): number {
  return Math.abs(value) < denormalGuard ? 0 : value;
}

function clamp(square: number): number {
  return square < denormalGuard ? denormalGuard : square > overflowGuard ? overflowGuard : square;
}
