/** The output arrays of neighbor searches, and the type of a search. */

import type { Task } from '../../core/task.ts';
import type { Points } from '../../sparse/points.ts';

/** The `count` nearest neighbors of each row, from index row·stride on, nearest first. */
export interface NeighborRows {
  readonly count: number;
  readonly stride: number;
  readonly indices: Int32Array;
  readonly squaredDistances: Float32Array;
}

/** Writes the nearest points of every query under the norm of `power`, without point except[i] for query i where it is given. */
export type QuerySearch = (
  points: Points,
  queries: Points,
  except: Int32Array | null,
  power: number,
  out: NeighborRows,
) => Task<void>;
