/** What a folder contains, and the removal of files. */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FileReader } from './read.ts';

/** The names in a folder. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder);
}

/** The path of a name in a folder. */
export function pathIn(folder: string, name: string): string {
  return join(folder, name);
}

/** Deletes a file, if there is one. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** All bytes of a file. Errors name `caller`. */
export function readWhole(caller: string, path: string): Uint8Array {
  const reader = new FileReader(caller, path);
  try {
    const bytes = new Uint8Array(reader.size);
    reader.read(bytes, 0);
    return bytes;
  } finally {
    reader.close();
  }
}
