/** Runs a script in its own process, so that its memory and its compiled code are separate from ours. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Runs a script of this folder and passes on each line that it prints. Standard error is shown to the user. */
export async function linesOf(script: string, words: readonly string[], take: (line: string) => void): Promise<void> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = once(child, 'close');
  for await (const line of createInterface(child.stdout)) take(line);
  const [status] = (await end) as [number];
  if (status !== 0) throw new Error(`${script} ${words.join(' ')} ended with exit ${status}.`);
}

/** The same for a script that prints one JSON value. */
export async function jsonOf<T>(script: string, words: readonly string[]): Promise<T> {
  const lines: string[] = [];
  await linesOf(script, words, (line) => lines.push(line));
  return JSON.parse(lines.join('\n')) as T;
}
