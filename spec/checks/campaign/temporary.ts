/** A folder for temporary files, in memory where the system has one. */

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

export function memoryFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}
