/** The figures of a campaign as rows of tables, for the terminal and for docs/reliability.md. */

import { formatMilliseconds, formatTable } from '../../../lib/charts/table.ts';
import type { KillCounts, KillReport } from './kills.ts';
import type { CampaignReport } from './run.ts';
import { countNames } from './tally.ts';

export interface FigureTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table of each part, by the name that the document has for it. Parts that were not run have no rows. */
export function tablesOf({ kinds, kills, writes, fits }: CampaignReport): Record<string, FigureTable> {
  const whole = (count: number): string => count.toLocaleString('en-US');
  return {
    kinds: {
      header: ['kind', ...countNames.map((name) => columnNames[name] ?? name), 'longest call', 'memory'],
      rows: Object.entries(kinds).map(([name, tally]) =>
        [name].concat(
          countNames.map((count) => whole(tally[count])),
          formatMilliseconds(tally.largestMilliseconds),
          `${tally.largestMegabytes.toFixed(0)} MB`,
        ),
      ),
    },
    more: {
      header: ['kind', 'what', 'count'],
      rows: Object.entries(kinds).flatMap(([name, { more }]) =>
        Object.entries(more).map(([what, count]) => [name, what, whole(count)]),
      ),
    },
    kills: {
      header: ['command', ...killColumns],
      rows: kills ? killRows(kills) : [],
    },
    writes: {
      header: ['part', 'runs', 'right', 'raw errors', 'torn', 'drafts', 'hangs'],
      rows: Object.entries(writes).map(([name, { tries, right, raw, torn, drafts, hangs }]) =>
        [name].concat([tries, right, raw, torn, drafts, hangs].map(whole)),
      ),
    },
    fits: {
      header: ['fits', 'at the same time', 'aborted', 'other bits', 'more memory at the end', 'threads left'],
      rows: fits
        ? [
            [
              ...[fits.fits, fits.concurrent, fits.aborted, fits.unequal].map(whole),
              `${fits.growthMegabytes.toFixed(1)} MB`,
              whole(fits.threadsLeft),
            ],
          ]
        : [],
    },
  };
}

const killColumns = ['files', 'kills', 'missed', 'torn', 'lost', 'unequal', 'drafts'] as const;

/** A row for each writer, and their sum. */
function killRows(kills: KillReport): string[][] {
  const row = (name: string, counts: Pick<KillCounts, (typeof killColumns)[number]>): string[] =>
    [name].concat(killColumns.map((column) => String(counts[column])));
  return [...Object.entries(kills).map(([name, counts]) => row(name, counts)), row('all', totalKills(kills))];
}

export function totalKills(kills: KillReport): Record<(typeof killColumns)[number], number> {
  const sum = (column: (typeof killColumns)[number]): number =>
    Object.values(kills).reduce((total, counts) => total + counts[column], 0);
  return Object.fromEntries(killColumns.map((column) => [column, sum(column)])) as ReturnType<typeof totalKills>;
}

/** All tables with rows, for the terminal, then the failures. */
export function formatReport(report: CampaignReport): string {
  const tables = Object.values(tablesOf(report)).filter(({ rows }) => rows.length > 0);
  const skipped = Object.entries(report.writes).flatMap(([name, { skipped: reason }]) =>
    reason ? [`left out: ${name}, because ${reason}`] : [],
  );
  return [...tables.map(({ header, rows }) => formatTable(header, rows, 1)), ...skipped].join('\n\n');
}

/** Where the document has another word than the code. */
const columnNames: Readonly<Record<string, string>> = { unread: 'only accepted here', raw: 'raw errors' };
