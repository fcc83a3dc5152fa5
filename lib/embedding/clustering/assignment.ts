/** The assignment problem: the pairing of rows with columns of least cost. The Hungarian method with potentials, O(n³). */

/** The column assigned to every row. `cost` is size×size with finite entries. */
export function assign(size: number, cost: Float64Array): Int32Array {
  // Rows and columns are numbered from 1. Column 0 holds the row to be assigned; rowOf[j] = 0 means that column j is free.
  const rowPotential = new Float64Array(size + 1);
  const colPotential = new Float64Array(size + 1);
  const rowOf = new Int32Array(size + 1);
  const cameFrom = new Int32Array(size + 1);
  const slack = new Float64Array(size + 1);
  const reached = new Uint8Array(size + 1);
  for (let row = 1; row <= size; row++) {
    rowOf[0] = row;
    slack.fill(Infinity);
    reached.fill(0);
    let column = 0;
    do {
      reached[column] = 1;
      const current = rowOf[column];
      let least = Infinity;
      let next = 0;
      for (let j = 1; j <= size; j++) {
        if (reached[j]) continue;
        const reduced = cost[(current - 1) * size + j - 1] - rowPotential[current] - colPotential[j];
        if (reduced < slack[j]) {
          slack[j] = reduced;
          cameFrom[j] = column;
        }
        if (slack[j] < least) {
          least = slack[j];
          next = j;
        }
      }
      for (let j = 0; j <= size; j++) {
        if (reached[j]) {
          rowPotential[rowOf[j]] += least;
          colPotential[j] -= least;
        } else {
          slack[j] -= least;
        }
      }
      column = next;
    } while (rowOf[column] !== 0);
    // Augment: shift the pairs along the path.
    while (column !== 0) {
      const previous = cameFrom[column];
      rowOf[column] = rowOf[previous];
      column = previous;
    }
  }
  const columnOf = new Int32Array(size);
  for (let j = 1; j <= size; j++) columnOf[rowOf[j] - 1] = j - 1;
  return columnOf;
}
