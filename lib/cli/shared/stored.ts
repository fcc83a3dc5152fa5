/** Stored graphs and points as inputs of commands, and coordinates that are written to a file block by block. */

import { openStoredGraph } from '../../storage/graph/stored-graph.ts';
import { type StoredCoordinates, transformStored } from '../../embedding/transform-stored.ts';
import type { Model } from '../../embedding/model/model.ts';
import { openOutput } from '../../files/write.ts';
import type { Graph } from '../../graph/graph.ts';
import { formatNumber, formatTable } from '../../charts/table.ts';
import type { FlagName, Flags } from '../flags/flags.ts';
import { UsageError } from './arguments.ts';
import type { Call } from './command.ts';

/** Reads the whole graph of a folder. */
export function readStoredGraph(folder: string): Graph {
  const stored = openStoredGraph(folder);
  try {
    return stored.toGraph();
  } finally {
    stored.close();
  }
}

/** Refuses points that are not in a .npy file, and flags that do not apply to work block by block. */
export function checkBlockFlags(path: string, flags: Flags, by: string, allowed: readonly FlagName[]): void {
  if (!/\.npy$/i.test(path)) throw new UsageError(`expected points in a .npy file with ${by}, got '${path}'.`);
  const other = (Object.keys(flags) as FlagName[]).find((name) => !allowed.includes(name));
  if (other !== undefined) throw new UsageError(`expected --${other} without ${by}, got both.`);
}

/** A function that writes the coordinates of points to the .npy file of --out, which is checked at once. Null without --out. */
export function prepareBlockOutput(
  flags: Flags,
  by: string,
): ((model: Model, path: string, call: Call) => Promise<StoredCoordinates>) | null {
  if (flags.out === undefined) return null;
  if (!/\.npy$/i.test(flags.out)) throw new UsageError(`expected --out to end in .npy with ${by}, got '${flags.out}'.`);
  const { destination } = openOutput('--out', flags.out);
  if (destination.kind !== 'file') throw new UsageError(`expected --out to be a file with ${by}, got '${flags.out}'.`);
  return (model, path, { progress }) =>
    transformStored(model, path, destination.path, {
      progress: progress.estimate('computing coordinates'),
      ...(flags.memory && { memory: flags.memory }),
    });
}

/** The least, mean and greatest of each coordinate. */
export function describeCoordinates({ columns }: StoredCoordinates): string {
  const lines = columns.map((each, j) => [`psi${j + 1}`, ...[each.min, each.mean, each.max].map(formatNumber)]);
  return formatTable(['', 'min', 'mean', 'max'], lines, 1);
}
