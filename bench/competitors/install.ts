/** Installs packages that `npm ci` does not install, in their own folder, on first use. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Returns the error, or null. npm's record of a finished installation shows that the packages are installed. */
export function installOnce(folder: string): string | null {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return null;
  // npm does not list the builds for other systems of some packages in a lock file, and `ci` then refuses it.
  let attempt = npm('ci', folder);
  if (attempt.stderr?.includes('EUSAGE')) attempt = npm('install', folder);
  const { status, error, stderr } = attempt;
  if (status === 0) return null;
  const reason = error?.message ?? /npm error code (\w+)/.exec(stderr)?.[1] ?? `exit ${status}`;
  return `npm ci failed (${reason}); is there a network? By hand it is: npm ci --ignore-scripts --prefix ${folder}`;
}

/** Install scripts would download more files that are not needed. Without a network the installation soon gives up. */
function npm(command: string, folder: string) {
  const words = [command, '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--no-save'];
  console.error(`Installing once: npm ${words.join(' ')} --prefix ${folder}`);
  return spawnSync('npm', [...words, '--prefix', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
}
