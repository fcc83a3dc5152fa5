/** Which spec files run, in which order, and which of them share a process. */

import { readdirSync } from 'node:fs';
import { slowFiles, uncoveredFiles } from './slow-files.ts';

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

/**
 * The groups of files that share a process, each with coverage or without, the longest first. A file of its own process would spend some 0.3 s on
 * loading modules. A group takes about ten seconds at most, and less where `jobs` processes would otherwise have too few groups.
 */
export function groupSpecs(files: readonly string[], jobs: number): string[][] {
  const seconds = (file: string): number => slowFiles[file] ?? 0.5;
  const total = files.reduce((sum, file) => sum + seconds(file), 0);
  const most = Math.min(10, total / (4 * jobs));
  const groups: string[][] = [];
  for (const isUncovered of [true, false]) {
    let left = 0;
    for (const file of files.filter((one) => uncoveredFiles.has(one) === isUncovered)) {
      if (seconds(file) > left) {
        groups.push([]);
        left = most;
      }
      groups[groups.length - 1].push(file);
      left -= seconds(file);
    }
  }
  const length = (group: readonly string[]): number => group.reduce((sum, file) => sum + seconds(file), 0);
  return groups.toSorted((a, b) => length(b) - length(a));
}
