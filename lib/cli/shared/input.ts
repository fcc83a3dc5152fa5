/** Reads input files: points, from which a graph is built as the flags say, or the weights of a given graph. */

import { readFile } from 'node:fs/promises';
import { openPoints } from '../../formats/disk.ts';
import { formatFromName } from '../../formats/points.ts';
import type { Dataset } from '../../formats/dataset.ts';
import { badValue } from '../../core/check.ts';
import { resolveRecipe } from '../../embedding/default-neighbors.ts';
import { buildGraph, type GraphRecipe } from '../../graph/build-graph.ts';
import { checkTwoNodes, type Graph, graphFrom } from '../../graph/graph.ts';
import { readMatrixMarket } from '../../formats/matrix-market/matrix-market.ts';
import { readNpz } from '../../formats/numpy/npz.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from './arguments.ts';
import type { Call } from './command.ts';
import { type Flags, graphFlags, oneOf } from './flags.ts';
import { formatList } from '../../charts/table.ts';

export interface Input {
  readonly graph: Graph;
  /** Null if the file holds a graph. */
  readonly points: Tensor | null;
  /** The labels, if the file has any. */
  readonly labels?: Int32Array;
  /** One line that describes the file and the graph. */
  readonly description: string;
}

type GraphKind = NonNullable<Flags['graph']>;

/** The flags that each kind of graph accepts. */
const flagsOfKind: Record<GraphKind, readonly (typeof graphFlags)[number][]> = {
  gaussian: ['sigma', 'threshold'],
  knn: ['neighbors', 'exclude-self'],
  'knn-gaussian': ['sigma', 'neighbors', 'exclude-self'],
  'self-tuned': ['neighbors', 'exclude-self'],
  given: [],
};

/** Reads or builds the graph of a file. Flags that do not apply are rejected before the file is opened. */
export async function openGraph(path: string, { flags, terminal, progress }: Call): Promise<Input> {
  const isGraph = isGraphFile(path);
  if (!isGraph && formatFromName(path) === undefined) {
    throw new UsageError(
      `expected points (.csv, .npy, .idx or these with .gz) or a graph (.mtx, .npz), got '${path}'.`,
    );
  }
  const kind = flags.graph ?? (isGraph ? 'given' : 'knn');
  checkFlags(kind, isGraph, flags);
  progress.show(`reading ${path}`);
  const input = isGraph ? await readGraph(path) : await buildPointGraph(path, recipeOf(kind, flags), flags, progress);
  progress.clear();
  const { graph } = input;
  // Without --json the printed description says so.
  if (flags.json && !flags.quiet && graph.components.count > 1) {
    terminal.note(`specnet: the graph has ${describeComponents(graph)}.\n`);
  }
  if (graph.origin.repeated !== undefined && !flags.quiet) {
    const count = graph.origin.repeated;
    const remedy = 'Remove repeated points, or raise --neighbors.';
    terminal.note(`specnet: ${count} points coincide with all their neighbors, and join no others. ${remedy}\n`);
  }
  return input;
}

export function isGraphFile(path: string): boolean {
  return /\.(mtx(\.gz)?|npz)$/i.test(path);
}

/** Rejects graph files, for commands that need the points themselves. */
export function requirePoints(path: string): void {
  if (isGraphFile(path))
    throw new UsageError(`expected points (.csv, .npy, .idx or these with .gz), got the graph '${path}'.`);
  if (formatFromName(path) === undefined) {
    throw new UsageError(`expected points (.csv, .npy, .idx or these with .gz), got '${path}'.`);
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

/** Replaces the function name at the start of an error message by the path of the file. */
export async function nameFileInErrors<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replace(/^[\w.]+: (?=expected )/, `${path}: `);
    throw error;
  }
}

async function buildPointGraph(
  path: string,
  recipe: GraphRecipe,
  flags: Flags,
  progress: Call['progress'],
): Promise<Input> {
  const { points, labels } = await nameFileInErrors(path, () => openLabeled(path, flags));
  const options = { ...resolveRecipe(points.rows, recipe), progress: progress.percent('building the graph') };
  const graph = await nameFileInErrors(path, () => buildGraph(points, options));
  const description = `${path}: ${points.rows} points of ${points.cols} columns; ${describeGraph(graph)}`;
  return { graph, points, description, ...(labels && { labels }) };
}

/** Reads points. A CSV column named label is read as labels, not as a coordinate. */
export async function openLabeled(path: string, flags: Flags): Promise<Dataset> {
  const limit = flags['max-bytes'] === undefined ? {} : { maxBytes: flags['max-bytes'] };
  if (formatFromName(path) !== 'csv') return openPoints(path);
  return openPoints(path, { label: 'label', ...limit }).catch((error: Error) => {
    if (!error.message.includes("expected a column named 'label'")) throw error;
    return openPoints(path, limit);
  });
}

async function readGraph(path: string): Promise<Input> {
  const graph = await nameFileInErrors(path, async () => {
    const bytes = await readBytes(path);
    const read = /\.npz$/i.test(path) ? readNpz : readMatrixMarket;
    return graphFrom(await read(bytes, { precision: 'double' }));
  });
  return { graph, points: null, description: `${path}: ${describeGraph(graph)}` };
}

function describeGraph({ size, weights, components, origin }: Graph): string {
  const name = origin.kind === 'given' ? 'graph' : `${origin.kind} graph`;
  const recall = origin.recall === undefined ? '' : `, ${(100 * origin.recall).toFixed(1)} % of the neighbors found`;
  return `${name} of ${size} nodes with ${weights.nonzeros} weights, ${describeComponents({ components })}${recall}`;
}

/** `connected`, or the number of components and their sizes. */
function describeComponents({ components: { count, sizes } }: Pick<Graph, 'components'>): string {
  if (count === 1) return 'connected';
  return `${count} components of ${formatList([...sizes].toSorted((a, b) => b - a))} nodes`;
}

function checkFlags(kind: GraphKind, isGraph: boolean, flags: Flags): void {
  if (isGraph && kind !== 'given') throw new UsageError(`expected --graph given for a graph file, got ${kind}.`);
  if (!isGraph && kind === 'given')
    throw new UsageError('expected a .mtx or .npz file for --graph given, got a file of points.');
  const unsupported = graphFlags.find(
    (name) => name !== 'graph' && flags[name] !== undefined && !flagsOfKind[kind].includes(name),
  );
  if (!unsupported) return;
  const kinds = Object.entries(flagsOfKind).flatMap(([other, names]) => (names.includes(unsupported) ? [other] : []));
  throw new UsageError(`expected --${unsupported} with --graph ${oneOf(kinds)}, got ${kind}.`);
}

function recipeOf(kind: GraphKind, flags: Flags): GraphRecipe {
  const { sigma, threshold, neighbors, seed } = flags;
  if (kind === 'gaussian') {
    if (sigma === undefined) throw new UsageError('expected --sigma S with --graph gaussian, got none.');
    return { kind, sigma, threshold };
  }
  const nearest = { neighbors, includeSelf: !flags['exclude-self'], seed };
  if (kind === 'knn-gaussian') return { kind, sigma, ...nearest };
  return { kind: kind as 'knn' | 'self-tuned', ...nearest };
}
