/** How are measured times told? By whose clock they are. */

import type { Clock, FinishedJob } from './experiment.ts';
import type { Axis } from '../../charts/figure.ts';

const words: Record<Clock, { readonly seconds: string; readonly time: string; readonly explained: string }> = {
  processor: {
    seconds: 'CPU seconds',
    time: 'CPU time',
    explained: 'CPU times of the one thread that does a replica, whatever else the machine did meanwhile',
  },
  wall: {
    seconds: 'wall-clock seconds',
    time: 'wall-clock time',
    explained: 'wall-clock times of replicas that ran side by side',
  },
};

/** That of all that were timed; on the wall where clocks differ, for that is the least one can say. */
function clockOf(done: readonly FinishedJob[]): Clock {
  return done.every(({ clock, seconds }) => clock === 'processor' || seconds.length === 0) ? 'processor' : 'wall';
}

/** `of`: what took them. */
export function timeAxis(done: readonly FinishedJob[], of: string): Axis {
  return { label: `${words[clockOf(done)].seconds} ${of}`, scale: 'log' };
}

/** What `seconds` in a sentence are of. */
export const timeWord = (done: readonly FinishedJob[]): string => words[clockOf(done)].time;

export const timesExplained = (done: readonly FinishedJob[]): string => words[clockOf(done)].explained;
