/** What all recipes share: rules of weights, and the option that joins the parts of a graph. */

import type { Task } from '../../core/task.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Points } from '../../sparse/points.ts';

import type { Rules } from '../../core/options.ts';

/** The weight of nodes i and j at a squared distance. */
export type WeightRule = (squared: number, i: number, j: number) => number;

const connections = ['none', 'join'] as const;

/** What to do with a graph of several parts. */
export interface ConnectOptions {
  /**
   * 'join' adds the shortest edges between the parts: the minimum spanning tree of the parts. Default: 'none' in
   * `buildGraph`, 'join' in the estimators.
   */
  readonly connect?: (typeof connections)[number] | undefined;
}

export const connectRules = { connect: connections } as const satisfies Rules<ConnectOptions>;

/** queries×points, in single precision: row i holds w(xᵢ, ·), up to one factor for all, for the points of a graph. */
export type WeightsOfQueries = (queries: Points) => Task<CsrMatrix>;
