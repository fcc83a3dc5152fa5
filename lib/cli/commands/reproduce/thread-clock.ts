/** How long has this thread worked? Time that a processor gave to it, so that what else the machine does is not counted. */

import { readFileSync } from 'node:fs';
import type { Clock } from '../../../experiments/shared/experiment.ts';

export interface ThreadClock {
  /** 'wall' where the system does not tell a thread's own time. */
  readonly kind: Clock;
  /** In seconds, from some moment on. */
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
  // Linux: nanoseconds on a processor, then waiting for one, then how often.
  const now = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;
  try {
    if (now() > 0) return { kind: 'processor', now };
  } catch {
    // No such file: another system.
  }
  return { kind: 'wall', now: () => performance.now() / 1000 };
}
