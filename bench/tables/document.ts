/** `node --import tsx bench/tables/document.ts`: puts the figures of the recorded run into docs/real-data.md, between its marks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordFolder } from '../report/document.ts';
import { fillMarks } from '../report/marks.ts';
import { table } from '../report/document-tables.ts';
import { show, type Section } from '../quality/section.ts';
import { mebibytes } from '../report/row.ts';
import type { Run } from './run.ts';
import { type ColumnName, columnNames, type SetFigures, type TableFigures } from './tables.ts';

export const tablesPath = fileURLToPath(new URL('../../docs/real-data.md', import.meta.url));

/** The recorded run: what `npm run bench -- quality tables --json` printed. */
export function recordedTables(): TableFigures {
  const [section] = JSON.parse(readFileSync(`${recordFolder}tables.json`, 'utf8')) as Section[];
  return section.figures as TableFigures;
}

type Measured = Exclude<Run, { readonly error: string }>;

/** Methods that find as many clusters as there are labels. */
const compared = (Object.keys(columnNames) as ColumnName[]).filter((method) => method !== 'auto');

function pivot({ sets }: TableFigures, text: (run: Measured) => string): string {
  const header = ['data', ...compared.map((method) => columnNames[method])];
  const rows = sets.map((set) => [set.name].concat(compared.map((method) => cellOf(set, method, text))));
  return table(header, rows);
}

function cellOf({ runs, error }: SetFigures, method: ColumnName, text: (run: Measured) => string): string {
  const run = runs[method];
  if (error !== undefined) return 'not measured';
  if (!run) return '–';
  return 'error' in run ? 'failed' : text(run);
}

/** How far our default is below the exact eigenvectors at most, in words. */
function worstOf({ sets }: TableFigures): string {
  const losses = sets.flatMap(({ name, runs: { ours, exact } }) =>
    ours && exact && !('error' in ours) && !('error' in exact) ? [{ name, loss: lossOf(ours, exact) }] : [],
  );
  if (losses.length === 0) return 'Not measured.';
  const { name, loss } = losses.reduce((most, next) => (next.loss > most.loss ? next : most));
  const where = loss < 0.0005 ? '' : ` (${name})`;
  return `No figure of our default, ARI, NMI or accuracy on held-out rows, is more than ${show(Math.max(0, loss))} below that of exact eigenvectors of the same graph${where}.`;
}

/** How far the worst score is below the other. */
export function lossOf(ours: Measured, exact: Measured): number {
  const scores = ['ari', 'nmi', 'accuracy'] as const;
  return Math.max(...scores.map((score) => (exact[score] ?? 0) - (ours[score] ?? 0)));
}

const figures: Readonly<Record<string, (figures: TableFigures) => string>> = {
  machine: ({ machine, notes }) => `${[machine, ...notes].join('; ')}.`,
  data: ({ sets }) =>
    table(
      ['data', 'rows', 'columns', 'labels', 'source'],
      sets.map(({ name, rows, columns, clusters, source, error }) => [
        name,
        error ?? rows.toLocaleString('en'),
        columns.toLocaleString('en'),
        String(clusters),
        source,
      ]),
    ),
  ari: (run) => `${pivot(run, ({ ari }) => show(ari))}\n\n${worstOf(run)}`,
  nmi: (run) => pivot(run, ({ nmi }) => show(nmi)),
  accuracy: (run) => pivot(run, ({ accuracy }) => (accuracy === null ? '–' : show(accuracy))),
  cost: (run) => pivot(run, ({ seconds, bytes }) => `${show(seconds, 2)} s, ${mebibytes(bytes)}`),
  auto: ({ sets }) =>
    table(
      ['data', 'labels', 'chosen', 'clear', 'ARI'],
      sets.flatMap(({ name, clusters, runs: { auto } }) => {
        if (!auto || 'error' in auto) return [];
        const isClear = !auto.warnings?.some((text) => text.includes('number of clusters is not clear'));
        return [[name, String(clusters), String(auto.chosen), isClear ? 'yes' : 'no', show(auto.ari)]];
      }),
    ),
};

/** The page with the figures of a run. */
export function withTableFigures(text: string, run: TableFigures): Promise<string> {
  return fillMarks(text, tablesPath, (name) => {
    if (!(name in figures)) throw new RangeError(`withTableFigures: expected the name of figures, got ${name}.`);
    return figures[name](run);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(tablesPath, await withTableFigures(readFileSync(tablesPath, 'utf8'), recordedTables()));
  console.log(`Written: ${tablesPath}`);
}
