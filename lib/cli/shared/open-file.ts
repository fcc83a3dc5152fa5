/** Shows a file in the program that the system chooses for it, which for a page is the browser. */

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Terminal } from './terminal.ts';

/** The program of each system, and the arguments before the path. */
const programs: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** A program that runs longer than this, in milliseconds, is showing the file. */
const patience = 2000;

/** Opens the file. Where that is not possible, a line says so, and what to do. */
export async function openInBrowser(path: string, terminal: Terminal): Promise<void> {
  const [program, ...words] = programs[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, resolve(path)], { detached: true, stdio: 'ignore' });
  const problem = await new Promise<string | null>((report) => {
    const timer = setTimeout(() => report(null), patience);
    const finish = (result: string | null): void => {
      clearTimeout(timer);
      report(result);
    };
    child.once('error', () => finish(`there is no program '${program}' here`));
    child.once('exit', (code) => finish(code === 0 ? null : `'${program}' found no browser`));
  });
  child.unref();
  if (problem) terminal.note(`specnet: --open: ${problem}. Open ${resolve(path)} in a browser.\n`);
}
