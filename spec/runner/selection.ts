/** Which spec files run, and in which order: the slow ones first. */

import { readdirSync } from 'node:fs';
import { slowFiles } from './slow-files.ts';

export interface Selection {
  /** Longest first. */
  readonly files: readonly string[];
  /** Slow files that the quick lane leaves out. */
  readonly leftOut: readonly string[];
}

/** Paths below `folder` that match any of the patterns (regular expressions, case ignored), or all if there are none. */
export function selectSpecs(folder: string, patterns: readonly string[], isQuick: boolean): Selection {
  const wanted = patterns.map((pattern) => new RegExp(pattern, 'i'));
  const matching = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.spec.ts') && !file.includes('/node_modules/'))
    .filter((file) => wanted.length === 0 || wanted.some((pattern) => pattern.test(file)));
  const isSlow = (file: string): boolean => Object.hasOwn(slowFiles, file);
  const seconds = (file: string): number => slowFiles[file] ?? 0;
  const files = matching
    .filter((file) => !(isQuick && isSlow(file)))
    .toSorted((a, b) => seconds(b) - seconds(a) || (a < b ? -1 : 1));
  return { files, leftOut: isQuick ? matching.filter(isSlow).toSorted() : [] };
}
