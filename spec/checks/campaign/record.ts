/** The recorded figures of the campaign: docs/reliability/campaign.json, and their tables in docs/reliability.md. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillMarks } from '../../../bench/report/marks.ts';
import { table } from '../../../bench/report/document-tables.ts';
import type { CampaignReport } from './run.ts';
import { tablesOf } from './tables.ts';

export const recordPath = fileURLToPath(new URL('../../../docs/reliability/campaign.json', import.meta.url));
export const documentPath = fileURLToPath(new URL('../../../docs/reliability.md', import.meta.url));

export function recordedCampaign(path = recordPath): CampaignReport | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CampaignReport) : null;
}

/** Puts the parts of a report in the place of those that were recorded before. The others stay. */
export function merge(before: CampaignReport | null, now: CampaignReport): CampaignReport {
  return {
    ...before,
    ...now,
    programs: [
      ...new Map([...(before?.programs ?? []), ...now.programs].map((each) => [each.split(' ')[0], each])).values(),
    ],
    kinds: { ...before?.kinds, ...now.kinds },
    ...((before?.kills ?? now.kills) && { kills: { ...before?.kills, ...now.kills } }),
    writes: { ...before?.writes, ...now.writes },
  };
}

export function writeRecord(path: string, report: CampaignReport): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
}

/** The document with the figures of the report between its marks. */
export async function withFigures(text: string, report: CampaignReport): Promise<string> {
  const tables = tablesOf(report);
  return fillMarks(text, documentPath, (name) => {
    if (name === 'programs') return `Seed ${report.seed}; ${report.programs.join(', ')}; ${machineOf(report)}.`;
    if (!Object.hasOwn(tables, name)) throw new RangeError(`withFigures: expected the name of figures, got ${name}.`);
    const { header, rows } = tables[name];
    return rows.length > 0 ? table(header, rows) : 'Not run yet.';
  });
}

function machineOf({ machine: { cpu, cores } }: CampaignReport): string {
  return `${cpu}, ${cores} cores`;
}
