/** The figures of a campaign as rows of tables, for the terminal and for docs/reliability.md. */

import { formatMilliseconds, formatTable } from '../../../lib/charts/table.ts';
import type { CampaignReport } from './run.ts';
import { countNames } from './tally.ts';

export interface FigureTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table of each part, by the name that the document has for it. Parts that were not run have no rows. */
export function tablesOf({ kinds, kills, writes, fits }: CampaignReport): Record<string, FigureTable> {
  const whole = (count: number): string => count.toLocaleString('en-US');
  const { failures: _failures, ...killCounts } = kills ?? { failures: [] };
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
      header: Object.keys(killCounts),
      rows: kills ? [Object.values(killCounts).map(whole)] : [],
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
