/** The CPU time of the current thread, which does not include the time that other processes take. */

import { readFileSync } from 'node:fs';
import type { Clock } from '../../../experiments/shared/experiment.ts';

export interface ThreadClock {
  /** 'wall' if the system does not report the CPU time of a thread. */
  readonly kind: Clock;
  /** Seconds since an arbitrary origin. */
  now(): number;
}

export function threadClock(): ThreadClock {
  // Node 22.19 and later.
  const usage = (process as { threadCpuUsage?: () => { user: number; system: number } }).threadCpuUsage;
  if (usage) {
    return {
      kind: 'processor',
      now() {
        const { user, system } = usage.call(process);
        return (user + system) / 1e6;
      },
    };
  }
  // Linux: nanoseconds on a processor, nanoseconds of waiting, and the number of time slices.
  const now = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;
  try {
    if (now() > 0) return { kind: 'processor', now };
  } catch {
    // The file does not exist on other systems.
  }
  return { kind: 'wall', now: () => performance.now() / 1000 };
}
