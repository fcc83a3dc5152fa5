/** The hierarchy of levels, from the graph down to a pencil that is small enough for a dense decomposition. */

import type { Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { type Aggregates, matchSteps, matchThreshold, singletons } from './aggregation.ts';
import { type Coarsest, decomposeCoarsest } from './coarsest.ts';
import { estimateFill, galerkinSteps } from './galerkin.ts';
import type { Level, LevelComponents } from './level.ts';
import { giveBackProlongation, type Prolongation, prolongationSteps, spectralRadiusSteps } from './prolongation.ts';

/** Levels from the finest on. Prolongation k maps level k+1 to level k. */
export interface Hierarchy {
  readonly levels: readonly Level[];
  readonly prolongations: readonly Prolongation[];
  readonly coarsest: Coarsest;
}

/** The reason why there is no hierarchy. */
export interface Refusal {
  /** 'fill': coarser levels have too many entries. 'stall': too few nodes could be merged. 'easy': Lanczos would be faster. */
  readonly refused: 'fill' | 'stall' | 'easy';
  /** The sizes of the levels up to the one that could not be coarsened. */
  readonly sizes: readonly number[];
}

/** A level of at most `wanted` nodes is the coarsest; one of at most `allowed` nodes if it cannot be coarsened. */
const coarsestSize = { wanted: 250, allowed: 600 };
/** Rounds of matching: first, and at most if the level fills in. */
const rounds = { first: 3, most: 5 };
/** Of the entries of a level, the fraction that the next one may have; of those of the finest, what it may have in any case. */
const fillLimit = { ofLevel: 0.6, ofFinest: 0.1 };
/** A level whose estimated number of entries exceeds the limit by this factor is not computed. */
const hopeless = 1.25;
/** A level with more than this fraction of the nodes of the one before is no progress. */
const stall = 0.7;

/** When edges match and when the work is not worth it. */
export interface HierarchyOptions {
  /** Default: `matchThreshold`. Specs plant another one. */
  readonly threshold?: number;
  /** Refuse a graph on which the coarsest level's estimate of the last wanted eigenvalue is at least this. Default: none. */
  readonly easy?: number;
  /** Refuse a graph if three rounds of matching would fill a level in beyond this many times the limit. Default: none. */
  readonly filled?: number;
}

/** The hierarchy for `count` eigenvectors besides those of components, in borrowed memory. */
export function* hierarchySteps(
  finest: Level,
  count: number,
  loans: Loans,
  { threshold = matchThreshold, easy = Infinity, filled = Infinity }: HierarchyOptions = {},
): Task<Hierarchy | Refusal> {
  const levels = [finest];
  const prolongations: Prolongation[] = [];
  const wanted = Math.max(coarsestSize.wanted, 4 * count);
  const allowed = Math.max(coarsestSize.allowed, wanted);
  for (let level = finest; level.size > wanted; level = levels.at(-1)!) {
    const limit = Math.max(
      fillLimit.ofLevel * level.starts[level.size],
      fillLimit.ofFinest * finest.starts[finest.size],
    );
    const next = yield* coarsenSteps(level, limit, { threshold, filled }, loans);
    if (typeof next === 'string') {
      if (level.size <= allowed) break;
      return refusal(next);
    }
    levels.push(next.level);
    prolongations.push(next.prolongation);
  }
  const coarsest = decomposeCoarsest(levels.at(-1)!);
  if (levels.length > 1 && coarsest.values[count - 1] >= easy) return refusal('easy');
  return { levels, prolongations, coarsest };

  function refusal(refused: Refusal['refused']): Refusal {
    return { refused, sizes: levels.map(({ size }) => size) };
  }
}

/** The next level: after three rounds of matching, or more if it has more than `limit` entries then. */
function* coarsenSteps(
  level: Level,
  limit: number,
  { threshold, filled }: { readonly threshold: number; readonly filled: number },
  loans: Loans,
): Task<{ level: Level; prolongation: Prolongation } | 'fill' | 'stall'> {
  const radius = yield* spectralRadiusSteps(level, loans);
  let aggregates = singletons(level);
  const giveBack = ({ starts, columns, weights }: Aggregates): void => {
    if (starts !== level.starts) loans.giveBack(starts, columns, weights);
  };
  try {
    for (let round = 1; round <= rounds.most; round++) {
      const before = aggregates;
      aggregates = yield* matchSteps(before, threshold, loans);
      giveBack(before);
      if (round < rounds.first) continue;
      if (aggregates.size > stall * level.size) return 'stall';
      const { of, size, components } = dropComponents(level, aggregates, loans);
      const prolongation = yield* prolongationSteps(level, of, size, radius, loans);
      // A level that is decomposed as a dense matrix may fill in.
      const most = size <= coarsestSize.wanted ? Math.max(limit, size * size) : limit;
      const estimate = estimateFill(level, prolongation) / most;
      const next = estimate > hopeless ? null : yield* galerkinSteps(level, prolongation, components, most, loans);
      if (next) return { level: next, prolongation };
      giveBackProlongation(prolongation, loans);
      loans.giveBack(components.labels);
      if (estimate > filled) return 'fill';
    }
    return 'fill';
  } finally {
    giveBack(aggregates);
  }
}

/**
 * The aggregates without those that are a whole component, whose nodes get −1. Such a component has nothing left on the coarser
 * level but its null vector, which is known.
 */
function dropComponents(
  { components }: Level,
  { of, size }: Aggregates,
  loans: Loans,
): { of: Int32Array; size: number; components: LevelComponents } {
  const labelOf = new Int32Array(size);
  for (let i = 0; i < of.length; i++) labelOf[of[i]] = components.labels[i];
  const sizes = new Int32Array(components.count);
  for (const label of labelOf) sizes[label]++;
  const renumbered = new Int32Array(components.count);
  let count = 0;
  for (let c = 0; c < components.count; c++) renumbered[c] = sizes[c] > 1 ? count++ : -1;
  const places = new Int32Array(size);
  const labels = loans.int32(size);
  let kept = 0;
  for (let k = 0; k < size; k++) {
    const label = renumbered[labelOf[k]];
    places[k] = label < 0 ? -1 : kept;
    if (label >= 0) labels[kept++] = label;
  }
  return { of: of.map((k) => places[k]), size: kept, components: { count, labels } };
}
