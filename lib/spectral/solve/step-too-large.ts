/** The error for a step that is too large. It names the largest of a few smaller steps that works from the same start. */

import { badValue } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import { NotPositiveDefinite } from '../../linalg/cholesky.ts';
import { BlowUp } from '../descent/descent.ts';
import type { Pencil } from '../pencil/pencil.ts';
import { f2Of } from '../ritz/quality.ts';
import { Run } from './run.ts';
import { caller, type SolveSettings } from './settings.ts';
import type { Beginning } from './state.ts';

/** A constant step with which the rows grew beyond all bounds, or f2 rose. */
export class StepTooLarge extends RangeError {
  readonly step: number;
  /** The epoch of this call, counted from 1. */
  readonly epoch: number;
  /** The largest step tried with which, for some epochs from the same start, the rows stayed bounded and f2 did not rise. Null if none did. */
  readonly worked: number | null;

  constructor(step: number, epoch: number, what: string, worked: number | null) {
    const found = worked === null ? `No step down to a thousandth of it` : `From the same start ${worked}`;
    const remedy = `${found} worked for ${trialEpochs} epochs; step 'auto' needs no tuning.`;
    super(badValue(caller, 'a step small enough', `${step}: ${what} in epoch ${epoch}`, remedy).message);
    this.step = step;
    this.epoch = epoch;
    this.worked = worked;
  }
}

/** The error for rows that grew beyond all bounds under a line search, which has no step to make smaller. */
export function unboundedSearch(epoch: number, what: string): RangeError {
  const remedy = 'Start from smaller rows, or omit `start`.';
  return badValue(caller, 'rows that stay bounded under the line search', `${what} in epoch ${epoch}`, remedy);
}

/** Each trial multiplies the step by this. */
const shrink = 0.75;
const tries = 24;
const trialEpochs = 30;

/** How far f2 may rise above its minimum so far, per column. */
const rise = 0.01;

/** Whether f2 has risen. Every step that is short enough lowers it, except in the local scheme, whose gradient is not that of f2. */
export function rises({ method, scheme, accelerate, width }: SolveSettings, lowest: number, f2: number): boolean {
  return method === 'specnet2' && scheme !== 'local' && !accelerate && f2 > lowest + rise * width;
}

/** Yields `done` throughout. */
export function* largestWorkingLengthSteps(
  settings: SolveSettings,
  pencil: Pencil,
  beginning: Beginning,
  done: number,
): Task<number | null> {
  const { rule } = settings;
  if (rule.length === 'search') return null;
  for (let attempt = 1; attempt <= tries; attempt++) {
    const length = rule.length * shrink ** attempt;
    const run = new Run(settings, pencil, beginning, { ...rule, length });
    if (yield* worksSteps(run, settings, pencil, done)) return length;
  }
  return null;
}

function* worksSteps(run: Run, settings: SolveSettings, pencil: Pencil, done: number): Task<boolean> {
  let lowest = Infinity;
  try {
    for (let epoch = 0; epoch < trialEpochs; epoch++) {
      for (const step of run.sweepSteps()) yield step && done;
      const f2 = f2Of(pencil, run.rows.stored);
      lowest = Math.min(lowest, f2);
      if (rises(settings, lowest, f2)) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof BlowUp || error instanceof NotPositiveDefinite) return false;
    throw error;
  }
}
