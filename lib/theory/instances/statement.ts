/** What is a statement that can be checked, and what is evidence about it? */

import type { Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Formulas } from './formulas.ts';
import type { Instance, Law } from './instances.ts';
import type { SmallPencil } from './small-pencil.ts';

/**
 * holds: as the paper has it, on every instance. corrected: what is printed fails on a counterexample, and the statement
 * that is put in its place holds on every instance. fails: that one does not hold either.
 */
export const verdicts = ['holds', 'corrected', 'fails'] as const;

/** 'holds' as the paper has it, 'corrected' where only what was put in its place does, or 'fails'. */
export type Verdict = (typeof verdicts)[number];

/** One number against its bound: all is well where measured ≤ bound. NaN never is. */
export interface Finding {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
}

/** A figure that is told and decides nothing. */
export interface Note {
  readonly what: string;
  readonly value: number;
}

/** What one instance showed. */
export interface Observation {
  /** Of the statement that should hold. */
  readonly findings: readonly Finding[];
  /** Of what is printed, where that is something else. */
  readonly printed?: readonly Finding[];
  readonly notes?: readonly Note[];
}

/** A small pencil, found from the definition, on which what is printed fails. */
export interface Counterexample extends Finding {
  readonly pencil: SmallPencil;
}

interface Claim {
  /** Where the paper has it. */
  readonly label: string;
  /** In our words, as it is checked. */
  readonly claim: string;
  /** What the paper has instead, in our words; null where it has the claim itself, or nothing. */
  readonly printed: string | null;
  readonly expected: Verdict;
  /** How many are looked at unless said. */
  readonly instances: number;
  /** What fails the printed statement; searched for, not remembered. */
  refute?(formulas: Formulas): readonly Counterexample[];
}

/** About any small pencil: null where the instance does not meet the assumptions. */
export interface PencilStatement extends Claim {
  readonly about: 'pencils';
  check(instance: Instance, formulas: Formulas): Observation | null;
}

/** About the solver at work on a graph of any size: null where it does not meet the assumptions. */
export interface GraphStatement extends Claim {
  readonly about: 'graphs';
  check(graph: Graph, seed: number, formulas: Formulas): Task<Observation | null>;
}

/** About many draws together. */
export interface LawStatement extends Claim {
  readonly about: 'laws';
  check(law: Law, seeds: readonly number[], formulas: Formulas, told: (fraction: number) => void): Promise<Observation>;
}

/** A claim that can be checked: about small pencils, about the solver on a graph, or about many draws. */
export type Statement = PencilStatement | GraphStatement | LawStatement;

/** What was measured for one statement on all its instances, and the verdict. */
export interface Evidence {
  readonly statement: string;
  readonly label: string;
  readonly claim: string;
  readonly verdict: Verdict;
  readonly expected: Verdict;
  readonly instances: number;
  /** Of the quantity that came nearest to its bound, or went furthest beyond. */
  readonly measured: number;
  readonly bound: number;
  readonly slack: number;
  /** Where that was: the seed replays it, and a small pencil is there to be looked at. */
  readonly worst: { readonly seed: number; readonly instance: string; readonly pencil: SmallPencil | null };
  /** The worst of each quantity. */
  readonly quantities: readonly (Finding & { readonly seed: number })[];
  /** The least and the largest of each figure. */
  readonly notes: readonly { readonly what: string; readonly least: number; readonly largest: number }[];
  /** What the paper has instead: on how many of the instances it failed, and the counterexamples that were found. */
  readonly printed: {
    readonly claim: string;
    readonly failed: number;
    readonly counterexamples: readonly Counterexample[];
  } | null;
}

export function agrees({ measured, bound }: Finding): boolean {
  return measured <= bound;
}

/** How near to its bound: 1 is at it, more is beyond. */
export function severity({ measured, bound }: Finding): number {
  if (Number.isNaN(measured)) return Infinity;
  if (bound > 0) return measured / bound;
  return measured > bound ? Infinity : measured === bound ? 0 : -1;
}
