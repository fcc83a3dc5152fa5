/** A file of the user: its limits, and how messages name it. */

import { limits } from './settings.ts';

export interface UserFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a tab can hold. More points than `points` are sampled, and everything else is refused. */
export const fileLimits = {
  bytes: 64 * 2 ** 20,
  lines: 200_000,
  columns: 4096,
  points: limits.points[1],
  /** Of points times columns. */
  numbers: 16_000_000,
} as const;

/** The way out for files that are too large for a page. */
export const otherwise = 'Drop a part of it, or use the command line, which has no such limit: specnet embed FILE.';

/** The same for a file of this name: matrices are measured. */
export function otherwiseFor(name: string): string {
  return isMatrixFile(name) ? 'Use the command line, which has no such limit: specnet bench FILE.' : otherwise;
}

/** Whether the name is that of a Matrix Market file, which the Bench tab measures. */
export function isMatrixFile(name: string): boolean {
  return /\.mtx(\.gz)?$/i.test(name);
}

/** The beginning of a name, without invisible characters, which could make it look like another one. */
export function shortName(name: string): string {
  const visible = name.replace(/\p{C}/gu, '?');
  return visible.length > 60 ? `${visible.slice(0, 57)}…` : visible;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MB`;
}
