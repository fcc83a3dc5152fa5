/** Tasks in processes of their own. */

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { RunFolder } from '../../../tasks/run-folder.ts';
import type { Call } from '../../shared/command.ts';

/** The entry point of the command. */
export const mainScript = fileURLToPath(new URL('../../main.js', import.meta.url));

/** Does a task in a process of its own, whose failure is recorded in the folder. */
export function runProcess(folder: RunFolder, task: number, jobs: number, { flags }: Call): Promise<void> {
  const threads = flags.threads ?? Math.max(1, Math.floor(availableParallelism() / jobs));
  const work = ['work', folder.path, '--task', String(task), '--threads', String(threads), '--quiet'];
  if (flags['no-simd']) work.push('--no-simd');
  const child = spawn(process.execPath, [...process.execArgv, mainScript, ...work], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(err.trim().replace(/^specnet work: /, '') || `ended by ${signal ?? `code ${code}`}`));
    });
  });
}
