/** The pattern of a symmetric matrix: the positions of its entries. */

/** Columns of row i at starts[i] … starts[i+1]−1. The diagonal does not matter. */
export interface Pattern {
  readonly size: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
}
