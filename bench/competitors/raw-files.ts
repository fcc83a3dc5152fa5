/** Passes arrays to another process, as raw files in a temporary folder. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'specnet-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes each array under its name. Arrays must be on the ordinary heap. */
export function inFolderOf<T>(
  arrays: Readonly<Record<string, NodeJS.TypedArray>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  return withFolder((folder) => {
    for (const [name, array] of Object.entries(arrays)) writeFileSync(join(folder, name), array);
    return work(folder);
  });
}
