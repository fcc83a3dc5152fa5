/** Loads `on-demand.ts` when a graph first needs it. No other file imports it, so a bundler puts it into a file of its own. */

import { awaited, type WaitingTask } from '../../core/task.ts';

export function loadSteps(): WaitingTask<typeof import('./on-demand.ts')> {
  return awaited(import('./on-demand.ts'));
}
