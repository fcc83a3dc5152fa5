/** How do packages get here that `npm ci` leaves out? Installed in a folder of their own, when first asked for. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** What went wrong, or null. npm's own record of a finished installation is the sign that there is one. */
export function installOnce(folder: string): string | null {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return null;
  // Some packages would fetch more once they are there, none of which is needed. Without a network it soon gives up.
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--prefix', folder];
  console.error(`Installing once: npm ${words.join(' ')}`);
  const { status, error, stderr } = spawnSync('npm', words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  if (status === 0) return null;
  const reason = error?.message ?? /npm error code (\w+)/.exec(stderr)?.[1] ?? `exit ${status}`;
  return `npm ci failed (${reason}); is there a network? By hand it is: npm ci --ignore-scripts --prefix ${folder}`;
}
