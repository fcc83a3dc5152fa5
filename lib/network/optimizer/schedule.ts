/** Learning rates: constant, or changing from one value to another over a number of steps. */

import { badKind, badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';

/** A constant, or a schedule that goes from one rate to another. */
export type Rate = number | RateSchedule;

/** After `steps` steps the rate stays at `to`. */
export interface RateSchedule {
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Default: 'cosine'. */
  readonly shape?: keyof typeof shapes;
}

/** The rate after a fraction t of the steps. For 'exponential' the logarithm of the rate is linear in t. */
const shapes = {
  linear: ({ from, to }, t) => from + (to - from) * t,
  cosine: ({ from, to }, t) => to + ((from - to) * (1 + Math.cos(Math.PI * t))) / 2,
  exponential: ({ from, to }, t) => from * (to / from) ** t,
} satisfies Record<string, (schedule: RateSchedule, t: number) => number>;

const rules: Rules<RateSchedule> = { from: 'number', to: 'number', steps: 'number', shape: Object.keys(shapes) };

/** Refuses anything but a rate as the option `name`. */
export function checkRate(caller: string, name: string, rate: Rate): void {
  if (typeof rate === 'number') return checkPositive(caller, name, rate);
  if (typeof rate !== 'object' || rate === null) throw badKind(caller, 'a rate or { from, to, steps }', rate);
  checkOptions(caller, rate, rules, name);
  checkPositive(caller, `${name}.from`, rate.from);
  checkPositive(caller, `${name}.to`, rate.to);
  checkCount(caller, `${name}.steps`, rate.steps, 1);
}

/** The rate of step 0, 1, 2, … */
export function rateAt(rate: Rate, step: number): number {
  if (typeof rate === 'number') return rate;
  return shapes[rate.shape ?? 'cosine'](rate, Math.min(1, step / rate.steps));
}

function checkPositive(caller: string, name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) throw badValue(caller, `${name} to be a positive number`, value);
}
