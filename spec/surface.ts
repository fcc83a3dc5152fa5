/** The public surface as source: the modules that a user can import, by their name. */

import { readFileSync } from 'node:fs';

type Exports = Record<string, string | { readonly types: string; readonly default: string }>;

/** Public modules in the order of package.json: name, source file and names of the exported values. */
export async function openSurface(): Promise<{ name: string; source: string; module: Record<string, unknown> }[]> {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Exports };
  return Promise.all(
    Object.entries(exports)
      .filter((entry): entry is [string, Exclude<Exports[string], string>] => typeof entry[1] !== 'string')
      .map(async ([path, { default: built }]) => {
        const source = built.replace('./dist/', '').replace(/\.js$/, '.ts');
        const module = (await import(built.replace('./dist/', '../'))) as Record<string, unknown>;
        return { name: path.replace('.', 'specnet'), source, module };
      }),
  );
}
