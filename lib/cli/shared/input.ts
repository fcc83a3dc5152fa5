/** Reads input files: points, from which a graph is built as the flags say, or the weights of a given graph. */

import { readFile } from 'node:fs/promises';
import { formatFromName } from '../../formats/points.ts';
import { tableFormatFromName } from '../../formats/table/read-table.ts';
import type { Dataset } from '../../formats/dataset.ts';
import type { TableEncoding } from '../../formats/table/columns/encoding.ts';
import type { Table } from '../../formats/table/table.ts';
import { count as countOf } from '../../formats/table/wording.ts';
import { badValue } from '../../core/check.ts';
import { isFolder } from '../../files/read.ts';
import { runAsync } from '../../core/task.ts';
import { resolveRecipe } from '../../embedding/default-recipe.ts';
import { describeParts } from '../../embedding/graph-parts.ts';
import type { Model } from '../../embedding/model/model.ts';
import type { Preprocessing } from '../../embedding/model/preprocess.ts';
import { fitPreprocessingSteps } from '../../embedding/preprocessing/fit-preprocessing.ts';
import { buildGraph, type GraphRecipe } from '../../graph/build-graph.ts';
import { checkTwoNodes, type Graph, graphFrom } from '../../graph/graph.ts';
import { readMatrixMarket } from '../../formats/matrix-market/matrix-market.ts';
import { readNpz } from '../../formats/numpy/npz.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import { UsageError } from './arguments.ts';
import type { Call } from './command.ts';
import { checkGraphFlags, type GraphUse, recipeOf } from './graph-recipe.ts';
import { checkRepeatedRows } from './repeated-rows.ts';
import { readStoredGraph } from './stored.ts';
import { checkTableFlags, describeTable, openRows } from './table.ts';
import type { Flags } from '../flags/flags.ts';
import { formatList, formatNumber } from '../../charts/table.ts';

export interface Input {
  readonly graph: Graph;
  /** The points after --scale and --pca, from which the graph is built. Null if the file holds a graph. */
  readonly points: Points | null;
  /** The model of the points of the file, from a model of `points`. */
  ofFile(model: Model): Model;
  /** Warnings about the points: repeated ones, and columns of different spread. They name flags. */
  readonly warnings: readonly string[];
  /** The table of the points. Null if the file is no table. */
  readonly table: Table | null;
  /** Dense points with what is known about them: the table, if there is one. Null for a graph and for sparse points. */
  readonly dataset: Dataset | null;
  /** Lines that describe the file and the graph, and what was left out. */
  readonly description: string;
}

/** Reads or builds the graph of a file. Flags that do not apply are rejected before the graph is built. */
export async function openGraph(path: string, call: Call, use: GraphUse = {}): Promise<Input> {
  const { flags, terminal, progress } = call;
  const isStored = isFolder(path);
  if (!isStored && !isSparseFile(path) && !isPointsFile(path)) {
    const graphs = 'a graph (.mtx, .npz, or the folder of a stored one)';
    throw new UsageError(`expected ${pointFiles} or ${graphs}, got '${path}'. ${endingRemedy}`);
  }
  checkTableFlags(path, flags);
  if (flags.points && flags.affinity) throw new UsageError('expected --points or --affinity, got both.');
  if (use.needsPoints && flags.affinity) throw new UsageError(`expected points, got --affinity with '${path}'.`);
  const mayHoldGraph = isStored || (isSparseFile(path) && !flags.points && !use.needsPoints);
  if (mayHoldGraph) checkGraphFlags(flags.graph ?? 'given', true, !isStored, flags);
  const sparse = isSparseFile(path) && !isStored ? await readSparse(path, call) : null;
  const isGraph = isStored || (sparse !== null && holdsGraph(sparse, flags, use));
  const kind = flags.graph ?? (isGraph ? 'given' : 'knn');
  checkGraphFlags(kind, isGraph, sparse !== null, flags);
  progress.show(`reading ${path}`);
  const input = isGraph
    ? await givenGraph(path, sparse ? () => graphOf(sparse, flags) : () => readStoredGraph(path))
    : await buildPointGraph(path, sparse, recipeOf(kind, flags, use), flags, progress);
  progress.clear();
  const { graph } = input;
  // Without --json the printed description says so.
  if (flags.json && !flags.quiet && graph.components.count > 1) {
    terminal.note(`specnet: the graph has ${describeComponents(graph)}.\n`);
  }
  const warnings = [...repetitionWarnings(graph), ...input.warnings];
  if (!flags.quiet) for (const warning of warnings) terminal.note(`specnet: ${warning}\n`);
  return { ...input, warnings };
}

