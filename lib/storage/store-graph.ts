/** `storeGraph`: writes a graph to a folder, from memory or from a file of any size. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { type ProgressOptions, progressRules, type Task } from '../core/task.ts';
import { checkApart } from '../files/destination.ts';
import { checkGraph, type Graph } from '../graph/graph.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { pointRange } from '../sparse/points.ts';
import { type Precision, precisions } from '../tensor/tensor.ts';
import { Buckets, RowCounts } from './buckets/buckets.ts';
import { type EntrySource, mostNodes, openEntries } from './buckets/entry-source.ts';
import type { StoredGraphHeader } from './graph/graph-header.ts';
import { GraphWriter, openWorkFolder } from './graph/graph-writer.ts';
import type { ArrayGarbage } from './array-garbage.ts';
import { bucketRoom, checkMemory, defaultStoreBytes, keepWithin, runWithin } from './memory-budget.ts';
import type { MergeRules, Symmetry } from './buckets/merge-bucket.ts';
import { lostWeight, mergeBucketsSteps } from './buckets/merge-buckets.ts';

/** How the entries of a file become a graph, and how much memory that takes. */
export interface StoreOptions extends ProgressOptions {
  /** The memory to use in bytes, approximately, whatever the size of the file. Default: 256 MiB. */
  readonly memory?: number;
  /** The precision of the weights. Default: 'single'; of a graph in memory, its own. */
  readonly precision?: Precision;
  /**
   * How entries (i, j) and (j, i) are joined. 'given': they are equal up to rounding, else the file is refused. Default:
   * 'given' for a matrix; 'max' for a list of edges, so that it does not matter whether an edge is listed once or both ways.
   */
  readonly symmetric?: Symmetry;
  /** The number of nodes of a list of edges. Default: one more than the largest number in it. */
  readonly size?: number;
}

const rules: Rules<StoreOptions> = {
  ...progressRules,
  memory: 'number',
  precision: precisions,
  symmetric: ['given', 'mean', 'sum', 'max', 'min'],
  size: 'number',
};

const caller = 'storeGraph';

/**
 * Writes a graph to a folder that is empty or does not exist: from a graph in memory, a Matrix Market file (.mtx), or a list
 * of edges (.csv, .tsv, .txt, .npy, .parquet); text may have .gz. Reads the entries of a file twice, puts them into buckets on disk,
 * and sorts and symmetrizes one bucket at a time. Weights have the bits that `graphFrom` gives them. The header is written last; what
 * an error or a kill leaves is not a stored graph, and the next call with this folder deletes it.
 */
export async function storeGraph(
  source: Graph | string,
  folder: string,
  options: StoreOptions = {},
): Promise<StoredGraphHeader> {
  checkOptions(caller, options, rules);
  if (typeof folder !== 'string') throw badKind(caller, 'the path of a folder', folder);
  const { memory = defaultStoreBytes } = options;
  checkMemory(caller, memory);
  if (typeof source !== 'string') {
    checkGraph(caller, source);
    for (const name of ['size', 'symmetric'] as const) {
      if (options[name] !== undefined) throw badValue(caller, `${name} for a file of entries only`, options[name]);
    }
  }
  if (options.size !== undefined) checkCount(caller, 'size', options.size, 1);
  const entries = typeof source === 'string' ? openEntries(caller, source) : null;
  if (entries) checkApart(caller, 'folder', folder, source as string);
  options.signal?.throwIfAborted();
  const work = openWorkFolder(caller, folder);
  try {
    if (entries) {
      return await keepWithin(memory, (garbage) => storeEntries(entries, folder, memory, garbage, options));
    }
    return await runWithin(storeFromMemorySteps(source as Graph, folder, options), memory, options);
  } finally {
    work.release();
  }
}

/** Rows that are written at a time. */
const blockRows = 1 << 12;

function* storeFromMemorySteps(graph: Graph, folder: string, { precision }: StoreOptions): Task<StoredGraphHeader> {
  const weights = precision && precision !== graph.weights.precision ? graph.weights.copy(precision) : graph.weights;
  const lost = weights.values.indexOf(0);
  if (lost >= 0) throw lostWeight(caller, graph.weights.values[lost]);
  const writer = new GraphWriter(folder, weights.precision);
  try {
    for (let from = 0; from < graph.size; from += blockRows) {
      writer.append(pointRange(weights, from, Math.min(graph.size, from + blockRows)) as CsrMatrix);
      yield from / graph.size;
    }
    return writer.finish(graph.scale);
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/** The fractions of the work at the end of the two passes over the file. */
const [countedPart, bucketPart] = [0.3, 0.6];

async function storeEntries(
  source: EntrySource,
  folder: string,
  memory: number,
  garbage: ArrayGarbage,
  options: StoreOptions,
): Promise<StoredGraphHeader> {
  const { precision = 'single', symmetric = source.kind === 'matrix' ? 'given' : 'max', signal } = options;
  const ticker = (from: number, to: number) => (fraction: number) => {
    signal?.throwIfAborted();
    garbage.collectExcess();
    options.progress?.(from + (to - from) * fraction);
  };
  const counts = new RowCounts();
  let isMirrored = true;
  const stated = await source.read(
    {
      push(row, column, _value, mirrored) {
        isMirrored &&= mirrored;
        counts.add(row, column, !mirrored);
      },
    },
    ticker(0, countedPart),
  );
  const size = sizeOf(stated, counts, options.size);
  const room = bucketRoom(memory);
  const buckets = new Buckets('the file', folder, counts.divide(size, room.records), room.buffers);
  try {
    await source.read(
      {
        push(row, column, value, mirrored) {
          buckets.push(row, column, value);
          if (!mirrored) buckets.pushMirrored(column, row, value);
        },
      },
      ticker(countedPart, bucketPart),
    );
    const merge: MergeRules = { caller, size, symmetric, isMirrored, precision, scaled: true };
    return await runWithin(mergeBucketsSteps(buckets, folder, merge), memory, {
      signal,
      progress: options.progress && ((fraction) => options.progress!(bucketPart + (1 - bucketPart) * fraction)),
    });
  } finally {
    buckets.remove();
  }
}

function sizeOf(stated: number | null, { size, entries }: RowCounts, given: number | undefined): number {
  if (stated !== null && given !== undefined && given !== stated) {
    throw badValue(caller, `size to be the ${stated} rows of the matrix`, given);
  }
  if (given !== undefined && given < size) throw badValue(caller, `size of at least ${size} nodes`, given);
  const nodes = stated ?? given ?? size;
  if (nodes < 1) throw badValue(caller, 'at least one node', entries === 0 ? 'a file without entries' : 'none');
  if (nodes > mostNodes) throw badValue(caller, `at most ${mostNodes} nodes`, nodes);
  return nodes;
}
