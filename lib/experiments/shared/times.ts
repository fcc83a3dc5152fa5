/** Labels for measured times, which name the clock: CPU time or wall-clock time. */

import type { Clock, FinishedJob } from './experiment.ts';
import type { Axis } from '../../charts/figure.ts';

const labels: Record<Clock, { readonly seconds: string; readonly time: string; readonly explained: string }> = {
  processor: {
    seconds: 'CPU seconds',
    time: 'CPU time',
    explained: 'CPU times of the one thread that runs a replica, which do not depend on the other load of the machine',
  },
  wall: {
    seconds: 'wall-clock seconds',
    time: 'wall-clock time',
    explained: 'wall-clock times of replicas that ran in parallel',
  },
};

/** The clock of all timed jobs. If they differ, the wall clock, which is the weaker statement. */
function clockOf(finished: readonly FinishedJob[]): Clock {
  return finished.every(({ clock, seconds }) => clock === 'processor' || seconds.length === 0) ? 'processor' : 'wall';
}

/** A logarithmic axis of seconds. `of` names what was timed. */
export function timeAxis(finished: readonly FinishedJob[], of: string): Axis {
  return { label: `${labels[clockOf(finished)].seconds} ${of}`, scale: 'log' };
}

/** `CPU time` or `wall-clock time`. */
export const timeName = (finished: readonly FinishedJob[]): string => labels[clockOf(finished)].time;

/** A phrase that explains how times were measured. */
export const explainTimes = (finished: readonly FinishedJob[]): string => labels[clockOf(finished)].explained;
