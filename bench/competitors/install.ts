/** Installs packages that `npm ci` does not install, in their own folder, on first use. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Returns the error, or null. npm's record of a finished installation shows that the packages are installed. A folder without a
 * lock file names exact versions instead: npm leaves builds for other systems out of a lock file if the registry does not have
 * all of them, and `npm ci` refuses such a file.
 */
export function installOnce(folder: string): string | null {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return null;
  const locked = existsSync(`${folder}package-lock.json`);
  // Install scripts would download more files that are not needed. Without a network the installation soon gives up.
  const command = [...(locked ? ['ci'] : ['install', '--no-package-lock']), '--ignore-scripts'];
  const words = [...command, '--no-audit', '--no-fund', '--fetch-retries=1', '--prefix', folder];
  console.error(`Installing once: npm ${words.join(' ')}`);
  const { status, error, stderr } = spawnSync('npm', words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  if (status === 0) return null;
  const reason = error?.message ?? /npm error code (\w+)/.exec(stderr)?.[1] ?? `exit ${status}`;
  const failed = `npm ${command.join(' ')}`;
  return `${failed} failed (${reason}); is there a network? By hand it is: ${failed} --prefix ${folder}`;
}
