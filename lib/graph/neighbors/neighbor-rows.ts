/** The output arrays of neighbor searches. */

/** The `count` nearest neighbors of each row, from index row·stride on, nearest first. */
export interface NeighborRows {
  readonly count: number;
  readonly stride: number;
  readonly indices: Int32Array;
  readonly squaredDistances: Float32Array;
}
