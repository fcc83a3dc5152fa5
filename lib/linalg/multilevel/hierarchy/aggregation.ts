/** Aggregates of nodes by rounds of heavy-edge matching (Karypis & Kumar 1998), with a guard against weak edges. */

import type { Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { EntryList } from './entry-list.ts';
import { entriesPerYield, type Level, type SparseRows } from './level.ts';

/**
 * An edge can only match if its weight, relative to the smaller of its two masses, is at least this fraction of the median, over
 * all nodes, of the same number for the heaviest edge of the node. A part of the graph that hangs on weak edges has a small
 * eigenvalue of its own. If it were merged with its neighbors, no coarser level could represent that eigenvector, and
 * the iteration would return others with small residuals.
 */
export const matchThreshold = 0.05;

/** The number of nodes from which the median is estimated. */
const sampled = 1 << 14;

/** Nodes that were merged, as a graph of its own. */
export interface Aggregates extends SparseRows {
  readonly size: number;
  readonly mass: Float64Array;
  /** The aggregate of every node of the level. */
  readonly of: Int32Array;
}

/** Every node as an aggregate of its own. */
export function singletons({ size, starts, columns, weights, mass }: Level): Aggregates {
  return { size, starts, columns, weights, mass, of: new Int32Array(size).map((_, i) => i) };
}

/**
 * One more round of matching: aggregates are merged in pairs, which at best halves their number. Their graph is in borrowed memory;
 * that of the round before stays.
 */
export function* matchSteps(aggregates: Aggregates, threshold: number, loans: Loans): Task<Aggregates> {
  const { size, partner, merged } = yield* matchingSteps(aggregates, threshold);
  const contracted = yield* contractSteps(aggregates, size, partner, merged, loans);
  const mass = new Float64Array(size);
  for (let i = 0; i < aggregates.size; i++) mass[merged[i]] += aggregates.mass[i];
  return { ...contracted, size, mass, of: aggregates.of.map((i) => merged[i]) };
}

interface Matching {
  /** The number of pairs and single nodes. */
  readonly size: number;
  /** The other node of a pair; the node itself if it is single. */
  readonly partner: Int32Array;
  /** The place of each node among the pairs, which are numbered in the order of their first nodes. */
  readonly merged: Int32Array;
}

/**
 * Every node in order is matched with the free neighbor that maximizes w/√mass, among the edges that pass the guard. If none is free,
 * the node waits at the neighbor of its heaviest edge, and is matched with the next one that comes there (two-hop matching,
 * LaSalle et al. 2015). So the many neighbors of a hub are merged with each other.
 */
function* matchingSteps(graph: Aggregates, threshold: number): Task<Matching> {
  const { size: nodes, starts, columns, weights, mass } = graph;
  const least = threshold * medianStrength(graph);
  const roots = mass.map((m) => 1 / Math.sqrt(m));
  const partner = new Int32Array(nodes).fill(-1);
  const merged = new Int32Array(nodes);
  const waiting = new Int32Array(nodes).fill(-1);
  let size = 0;
  let pause = entriesPerYield;
  for (let i = 0; i < nodes; i++) {
    if (partner[i] >= 0) continue;
    let best = i;
    let score = 0;
    let hub = -1;
    let heaviest = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const j = columns[e];
      const weight = weights[e];
      if (weight < least * Math.min(mass[i], mass[j])) continue;
      if (weight > heaviest) {
        heaviest = weight;
        hub = j;
      }
      if (partner[j] >= 0 || weight * roots[j] <= score) continue;
      score = weight * roots[j];
      best = j;
    }
    if (best === i && hub >= 0) {
      const other = waiting[hub];
      waiting[hub] = other < 0 ? i : -1;
      if (other >= 0) {
        partner[i] = other;
        partner[other] = i;
        merged[i] = merged[other];
        continue;
      }
    }
    partner[i] = best;
    partner[best] = i;
    merged[i] = size;
    merged[best] = size++;
    if (starts[i] < pause) continue;
    pause += entriesPerYield;
    yield 0;
  }
  return { size, partner, merged };
}

/** The median over nodes of the heaviest edge relative to the mass. */
function medianStrength({ size, starts, weights, mass }: Aggregates): number {
  const stride = Math.ceil(size / sampled);
  const strengths = new Float64Array(Math.ceil(size / stride));
  for (let k = 0, i = 0; i < size; k++, i += stride) {
    let heaviest = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) heaviest = Math.max(heaviest, weights[e]);
    strengths[k] = heaviest / mass[i];
  }
  strengths.sort();
  return strengths[strengths.length >> 1];
}

/** The graph between merged nodes. Edges between the same two are added up, negative weights and those within are dropped. */
function* contractSteps(
  graph: Aggregates,
  size: number,
  partner: Int32Array,
  merged: Int32Array,
  loans: Loans,
): Task<SparseRows> {
  const { size: nodes, starts, columns, weights } = graph;
  const entries = new EntryList(starts[nodes], [1], loans);
  const { columns: others, values } = entries;
  const [sums] = values;
  const ends = loans.int32(size + 1);
  const place = new Int32Array(size).fill(-1);
  let end = 0;
  let pause = entriesPerYield;
  ends[0] = 0;
  for (let i = 0, k = 0; i < nodes; i++) {
    if (merged[i] !== k) continue;
    const first = end;
    for (let node = i; ; node = partner[i]) {
      for (let e = starts[node]; e < starts[node + 1]; e++) {
        const other = merged[columns[e]];
        if (other === k || weights[e] <= 0) continue;
        if (place[other] >= first) {
          sums[place[other]] += weights[e];
        } else {
          place[other] = end;
          others[end] = other;
          sums[end++] = weights[e];
        }
      }
      if (node === partner[i]) break;
    }
    ends[++k] = end;
    if (end < pause) continue;
    pause += entriesPerYield;
    yield 0;
  }
  entries.length = end;
  entries.trim();
  return { starts: ends, columns: entries.columns, weights: entries.values[0] };
}
