/** `node --import tsx bench/document.ts`: puts the figures of the recorded run into docs/performance.md, between its marks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { formatNumber } from '../lib/charts/table.ts';
import { growthTables, profileTable, steadyTable, table } from './document-tables.ts';
import { noise, type Report, targetCells, targetHeader } from './report.ts';
import { type GroupName, groupNames, rowCells } from './row.ts';
import { storyFile } from './story.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
export const documentPath = `${root}docs/performance.md`;
export const recordFolder = `${root}docs/performance/`;

export function recordedRun(): Report {
  return JSON.parse(readFileSync(recordFolder + storyFile, 'utf8')) as Report;
}

/**
 * Replaces the text between `<!-- figures: name -->` and `<!-- end -->` by figures of the report. Leaves the rest
 * unchanged.
 */
export function withFigures(text: string, report: Report): Promise<string> {
  return fillFigures(text, documentPath, (name) => figuresOf(name, report));
}

/** The same for a page at `path` and any figures by name. */
export async function fillFigures(text: string, path: string, figures: (name: string) => string): Promise<string> {
  const filled = text.replace(
    /(<!-- figures: (.*?) -->\n)[^]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${figures(name)}\n\n${end}`,
  );
  return format(filled, { ...(await resolveConfig(path)), parser: 'markdown' });
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
