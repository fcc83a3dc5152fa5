/** The recipe of a graph, as the flags state it, and the flags that each kind of graph accepts. */

import type { GraphRecipe } from '../../graph/build-graph.ts';
import { type Flags, graphFlags } from '../flags/flags.ts';
import { oneOf } from '../flags/kinds.ts';
import { UsageError } from './arguments.ts';

type GraphKind = NonNullable<Flags['graph']>;

/** The flags of every graph that is built from points. */
const ofPoints = ['alpha', 'metric', 'minkowski-power', 'connect', 'scale', 'pca', 'points'] as const;

/** The flags that each kind of graph accepts. */
const flagsOfKind: Record<GraphKind, readonly (typeof graphFlags)[number][]> = {
  gaussian: ['sigma', 'threshold', ...ofPoints],
  knn: ['neighbors', 'exclude-self', 'mutual', ...ofPoints],
  'knn-gaussian': ['sigma', 'bandwidth', 'neighbors', 'exclude-self', 'mutual', 'least-weight', ...ofPoints],
  'self-tuned': ['neighbors', 'exclude-self', 'mutual', 'least-weight', ...ofPoints],
  given: ['affinity'],
};

/** What a command does with the graph and with a sparse file. */
export interface GraphUse {
  /** The points themselves are needed, so that a sparse file holds points. */
  readonly needsPoints?: boolean;
  /** The default of --connect. */
  readonly connect?: 'none' | 'join';
}

/** Refuses flags that do not belong to the kind of graph. */
export function checkGraphFlags(kind: GraphKind, isGraph: boolean, isSparse: boolean, flags: Flags): void {
  if (isGraph && kind !== 'given') {
    throw new UsageError(`expected --graph given for a graph file, got ${kind}. --points reads it as points.`);
  }
  if (!isGraph && kind === 'given')
    throw new UsageError('expected a .mtx or .npz file for --graph given, got a file of points.');
  if (flags.points && !isSparse) throw new UsageError('expected --points with a .npz or .mtx file, got another file.');
  const unsupported = graphFlags.find(
    (name) => name !== 'graph' && flags[name] !== undefined && !flagsOfKind[kind].includes(name),
  );
  if (!unsupported) return;
  const kinds = Object.entries(flagsOfKind).flatMap(([other, names]) => (names.includes(unsupported) ? [other] : []));
  const remedy = isGraph ? ' --points reads the file as points.' : '';
  throw new UsageError(`expected --${unsupported} with --graph ${oneOf(kinds)}, got ${kind}.${remedy}`);
}

/** The recipe that the flags state. */
export function recipeOf(kind: GraphKind, flags: Flags, use: GraphUse): GraphRecipe {
  const { sigma, alpha, threshold, neighbors, seed, metric, 'minkowski-power': minkowskiPower } = flags;
  if (metric === 'minkowski' && !(minkowskiPower !== undefined && minkowskiPower >= 1)) {
    const got = minkowskiPower ?? 'none';
    throw new UsageError(`expected --minkowski-power P of at least 1 with --metric minkowski, got ${got}.`);
  }
  if (metric !== 'minkowski' && minkowskiPower !== undefined) {
    throw new UsageError(`expected --minkowski-power with --metric minkowski, got ${metric ?? 'no --metric'}.`);
  }
  const common = { metric, minkowskiPower, connect: flags.connect ?? use.connect, alpha };
  if (kind === 'gaussian') {
    if (sigma === undefined) throw new UsageError('expected --sigma S or auto with --graph gaussian, got none.');
    return { kind, sigma, threshold, ...common };
  }
  const symmetric = flags.mutual ? ('mutual' as const) : undefined;
  const nearest = { neighbors, includeSelf: !flags['exclude-self'], seed, symmetric, ...common };
  const leastWeight = flags['least-weight'];
  if (kind === 'knn-gaussian') return { kind, sigma, bandwidth: flags.bandwidth, leastWeight, ...nearest };
  return kind === 'self-tuned' ? { kind, leastWeight, ...nearest } : { kind: 'knn', ...nearest };
}
