/** All TypeScript modules of the project compiled once, for the processes of one run. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { transform } from 'esbuild';
import { compileOptions } from './load-typescript.js';

const roots = ['lib', 'datasets', 'spec', 'bench', 'docs'] as const;

/** Writes FILE.js below `folder` for every FILE of the project; paths are relative to the working folder. */
export async function compileAll(folder: string): Promise<void> {
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => `${root}/${name}`),
  );
  for (const parent of new Set(files.map(dirname))) mkdirSync(`${folder}/${parent}`, { recursive: true });
  await Promise.all(
    files.map(async (file) => {
      const { code } = await transform(readFileSync(file, 'utf8'), compileOptions(file));
      writeFileSync(`${folder}/${file}.js`, code);
    }),
  );
}
