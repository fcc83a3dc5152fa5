/** Does one task of a run: checks what it needs, does the work, and records its outputs. */

import { placeOfTask } from '../../../tasks/plan.ts';
import { RunFolder } from '../../../tasks/run-folder.ts';
import { withoutCaller } from '../../shared/arguments.ts';
import type { Call } from '../../shared/command.ts';
import { packageVersion } from '../../shared/version.ts';
import { kindOf } from './kinds/table.ts';

/** Opens a run that this version of the package can continue. */
export function openRun(caller: string, path: string): RunFolder {
  const folder = RunFolder.open(caller, path);
  folder.checkVersion(packageVersion());
  return folder;
}

/**
 * Does a task unless it is done. Returns whether there was anything to do. A failure is recorded and thrown, unless another
 * process has done the task meanwhile: it may then have deleted what this one was reading.
 */
export async function doTask(folder: RunFolder, task: number, call: Call): Promise<boolean> {
  const place = placeOfTask(folder.plan, task);
  if (folder.stateOf(task) === 'done') {
    folder.forgetBegin(task);
    // A process that was killed after the last task may have left them.
    if (folder.isComplete) folder.deletePieces();
    return false;
  }
  try {
    folder.checkEarlier(place);
    folder.checkInputs();
  } catch (error) {
    if (folder.stateOf(task) === 'done') return false;
    throw error;
  }
  folder.begin(task);
  try {
    const outputs = await kindOf(folder.plan.kind).work({ ...place, folder, call });
    folder.finish(place, outputs);
  } catch (error) {
    if (folder.stateOf(task) === 'done') {
      folder.forgetBegin(task);
      return false;
    }
    folder.fail(task, withoutCaller((error as Error).message));
    throw error;
  } finally {
    call.progress.clear();
  }
  return true;
}
