/** Tables on the command line: their options from flags, their description, and the ids and labels in output files. */

import type { Dataset } from '../../formats/dataset.ts';
import { openPoints, openTableAs } from '../../formats/disk.ts';
import { formatFromName } from '../../formats/points.ts';
import type { TableEncoding } from '../../formats/table/columns/encoding.ts';
import { tableFormatFromName } from '../../formats/table/read-table.ts';
import type { Table } from '../../formats/table/table.ts';
import { count, listOptions, type Wording } from '../../formats/table/wording.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from './arguments.ts';
import { type Flags, tableFlags } from '../flags/flags.ts';
import { oneOf } from '../flags/kinds.ts';

/** The points of a file, and the table that they came from. */
export interface Rows {
  readonly points: Tensor;
  /** Null for .npy and .idx. */
  readonly table: Table | null;
  /** The table or, for other files, the points with their names. */
  readonly dataset: Dataset;
}

/** Reads the points of a file. `columns`: those of the model that will be applied to them. */
export async function openRows(path: string, flags: Flags, columns?: TableEncoding): Promise<Rows> {
  if (!isTableFile(path)) {
    const dataset = await openPoints(path);
    return { points: dataset.points, table: null, dataset };
  }
  const { label, id, ignore, categorical, missing, delimiter, decimal, header } = flags;
  const missingValues = flags['missing-values'];
  const wanted = columns ?? flags.columns;
  const table = await openTableAs(wording, path, {
    ...(label !== undefined && { label }),
    ...(id !== undefined && { id }),
    ...(ignore && { ignore }),
    ...(categorical && { categorical }),
    ...(missing && { missing }),
    ...(missingValues && { missingValues }),
    ...(delimiter && { delimiter }),
    ...(decimal && { decimal }),
    ...(wanted && { columns: wanted }),
    ...(flags['max-bytes'] !== undefined && { maxBytes: flags['max-bytes'] }),
    ...((header || flags['no-header']) && { header: header ?? false }),
  });
  return { points: table.points, table, dataset: table };
}

/** Rejects flags of tables for other files. */
export function checkTableFlags(path: string, flags: Flags): void {
  const given = tableFlags.find((name) => flags[name] !== undefined);
  if (given !== undefined && !isTableFile(path)) {
    throw new UsageError(
      `expected --${given} with a table (.csv, .tsv, .txt, .json, .arff, .libsvm, .parquet, .arrow), got '${path}'.`,
    );
  }
  if (flags.header && flags['no-header']) throw new UsageError('expected --header or --no-header, got both.');
}

function isTableFile(path: string): boolean {
  const format = formatFromName(path);
  return tableFormatFromName(path) !== undefined && (format === undefined || format === 'csv');
}

/** Messages of the reader name flags. */
const wording: Wording = {
  caller: 'readTable',
  option(name, ...values) {
    if (name === 'header') return values[0] === 'false' ? '--no-header' : '--header';
    const words = values.map((value) => ({ '\t': 'tab', ' ': 'space' })[value] ?? value);
    const text = words.map((word) => (listOptions.has(name) && word.includes(',') ? `"${word}"` : word)).join(',');
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    // A point at the end would be taken for that of the sentence.
    return `--${flag} ${/^-?\w([\w.,%=+-]*[\w%=+-])?$/.test(text) ? text : `'${text}'`}`;
  },
};

/** The largest number of columns that are named in a line. */
const mostNames = 12;

/** Lines that name the columns left out, the label or candidates for it, and the notes of the reader. */
export function describeTable(table: Table | null): string[] {
  if (!table) return [];
  return [...tableFacts(table).map(([name, text]) => `${name}: ${text}.`), ...table.notes];
}

/** The columns left out, the label or candidates for it, and the ids: as far as there are any, each with its heading. */
export function tableFacts(table: Table): (readonly [heading: string, text: string])[] {
  const { leftOut, labelColumn, labelCandidates, idColumn } = table;
  const facts: (readonly [string, string])[] = [];
  if (leftOut.length > 0) {
    const shown = leftOut.slice(0, mostNames).map(({ name, reason }) => `${name} (${reason})`);
    const more = leftOut.length - shown.length;
    facts.push(['Left out', shown.join(', ') + (more > 0 ? ` and ${more} more (--json names all)` : '')]);
  }
  if (labelColumn !== undefined) {
    const classes = new Set(table.labels).size;
    // The name of a column called label says it already, unless it names one class only.
    if (labelColumn !== 'label' || classes === 1) facts.push(['Label', `${labelColumn} (${count(classes, 'class')})`]);
  } else if (labelCandidates.length > 0) {
    const offers = labelCandidates.slice(0, 4).map((name) => wording.option('label', name));
    facts.push(['Label', `none. To use one: ${oneOf(offers)}`]);
  }
  if (idColumn !== undefined && table.columns.some(({ name }) => name === idColumn)) facts.push(['Ids', idColumn]);
  return facts;
}

/** The key `table` of a JSON report. Nothing for files that are not tables. */
export function tableReport(table: Table | null): { table?: object } {
  if (!table) return {};
  const { columnNames, leftOut, labelColumn, labelCandidates, idColumn, missing, notes, points } = table;
  return {
    table: {
      columns: columnNames,
      leftOut,
      label: labelColumn ?? null,
      labelCandidates,
      id: idColumn ?? null,
      missing,
      dropped: (table.columns[0]?.values.length ?? points.rows) - points.rows,
      notes,
    },
  };
}

/** The ids and labels that an output file contains. */
export function carriedAlong(
  table: Table | null,
): Pick<Dataset, 'ids' | 'idColumn' | 'labels' | 'labelNames' | 'labelColumn'> {
  if (!table) return {};
  const { ids, idColumn, labels, labelNames, labelColumn } = table;
  return {
    ...(ids && { ids }),
    ...(idColumn !== undefined && { idColumn }),
    ...(labels && { labels }),
    ...(labelNames && { labelNames }),
    ...(labelColumn !== undefined && { labelColumn }),
  };
}
