/** The call that the worker of the Verify tab answers. */

import type { Evidence } from '../../lib/theory/instances/statement.ts';

export interface SmallGraph {
  readonly size: number;
  /** Each edge appears once. */
  readonly edges: readonly { readonly from: number; readonly to: number; readonly weight: number }[];
}

/** One statement: its evidence, or null if no instance meets its assumptions. */
export interface Tested {
  readonly statement: string;
  readonly claim: string;
  readonly evidence: Evidence | null;
}

export interface VerifyCalls {
  readonly verify: {
    readonly input: SmallGraph;
    readonly notice: Tested;
    /** The seconds that all statements took. */
    readonly output: number;
  };
}
