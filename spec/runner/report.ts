/** What a run prints: one line for each file, the output of failures, totals and the slowest files. */

import type { Result } from './spec-process.ts';
import { mentionAfter, slowFiles } from './slow-files.ts';

/** One line; the whole output below it if the file failed, otherwise what its tests printed themselves. */
export function describeResult({ file, failure, passed, seconds, output }: Result): string {
  const line = `${failure ? 'FAILED' : '    ok'} ${formatSeconds(seconds)}  ${file}`;
  if (failure) return `${line}: ${failure}\n${indent(output.trimEnd())}`;
  const notes = readNotes(output);
  return `${line}  (${passed})${notes === '' ? '' : `\n${indent(notes)}`}`;
}

/** Totals, the ten slowest files, and again what failed. */
export function describeRun(results: readonly Result[], wall: number): string {
  const sum = (read: (result: Result) => number): number => results.reduce((total, one) => total + read(one), 0);
  const bySeconds = results.toSorted((a, b) => b.seconds - a.seconds);
  const failed = results.filter(({ failure }) => failure !== null);
  const unlisted = bySeconds.filter(({ file, seconds }) => seconds > mentionAfter && !Object.hasOwn(slowFiles, file));
  return [
    '',
    `The ${Math.min(10, results.length)} slowest:`,
    ...bySeconds.slice(0, 10).map(({ file, seconds }) => `${formatSeconds(seconds)}  ${file}`),
    '',
    ...unlisted.map(
      ({ file }) => `${file} took more than ${mentionAfter} s and is not listed in spec/runner/slow-files.ts.`,
    ),
    `${results.length} files, ${sum(({ passed }) => passed)} tests passed, ${sum(({ skipped }) => skipped)} skipped, ` +
      `${wall.toFixed(1)} s (${sum(({ seconds }) => seconds).toFixed(1)} s in all processes)`,
    ...failed.map(({ file, failure }) => `FAILED ${file}: ${failure}`),
  ].join('\n');
}

/** What tests printed, without the dots and counts of uvu. */
export function readNotes(output: string): string {
  const isOwn = (line: string): boolean => /^\s*(?:\(\d+ \/ \d+\))?$/.test(line);
  return output
    .split('\n')
    .map((line) => line.replace(/^.*[•✘] /, ''))
    .filter((line) => !isOwn(line))
    .join('\n');
}

function formatSeconds(seconds: number): string {
  return `${seconds.toFixed(1).padStart(6)} s`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
