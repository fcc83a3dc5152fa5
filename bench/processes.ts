/** Runs every bench group in its own process and merges the reports into one. */

import { cpus, loadavg } from 'node:os';
import { jsonOf } from './child.ts';
import { sequentially } from './sequentially.ts';
import type { Section } from './quality/section.ts';
import type { Report } from './report/report.ts';
import type { GroupName } from './report/row.ts';
import { judge } from './report/targets.ts';

export function theMachine(load: readonly number[], scipy: string | null): Report['machine'] {
  const processors = cpus();
  const [loadAtEnd] = loadavg();
  const cpu = processors[0]?.model ?? 'unknown';
  return { cpu, cores: processors.length, node: process.version, scipy, load, loadAtEnd };
}

/**
 * Measures each group with the arguments `words`, then the quality sections `qualities`. A group that fails is noted, its
 * targets count as not measured, and the exit code is 1. The results of the other groups are kept.
 */
export async function measureInProcesses(
  names: readonly GroupName[],
  words: readonly string[],
  qualities: readonly string[],
  measure: typeof jsonOf = jsonOf,
): Promise<Report> {
  const load = loadavg();
  const failures: string[] = [];
  const attempt = async <T>(what: string, more: readonly string[]): Promise<T | null> => {
    try {
      return await measure<T>('./main.ts', [what, ...more]);
    } catch (error) {
      failures.push(`${what} failed: ${(error as Error).message}`);
      return null;
    }
  };
  const tried = await sequentially(names, (name) => attempt<Report>(name, ['--json', ...words]));
  const sections = qualities.length > 0 ? await attempt<Section[]>('quality', [...qualities, '--json']) : [];
  const reports = tried.filter((report) => report !== null);
  if (reports.length === 0) throw new Error(failures.join('\n'));
  if (failures.length > 0) process.exitCode = 1;
  const open = names.filter((_, i) => tried[i] === null).flatMap((name) => judge({ [name]: [] }));
  const { targets, notes, ...rest } = joined(reports, sections ?? [], load);
  return { ...rest, targets: [...targets, ...open], notes: [...notes, ...failures] };
}

/** Merges the reports of several groups. All of them must have the same pace. */
export function joined(reports: readonly Report[], quality: readonly Section[], load: readonly number[]): Report {
  const scipy = reports.find(({ machine }) => machine.scipy !== null)?.machine.scipy ?? null;
  return {
    machine: theMachine(load, scipy),
    quick: reports[0].quick,
    pace: reports[0].pace,
    groups: Object.assign({}, ...reports.map(({ groups }) => groups)) as Report['groups'],
    quality,
    targets: reports.flatMap(({ targets }) => targets),
    notes: [...new Set(reports.flatMap(({ notes }) => notes))],
    checksum: reports.reduce((sum, { checksum }) => sum + checksum, 0),
  };
}
