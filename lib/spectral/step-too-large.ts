/** What does a user hear whose step is too large? The largest one of a few tried that works from the same start. */

import { badValue } from '../core/check.ts';
import { BlowUp } from './descent.ts';
import type { Pencil } from './pencil.ts';
import { Run } from './run.ts';
import type { Settings } from './settings.ts';
import type { Beginning } from './state.ts';
import type { StepRule } from './step-rule.ts';

/** A constant step with which the rows grew beyond all bounds. */
export class StepTooLarge extends RangeError {
  readonly step: number;
  readonly epoch: number;
  /** The largest of the steps tried that did not, over the same epochs from the same start; null if none. */
  readonly worked: number | null;

  constructor({ length }: StepRule, epoch: number, what: string, worked: number | null) {
    const remedy =
      worked === null
        ? 'No smaller step that was tried worked.'
        : `Of those tried ${worked} worked; 'auto' needs none.`;
    super(
      badValue('solve', 'a step with which the rows stay bounded', `${length}: ${what} in epoch ${epoch}`, remedy)
        .message,
    );
    this.step = Number(length);
    this.epoch = epoch;
    this.worked = worked;
  }
}

/** Each try takes a quarter off. */
const shrink = 0.75;
const tries = 24;
/** A step that blows up does so soon. */
const mostEpochs = 10;

export function largestWorkingStep(
  settings: Settings,
  pencil: Pencil,
  beginning: Beginning,
  epochs: number,
): number | null {
  const { rule } = settings;
  if (rule.length === 'search') return null;
  for (let attempt = 1; attempt <= tries; attempt++) {
    const length = rule.length * shrink ** attempt;
    const run = new Run(settings, pencil, beginning, { ...rule, length });
    try {
      for (let epoch = 0; epoch < Math.min(epochs, mostEpochs); epoch++) for (const _ of run.sweep());
      return length;
    } catch (error) {
      if (!(error instanceof BlowUp)) throw error;
    }
  }
  return null;
}
