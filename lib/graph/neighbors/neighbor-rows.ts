/** The output arrays of neighbor searches. */

/** Where to write the `count` nearest of each row: from row·stride on, nearest first. */
export interface NeighborRows {
  readonly count: number;
  readonly stride: number;
  readonly indices: Int32Array;
  readonly squaredDistances: Float32Array;
}
