/** Folders that are filled under a hidden name, and take their own name when they are complete. */

import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { nameOutput, syncFolderNow } from './write.ts';

/** Gives a complete folder its name, where nothing has it. Its files are on the disk. Errors name `flag` and the folder. */
export function finishFolder(flag: string, draft: string, path: string): void {
  nameOutput({ flag, path }, () => {
    renameSync(draft, path);
    syncFolderNow(dirname(path));
  });
}
