/** The flags --plot, --color and --open: writes a picture of the coordinates, and shows it. */

import { basename } from 'node:path';
import { badValue } from '../../core/check.ts';
import type { Dataset } from '../../formats/dataset.ts';
import { isNumeric } from '../../formats/table/columns/column.ts';
import { Table } from '../../formats/table/table.ts';
import type { Graph } from '../../graph/graph.ts';
import { type PlotColumn, plotEmbedding, type PlotOptions } from '../../pictures/plot-embedding.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from './arguments.ts';
import type { Call } from './command.ts';
import { describeComponents, partWarnings } from './input.ts';
import { openInBrowser } from './open-file.ts';
import { plotWriters, prepareOutput } from './output.ts';
import { tableFacts } from './table.ts';

/** The contents of the picture besides the data of the file. */
type Findings = Pick<PlotOptions, 'eigenvalues' | 'clusters' | 'names' | 'diagnostics' | 'warnings'>;

/** The picture of one run. */
export interface Plot {
  /** Whether there is one to draw. */
  readonly isWanted: boolean;
  /** Rejects --color if it names nothing in the picture. `names`: the coordinates and, for clusters, 'cluster'. */
  checkColor(dataset: Dataset | null, names: readonly string[]): void;
  /** Writes the picture, and opens it if --open is set. */
  write(coordinates: Tensor, dataset: Dataset | null, findings: Findings): Promise<void>;
}

/** Checks the flags, before the computation starts. */
export async function preparePlot({ flags, operands, terminal, progress }: Call): Promise<Plot> {
  const { plot: path, color, open } = flags;
  if (path === undefined && (open || color !== undefined)) {
    throw new UsageError(`expected --plot FILE with --${open ? 'open' : 'color'}, got none.`);
  }
  const write = await prepareOutput(path, plotWriters, '--plot');
  return {
    isWanted: path !== undefined,
    checkColor(dataset, names) {
      if (color === undefined) return;
      const { labels, labelName, columns = [] } = dataOf(dataset);
      const ofLabels = labels ? ['label', ...(labelName ? [labelName] : [])] : [];
      const choices = [...names, ...new Set(ofLabels), ...columns.map(({ name }) => name)];
      if (!choices.includes(color)) throw badValue('plot', `--color to be one of ${choices.join(', ')}`, `'${color}'`);
    },
    async write(coordinates, dataset, findings) {
      if (path === undefined) return;
      progress.show(`drawing ${path}`);
      const { facts, ...data } = dataOf(dataset);
      const options = { title: basename(operands.at(-1)!), ...data, ...findings, ...(color && { colorBy: color }) };
      const diagnostics = { ...findings.diagnostics, ...facts };
      await write((format) => plotEmbedding(coordinates, { ...options, diagnostics, format }));
      progress.clear();
      if (open) await openInBrowser(path, terminal);
    },
  };
}

/** A page with more numbers than this, or more columns, would be slow to open. */
const [mostNumbers, mostColumns] = [3_000_000, 100];

type PlotData = Pick<PlotOptions, 'labels' | 'labelName' | 'ids' | 'columns'> & {
  readonly facts?: Record<string, string>;
};

/** Labels, ids and columns of the file. `facts`: what was chosen and noted, and whether the columns are too many for a picture. */
function dataOf(dataset: Dataset | null): PlotData {
  if (!dataset) return {};
  const { points, labels, labelNames, ids } = dataset;
  const known = {
    ...(labels && { labels: labelNames ? Array.from(labels, (label) => labelNames[label]) : labels }),
    ...(dataset instanceof Table && dataset.labelColumn && { labelName: dataset.labelColumn }),
    ...(ids && { ids }),
  };
  const [columns, facts] =
    dataset instanceof Table ? [tableColumns(dataset), factsOf(dataset)] : [columnsOf(dataset), {}];
  if (points.rows * columns.length > mostNumbers || columns.length > mostColumns) {
    return { ...known, facts: { ...facts, 'columns of the file': `${columns.length}, too many for this page` } };
  }
  return { ...known, facts, columns };
}

/** What is printed about a table, as rows of the table of diagnostics. */
function factsOf(table: Table): Record<string, string> {
  const facts = tableFacts(table).map(([heading, text]) => [heading.toLowerCase(), text] as const);
  return { ...Object.fromEntries(facts), ...(table.notes.length > 0 && { notes: table.notes.join(' ') }) };
}

/** All columns of a table as they were read, also those that are not coordinates, except label and ids. The first one colors the points. */
function tableColumns({ columns, labelColumn, targetColumn, idColumn, rowNumbers }: Table): PlotColumn[] {
  return columns
    .filter(({ name }) => name !== labelColumn && name !== idColumn)
    .toSorted((a, b) => Number(b.name === targetColumn) - Number(a.name === targetColumn))
    .map((column) => ({
      name: column.name,
      values: isNumeric(column)
        ? Float64Array.from(rowNumbers, (row) => column.values[row])
        : Array.from(rowNumbers, (row) => column.values[row] ?? ''),
    }));
}

function columnsOf({ points: { rows, cols, data }, columnNames }: Dataset): PlotColumn[] {
  return Array.from({ length: cols }, (_, k) => ({
    name: columnNames?.[k] ?? `column ${k + 1}`,
    values: Float64Array.from({ length: rows }, (__, i) => data[i * cols + k]),
  }));
}

/** The rows of the table of diagnostics that describe a graph. */
export function graphFacts(graph: Graph): Record<string, string> {
  const { origin, weights } = graph;
  return {
    graph: origin.kind,
    'weights per node': (weights.nonzeros / graph.size).toFixed(1),
    components: describeComponents(graph),
    ...(origin.recall !== undefined && { 'neighbors found': `${(100 * origin.recall).toFixed(1)} %` }),
  };
}

/** What a user has to know about coordinates that have not converged to eigenvectors. */
export const notConverged =
  'not converged: the coordinates are those of the last iteration. They vary slowly over the graph, but other coordinates may vary ' +
  'more slowly. Leave out repeated rows, use more columns or more neighbors, or take the method ritz.';

/** What a reader of the picture has to know: about the graph, the points, and what went wrong, as it is printed. */
export function plotWarnings(graph: Graph, ofPoints: readonly string[], problems: readonly string[]): string[] {
  const sentences = problems.map((problem) => `${problem[0].toUpperCase()}${problem.slice(1)}`);
  return [...partWarnings(graph), ...ofPoints, ...sentences];
}
