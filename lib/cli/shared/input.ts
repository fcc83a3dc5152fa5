/** How does a file become a graph? Points by a recipe of flags, or a matrix of weights as it is. */

import { readFile } from 'node:fs/promises';
import { openPoints } from '../../formats/disk.ts';
import { formatOf } from '../../formats/points.ts';
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
import { type Flags, graphFlags } from './flags.ts';
import { formatList } from '../../charts/table.ts';

export interface Input {
  readonly graph: Graph;
  /** Null where the file was a graph. */
  readonly points: Tensor | null;
  /** Where the file names them. */
  readonly labels?: Int32Array;
  /** In a line: what was read, and the graph. */
  readonly description: string;
}

type GraphKind = NonNullable<Flags['graph']>;

/** Which flags go with which graph. */
const ownFlags: Record<GraphKind, readonly (typeof graphFlags)[number][]> = {
  gaussian: ['sigma', 'threshold'],
  knn: ['neighbors', 'exclude-self'],
  'knn-gaussian': ['sigma', 'neighbors', 'exclude-self'],
  'self-tuned': ['neighbors', 'exclude-self'],
  given: [],
};

/** The graph of the command's file. Flags that do not fit are refused before the file is opened. */
export async function openGraph(path: string, { flags, terminal, progress }: Call): Promise<Input> {
  const isGraph = isGraphFile(path);
  if (!isGraph && formatOf(path) === undefined) {
    throw new UsageError(`expected points (.csv, .npy, .idx, .gz of these) or a graph (.mtx, .npz), got '${path}'.`);
  }
  const kind = flags.graph ?? (isGraph ? 'given' : 'knn');
  checkFlags(kind, isGraph, flags);
  progress.show(`reading ${path}`);
  const input = isGraph ? await readGraph(path) : await graphOfPoints(path, recipeOf(kind, flags), progress);
  progress.clear();
  const { graph } = input;
  // People read it in the description.
  if (flags.json && !flags.quiet && graph.components.count > 1) {
    terminal.note(`specnet: the graph has ${describeComponents(graph)}.\n`);
  }
  return input;
}

export function isGraphFile(path: string): boolean {
  return /\.(mtx(\.gz)?|npz)$/i.test(path);
}

/** For commands that need the points themselves. */
export function requirePoints(path: string): void {
  if (isGraphFile(path))
    throw new UsageError(`expected points (.csv, .npy, .idx, .gz of these), got the graph '${path}'.`);
  if (formatOf(path) === undefined) {
    throw new UsageError(`expected points (.csv, .npy, .idx, .gz of these), got '${path}'.`);
  }
}

/** The bytes of a file; it is named where they cannot be had. */
export async function readBytes(path: string): Promise<Uint8Array> {
  return readFile(path).catch((error: Error) => {
    throw badValue('readFile', 'a file that can be read', error.message);
  });
}

/** How many nontrivial components are wanted: `usual` unless said, or all there are; more than there are is refused. */
export function wantedComponents(caller: string, graph: Graph, { components }: Flags, usual: number): number {
  const most = graph.size - 1;
  if (components === undefined) return Math.min(usual, most);
  checkTwoNodes(caller, graph);
  if (components > most) throw badValue(caller, `at most ${most} components, one less than nodes`, components);
  return components;
}

/** Errors of what a file holds are told in its name, not in that of the function which found them. */
export async function inNameOf<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replace(/^[\w.]+: (?=expected )/, `${path}: `);
    throw error;
  }
}

async function graphOfPoints(path: string, recipe: GraphRecipe, progress: Call['progress']): Promise<Input> {
  const { points, labels } = await inNameOf(path, () => openLabelled(path));
  const watch = { progress: progress.percent('building the graph') };
  const graph = await inNameOf(path, () => buildGraph(points, { ...resolveRecipe(points.rows, recipe), ...watch }));
  const description = `${path}: ${points.rows} points of ${points.cols} columns; ${describeGraph(graph)}`;
  return { graph, points, description, ...(labels && { labels }) };
}

/** A CSV column with the name label is not a coordinate. */
export async function openLabelled(path: string): Promise<Dataset> {
  if (formatOf(path) !== 'csv') return openPoints(path);
  return openPoints(path, { label: 'label' }).catch((error: Error) => {
    if (!error.message.includes("expected a column named 'label'")) throw error;
    return openPoints(path);
  });
}

async function readGraph(path: string): Promise<Input> {
  const graph = await inNameOf(path, async () => {
    const bytes = await readBytes(path);
    const read = /\.npz$/i.test(path) ? readNpz : readMatrixMarket;
    return graphFrom(await read(bytes, { precision: 'double' }));
  });
  return { graph, points: null, description: `${path}: ${describeGraph(graph)}` };
}

function describeGraph({ size, weights, components, origin }: Graph): string {
  const name = origin.kind === 'given' ? 'graph' : `${origin.kind} graph`;
  const recall = origin.recall === undefined ? '' : `, ${(100 * origin.recall).toFixed(1)} % of the neighbours found`;
  return `${name} of ${size} nodes with ${weights.nonzeros} weights, ${describeComponents({ components })}${recall}`;
}

/** `connected`, or how many components there are and their sizes. */
function describeComponents({ components: { count, sizes } }: Pick<Graph, 'components'>): string {
  if (count === 1) return 'connected';
  return `${count} components of ${formatList([...sizes].toSorted((a, b) => b - a))} nodes`;
}

function checkFlags(kind: GraphKind, isGraph: boolean, flags: Flags): void {
  if (isGraph && kind !== 'given') throw new UsageError(`expected --graph given for a file of weights, got ${kind}.`);
  if (!isGraph && kind === 'given') throw new UsageError('expected a .mtx or .npz file for --graph given, got points.');
  const stray = graphFlags.find(
    (name) => name !== 'graph' && flags[name] !== undefined && !ownFlags[kind].includes(name),
  );
  if (!stray) return;
  const kinds = Object.entries(ownFlags).flatMap(([other, own]) => (own.includes(stray) ? [other] : []));
  throw new UsageError(`expected --${stray} with --graph ${kinds.join(' or ')}, got ${kind}.`);
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
