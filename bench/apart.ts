/** How do several groups stay out of each other's way? Each has a process of its own, and their reports become one. */

import { cpus, loadavg } from 'node:os';
import { jsonOf } from './child.ts';
import { inTurn } from './in-turn.ts';
import type { Section } from './quality/section.ts';
import type { Report } from './report.ts';
import type { GroupName } from './row.ts';

export function theMachine(load: readonly number[], scipy: string | null): Report['machine'] {
  const processors = cpus();
  const [loadAtEnd] = loadavg();
  const cpu = processors[0]?.model ?? 'unknown';
  return { cpu, cores: processors.length, node: process.version, scipy, load, loadAtEnd };
}

/** `words` for each of them; of `qualities` the sections follow the groups. What fails is noted, and the exit says so. */
export async function measureApart(
  names: readonly GroupName[],
  words: readonly string[],
  qualities: readonly string[],
): Promise<Report> {
  const load = loadavg();
  const reports = await inTurn(names, (name) => jsonOf<Report>('./main.ts', [name, '--json', ...words]));
  const quality = qualities.length > 0 ? await jsonOf<Section[]>('./main.ts', ['quality', ...qualities, '--json']) : [];
  return joined(reports, quality, load);
}

/** One report of several, which have the same pace. */
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
