/** The version of the package, read from its package.json. */

import { existsSync, readFileSync } from 'node:fs';

/** The nearest package.json above this file: three folders up from the source, four from the build. */
export function packageVersion(): string {
  const candidates = ['../../../package.json', '../../../../package.json'].map(
    (path) => new URL(path, import.meta.url),
  );
  const found = candidates.find((url) => existsSync(url));
  return (JSON.parse(readFileSync(found!, 'utf8')) as { version: string }).version;
}
