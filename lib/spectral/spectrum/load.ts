/** Loads what only some graphs need, once one does: a bundler puts it into a file of its own. Nothing else imports it. */

import { awaited, type WaitingTask } from '../../core/task.ts';

export function loadSteps(): WaitingTask<typeof import('./on-demand.ts')> {
  return awaited(import('./on-demand.ts'));
}