/** Prints on standard error that the graph has several parts, with the way out. */
export function noteParts(graph: Graph, { flags, terminal }: Call): void {
  if (!flags.quiet) for (const warning of partWarnings(graph)) terminal.note(`specnet: ${warning}\n`);
}

/** The warnings about a graph in several parts. They name flags. */
export function partWarnings(graph: Graph): string[] {
  return describeParts(graph).warnings.map((warning) => warning.replace("connect: 'join'", '--connect join'));
}

/** The warning about points that coincide with all their neighbors. */
function repetitionWarnings({ origin: { repeated } }: Graph): string[] {
  if (repeated === undefined) return [];
  const remedy = 'Remove repeated points, or raise --neighbors.';
  return [`${repeated} points coincide with all their neighbors, and join no others. ${remedy}`];
}

const pointFiles =
  'points (.csv, .tsv, .txt, .json, .ndjson, .arff, .libsvm, .parquet, .arrow, .npy, .idx, or these with .gz)';

/** Files are told apart by their endings, text and JSON among them by their contents. */
const endingRemedy = 'If it is a table of text, rename it to .csv.';

/** Whether the file holds a sparse matrix: the weights of a graph, or points. */
export function isSparseFile(path: string): boolean {
  return /\.(mtx(\.gz)?|npz)$/i.test(path);
}

/** Rejects files of other kinds, for commands that need the points themselves. */
export function requirePoints(path: string): void {
  if (isFolder(path) || (!isPointsFile(path) && !isSparseFile(path))) {
    throw new UsageError(`expected ${pointFiles} or sparse points (.npz, .mtx), got '${path}'. ${endingRemedy}`);
  }
}

function isPointsFile(path: string): boolean {
  return formatFromName(path) !== undefined || tableFormatFromName(path) !== undefined;
}

/** Reads points, dense or sparse. `columns`: those of the model that will be applied to them. */
export async function openPointFile(
  path: string,
  call: Call,
  columns: TableEncoding | undefined,
): Promise<Pick<Input, 'table' | 'dataset'> & { points: Points }> {
  if (!isSparseFile(path)) return nameFileInErrors(path, () => openRows(path, call.flags, columns));
  return { points: (await readSparse(path, call)).copy('single'), table: null, dataset: null };
}

/** Reads a sparse matrix in double precision. */
export async function readSparse(path: string, { progress }: Call): Promise<CsrMatrix> {
  progress.show(`reading ${path}`);
  return nameFileInErrors(path, async () => {
    const bytes = await readBytes(path);
    const read = /\.npz$/i.test(path) ? readNpz : readMatrixMarket;
    return read(bytes, { precision: 'double' });
  });
}

/** A square matrix is a graph unless the flags or the command say that it holds points. */
function holdsGraph({ rows, cols }: CsrMatrix, flags: Flags, { needsPoints }: GraphUse): boolean {
  if (flags.graph === 'given') return true;
  return flags.affinity ?? !(flags.points || needsPoints || rows !== cols);
}

/** The graph of a square matrix. If nothing says that it is one, the error for one that is not symmetric names the flag. */
function graphOf(matrix: CsrMatrix, { affinity, graph }: Flags): Graph {
  try {
    return graphFrom(matrix);
  } catch (error) {
    const isOpen = affinity === undefined && graph === undefined;
    if (isOpen && error instanceof RangeError && error.message.includes('a symmetric matrix'))
      error.message += ' If its rows are points, pass --points.';
    throw error;
  }
}

/** Reads the bytes of a file. */
export async function readBytes(path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: Error) => {
    throw badValue('readFile', 'a file that can be read', error.message);
  });
}

