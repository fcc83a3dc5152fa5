/** Collects the observations on one statement: the worst finding of each quantity, and the verdict. */

import type { Formulas } from './instances/formulas.ts';
import { catchBreakdown } from './instances/iteration.ts';
import type { SmallPencil } from './instances/small-pencil.ts';
import {
  agrees,
  type Evidence,
  type Finding,
  type Observation,
  severity,
  type Statement,
  type Verdict,
} from './instances/statement.ts';

/** The observations on one statement so far. */
export class Tally {
  instances = 0;
  #failed = 0;
  #worst: (Finding & { seed: number }) | null = null;
  #worstInstance = '';
  #worstPencil: SmallPencil | null = null;
  readonly #quantities = new Map<string, Finding & { seed: number }>();
  readonly #notes = new Map<string, Evidence['notes'][number]>();
  readonly #name: string;
  readonly #statement: Statement;
  readonly #formulas: Formulas;

  constructor(name: string, statement: Statement, formulas: Formulas) {
    this.#name = name;
    this.#statement = statement;
    this.#formulas = formulas;
  }

  add(
    seed: number,
    instance: string,
    { findings, printed, notes = [] }: Observation,
    pencil: SmallPencil | null = null,
  ): void {
    this.instances++;
    if (printed?.some((finding) => !agrees(finding))) this.#failed++;
    for (const finding of findings) {
      const known = this.#quantities.get(finding.what);
      if (!known || severity(finding) > severity(known)) this.#quantities.set(finding.what, { ...finding, seed });
      if (!this.#worst || severity(finding) > severity(this.#worst)) {
        this.#worst = { ...finding, seed };
        this.#worstInstance = instance;
        this.#worstPencil = pencil;
      }
    }
    for (const { what, value } of notes) {
      const { least, largest } = this.#notes.get(what) ?? { least: Infinity, largest: -Infinity };
      this.#notes.set(what, { what, least: Math.min(least, value), largest: Math.max(largest, value) });
    }
  }

  evidence(): Evidence {
    const { label, claim, printed, refute } = this.#statement;
    const quantities = [...this.#quantities.values()];
    const { measured, bound, seed } = this.#worst!;
    const candidates = refute ? catchBreakdown(() => refute(this.#formulas), []) : [];
    const counterexamples = candidates.filter((found) => !agrees(found));
    const refuted = this.#failed > 0 || counterexamples.length > 0;
    return {
      statement: this.#name,
      label,
      claim,
      verdict: verdictOf(quantities.every(agrees), printed !== undefined && refuted),
      expected: verdictOf(true, printed !== undefined),
      instances: this.instances,
      measured,
      bound,
      slack: bound - measured,
      worst: { seed, instance: this.#worstInstance, pencil: this.#worstPencil },
      quantities,
      notes: [...this.#notes.values()],
      printed: printed === undefined ? null : { claim: printed, failed: this.#failed, counterexamples },
    };
  }
}

function verdictOf(survives: boolean, refuted: boolean): Verdict {
  if (!survives) return 'fails';
  return refuted ? 'corrected' : 'holds';
}
