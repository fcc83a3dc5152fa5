/** The types of statements that can be checked, and of the evidence about them. */

import type { WaitingTask } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Formulas } from './formulas.ts';
import type { Instance, Law } from './instances.ts';
import type { SmallPencil } from './small-pencil.ts';

/**
 * holds: the statement holds on every instance. corrected: the printed statement fails on a counterexample, and the
 * corrected statement holds on every instance. fails: the statement, or the corrected one, fails on an instance.
 */
export const verdicts = ['holds', 'corrected', 'fails'] as const;

/** 'holds' as printed in the paper, 'corrected' if only the corrected statement holds, or 'fails'. */
export type Verdict = (typeof verdicts)[number];

/** A measured number and its bound. The finding agrees if measured ≤ bound. NaN never agrees. */
export interface Finding {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
}

/** A number that is reported but does not affect the verdict. */
export interface Note {
  readonly what: string;
  readonly value: number;
}

/** The findings on one instance. */
export interface Observation {
  /** Findings on the claim. */
  readonly findings: readonly Finding[];
  /** Findings on the printed statement, if it differs from the claim. */
  readonly printed?: readonly Finding[];
  readonly notes?: readonly Note[];
}

/** A small pencil, found by search, on which the printed statement fails. */
export interface Counterexample extends Finding {
  readonly pencil: SmallPencil;
}

/** The description of a statement. */
export interface Claim {
  /** The place in the paper. */
  readonly label: string;
  /** The statement that is checked, in our words. */
  readonly claim: string;
  /** The printed statement, in our words, if the claim corrects it. */
  readonly printed?: string;
  /** The default number of instances. */
  readonly instances: number;
  /** Searches for counterexamples to the printed statement. They are computed at each call, not stored. */
  refute?(formulas: Formulas): readonly Counterexample[];
}

/** A statement about any small pencil. `check` returns null if the instance does not meet the assumptions. */
export interface PencilStatement extends Claim {
  readonly about: 'pencils';
  check(instance: Instance, formulas: Formulas): Observation | null;
}

/** A statement about the solver on a graph of any size. `checkSteps` returns null if the graph does not meet the assumptions. */
export interface GraphStatement extends Claim {
  readonly about: 'graphs';
  checkSteps(graph: Graph, seed: number, formulas: Formulas): WaitingTask<Observation | null>;
}

/** A statement about many draws of a law together. */
export interface LawStatement extends Claim {
  readonly about: 'laws';
  check(
    law: Law,
    seeds: readonly number[],
    formulas: Formulas,
    report: (fraction: number) => void,
  ): Promise<Observation>;
}

/** A statement without its words: how it is checked. */
type CheckOf<Kind extends Claim> = Omit<Kind, 'label' | 'claim' | 'printed' | 'instances'>;
export type PencilCheck = CheckOf<PencilStatement>;
export type GraphCheck = CheckOf<GraphStatement>;
export type LawCheck = CheckOf<LawStatement>;

/** A claim that can be checked: about small pencils, about the solver on a graph, or about many draws. */
export type Statement = PencilStatement | GraphStatement | LawStatement;

/** The measurements for one statement on all its instances, and the verdict. */
export interface Evidence {
  readonly statement: string;
  readonly label: string;
  readonly claim: string;
  readonly verdict: Verdict;
  readonly expected: Verdict;
  readonly instances: number;
  /** The quantity that came closest to its bound, or exceeded it most. */
  readonly measured: number;
  readonly bound: number;
  readonly slack: number;
  /** The instance of that quantity: its seed, for `replay`, its description, and its pencil if it is small. */
  readonly worst: { readonly seed: number; readonly instance: string; readonly pencil: SmallPencil | null };
  /** The worst finding of each quantity. */
  readonly quantities: readonly (Finding & { readonly seed: number })[];
  /** The least and the largest value of each note. */
  readonly notes: readonly { readonly what: string; readonly least: number; readonly largest: number }[];
  /** The printed statement: the number of instances on which it failed, and the counterexamples. */
  readonly printed: {
    readonly claim: string;
    readonly failed: number;
    readonly counterexamples: readonly Counterexample[];
  } | null;
}

export function agrees({ measured, bound }: Finding): boolean {
  return measured <= bound;
}

/** The measured number in units of its bound: 1 at the bound, more beyond it. */
export function severity({ measured, bound }: Finding): number {
  if (Number.isNaN(measured)) return Infinity;
  if (bound > 0) return measured / bound;
  return measured > bound ? Infinity : measured === bound ? 0 : -1;
}