/** The number of nontrivial components: --components, or `fallback`, or fewer if the graph is smaller than that. */
export function componentCount(caller: string, graph: Graph, { components }: Flags, fallback: number): number {
  const most = graph.size - 1;
  if (components === undefined) return Math.min(fallback, most);
  checkTwoNodes(caller, graph);
  if (components > most)
    throw badValue(caller, `at most ${most} components, one less than the number of nodes`, components);
  return components;
}

/** Replaces the function name at the start of an error message by the path of the file, unless another file could not be written. */
export async function nameFileInErrors<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error)
      error.message = error.message.replace(/^(?!writeOutput)[\w.]+: (?=expected (?!a folder ))/, `${path}: `);
    throw error;
  }
}

async function buildPointGraph(
  path: string,
  sparse: CsrMatrix | null,
  recipe: GraphRecipe,
  flags: Flags,
  progress: Call['progress'],
): Promise<Input> {
  const {
    points: raw,
    table,
    dataset,
  } = sparse
    ? { points: sparse.copy('single'), table: null, dataset: null }
    : await nameFileInErrors(path, () => openRows(path, flags));
  const names = table?.columnNames;
  const { points, preprocessing, warnings } = await nameFileInErrors(path, () =>
    runAsync(fitPreprocessingSteps('preprocess', raw, { scale: flags.scale, pca: flags.pca }, names), {
      progress: progress.percent('scaling the points'),
    }),
  );
  const resolved = { ...resolveRecipe(points.rows, recipe), connect: recipe.connect ?? 'none' } as GraphRecipe;
  const options = { ...resolved, progress: progress.percent('building the graph') };
  if (!isSparse(points) && 'neighbors' in resolved && resolved.neighbors) {
    const { neighbors } = resolved;
    await nameFileInErrors(path, async () => checkRepeatedRows('embed', points, neighbors));
  }
  const graph = await nameFileInErrors(path, () => buildGraph(points, options));
  const kind = sparse ? 'sparse points' : 'points';
  const columns = `${raw.cols} column${raw.cols === 1 ? '' : 's'}${describePreprocessing(preprocessing)}`;
  const first = `${path}: ${points.rows} ${kind} of ${columns}; ${describeGraph(graph)}`;
  return {
    graph,
    points,
    table,
    dataset,
    description: [first, ...describeTable(table)].join('\n'),
    warnings: warnings.map((warning) => warning.replace(/\bscale: '(\w+)'/g, '--scale $1')),
    ofFile: (model) => ({
      ...model,
      ...(preprocessing && { preprocessing }),
      ...(table && { columns: table.encoding }),
    }),
  };
}

async function givenGraph(path: string, read: () => Graph): Promise<Input> {
  const graph = await nameFileInErrors(path, async () => read());
  const description = `${path}: ${describeGraph(graph)}`;
  return { graph, points: null, table: null, dataset: null, description, warnings: [], ofFile: (model) => model };
}

/** `, scaled (standard), as 5 principal components`. */
function describePreprocessing(preprocessing: Preprocessing | undefined): string {
  if (!preprocessing) return '';
  const { scale, axes } = preprocessing;
  return (scale === 'none' ? '' : `, scaled (${scale})`) + (axes ? `, as ${axes.cols} principal components` : '');
}

function describeGraph({ size, weights, components, origin }: Graph): string {
  const name = origin.kind === 'given' ? 'graph' : `${origin.kind} graph`;
  const recall = origin.recall === undefined ? '' : `, ${(100 * origin.recall).toFixed(1)} % of the neighbors found`;
  const { sigma, dimension } = origin;
  const tuned = dimension === undefined ? '' : `, σ ${formatNumber(sigma!)} for dimension ${dimension.toFixed(1)}`;
  return `${name} of ${size} nodes with ${weights.nonzeros} weights, ${describeComponents({ components, origin })}${recall}${tuned}`;
}

/** `connected`, by how many joins if there are any, or the number of components and their sizes. */
export function describeComponents({
  components: { count, sizes },
  origin: { joins },
}: Pick<Graph, 'components' | 'origin'>): string {
  if (count === 1)
    return joins
      ? `connected by ${countOf(joins.length, 'added edge')} between ${joins.length + 1} parts`
      : 'connected';
  return `${count} components of ${formatList([...sizes].toSorted((a, b) => b - a))} nodes`;
}
