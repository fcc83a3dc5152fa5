/** What does a user hear whose step is too large? The largest of a few tried that works from the same start. */

import { badValue } from '../core/check.ts';
import { BlowUp } from './descent.ts';
import type { Pencil } from './pencil.ts';
import { Run } from './run.ts';
import type { Settings } from './settings.ts';
import type { Beginning } from './state.ts';

/** A constant step with which the rows grew beyond all bounds, or f2 rose. */
export class StepTooLarge extends RangeError {
  readonly step: number;
  /** Of this call, counted from 1. */
  readonly epoch: number;
  /** The largest of the steps tried with which the rows stayed bounded for some epochs from the same start; null if none. */
  readonly worked: number | null;

  constructor({ rule }: Settings, epoch: number, what: string, worked: number | null) {
    const found = worked === null ? `No step down to a thousandth of it` : `From the same start ${worked}`;
    const remedy = `${found} worked for ${trialEpochs} epochs; step 'auto' needs no tuning.`;
    super(badValue('solve', 'a step small enough', `${rule.length}: ${what} in epoch ${epoch}`, remedy).message);
    this.step = Number(rule.length);
    this.epoch = epoch;
    this.worked = worked;
  }
}

/** Each try takes a quarter off. */
const shrink = 0.75;
const tries = 24;
const trialEpochs = 10;

export function largestWorkingStep(settings: Settings, pencil: Pencil, beginning: Beginning): number | null {
  const { rule } = settings;
  if (rule.length === 'search') return null;
  for (let attempt = 1; attempt <= tries; attempt++) {
    const length = rule.length * shrink ** attempt;
    const run = new Run(settings, pencil, beginning, { ...rule, length });
    try {
      for (let epoch = 0; epoch < trialEpochs; epoch++) run.finishSweep();
      return length;
    } catch (error) {
      if (!(error instanceof BlowUp)) throw error;
    }
  }
  return null;
}
