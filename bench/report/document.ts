/** `node --import tsx bench/report/document.ts`: puts the figures of the recorded run into docs/performance.md, between its marks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatNumber } from '../../lib/charts/table.ts';
import { fillMarks } from './marks.ts';
import { growthTables, profileTable, steadyTable, table } from './document-tables.ts';
import { noise, type Report, targetCells, targetHeader } from './report.ts';
import { type GroupName, groupNames, rowCells } from './row.ts';
import { storyFile } from './story.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const documentPath = `${root}docs/performance.md`;
export const recordFolder = `${root}docs/performance/`;

export function recordedRun(): Report {
  return JSON.parse(readFileSync(recordFolder + storyFile, 'utf8')) as Report;
}

/** The document with the figures of the report between its marks. */
export async function withFigures(text: string, report: Report): Promise<string> {
  return fillMarks(text, documentPath, (name) => figuresOf(name, report));
}

/** Tables that are not simply the rows of their group. */
const special: Record<string, (report: Report) => string> = {
  machine: ({ machine: { cpu, cores, node, scipy, load }, machine, quick, pace: { rounds, milliseconds } }) => {
    const loads = load.map((value) => value.toFixed(2)).join(' ');
    const who = [`${cpu}, ${cores} cores`, `Node ${node}`, ...(scipy ? [scipy.replace(/ \(.*\)/, '')] : [])].join('; ');
    const short = quick ? ['A quick run, on fewer points: a figure is missing where a target is meant for more.'] : [];
    return [
      `${who}. Load ${loads} at the start; ${rounds} rounds of ${milliseconds} ms.`,
      ...short,
      ...noise(machine),
    ].join(' ');
  },
  targets: ({ targets }) => {
    const count = (verdict: string): number => targets.filter((target) => target.verdict === verdict).length;
    const [met, missed, unknown] = ['met', 'missed', 'not measured'].map(count);
    const open = unknown > 0 ? `, ${unknown} not measured` : '';
    return `${met} met, ${missed} missed${open}.\n\n${table(targetHeader, targetCells(targets))}`;
  },
  profile: ({ groups }) => profileTable(groups.profile?.rows ?? []),
  growth: ({ groups }) => growthTables(groups.growth?.rows ?? []),
  steady: ({ groups }) => steadyTable(groups.steady?.rows ?? []),
  quality: ({ quality }) =>
    quality
      .map(({ title, settings, header, rows, notes }) =>
        [`**${title}** (${settings})`, table(header, rows), notes.join(' ')].join('\n\n'),
      )
      .join('\n\n'),
  seconds: ({ groups }) => {
    const entries = Object.entries(groups).map(([name, { seconds }]) => `${name} ${formatNumber(seconds)} s`);
    return `${entries.join(', ')}.`;
  },
};

function figuresOf(name: string, report: Report): string {
  const group = groupNames.find((one) => one === name);
  if (!group && !(name in special)) throw new RangeError(`withFigures: expected the name of figures, got ${name}.`);
  const figures = name in special ? special[name](report) : groupTable(report, group!);
  const below = group ? (report.groups[group]?.notes ?? []).join(' ') : '';
  return [figures, below].filter((part) => part !== '').join('\n\n') || 'Not measured.';
}

function groupTable({ groups }: Report, name: GroupName): string {
  const { header, cells } = rowCells(groups[name]?.rows ?? []);
  return cells.length > 0 ? table(header, cells) : '';
}

async function main(): Promise<void> {
  writeFileSync(documentPath, await withFigures(readFileSync(documentPath, 'utf8'), recordedRun()));
  console.log(`Written: ${documentPath}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
