/** The structure of a sparse matrix: row lengths, distance from the diagonal, dense blocks, symmetry. */

import { checkCsr, type CsrMatrix } from './csr.ts';
import { sliceFill } from './formats/sliced.ts';
import { bandwidth, forEachPair } from './inspect.ts';

/** The numbers of entries in the rows of a matrix. `percentile99` is the length that 99 % of the rows do not exceed. */
export interface RowLengths {
  readonly least: number;
  readonly median: number;
  readonly percentile99: number;
  readonly largest: number;
  readonly mean: number;
  /** The standard deviation over the mean: 0 if all rows have the same length. */
  readonly variation: number;
}

/** The properties of a matrix that limit the speed of products with it. Lists and counts refer to stored entries, zeros included. */
export interface MatrixStructure {
  readonly rows: number;
  readonly cols: number;
  readonly nonzeros: number;
  readonly rowLengths: RowLengths;
  readonly emptyRows: number;
  readonly emptyColumns: number;
  /** The number of entries on the diagonal. */
  readonly diagonalEntries: number;
  /** max |i − j| over the entries. */
  readonly bandwidth: number;
  /** The mean of |i − j| over the entries. */
  readonly meanDistance: number;
  /** For aligned square blocks: the entries over the places in all blocks that have an entry. 1 if all such blocks are dense. */
  readonly blockFill: readonly { readonly side: number; readonly fill: number }[];
  /** The entries over the places in slices of eight rows. 1 if rows of a slice are equally long. */
  readonly sliceFill: number;
  /** 'pattern' if only the positions are symmetric. */
  readonly symmetry: 'symmetric' | 'pattern' | 'none';
}

const blockSides = [2, 4];

/** O(rows + cols + nonzeros), and a sort of the row lengths. */
export function matrixStructure(matrix: CsrMatrix): MatrixStructure {
  checkCsr('matrixStructure', matrix);
  const { rows, cols, nonzeros, starts, columns } = matrix;
  const used = new Uint8Array(cols);
  let distances = 0;
  let emptyRows = 0;
  let diagonalEntries = 0;
  for (let i = 0; i < rows; i++) {
    if (starts[i] === starts[i + 1]) emptyRows++;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      distances += Math.abs(i - columns[e]);
      if (columns[e] === i) diagonalEntries++;
      used[columns[e]] = 1;
    }
  }
  return {
    rows,
    cols,
    nonzeros,
    rowLengths: rowLengths(matrix),
    emptyRows,
    emptyColumns: used.reduce((empty, isUsed) => empty - isUsed, cols),
    diagonalEntries,
    bandwidth: bandwidth(matrix),
    meanDistance: nonzeros === 0 ? 0 : distances / nonzeros,
    blockFill: blockSides.map((side) => ({ side, fill: blockFill(matrix, side) })),
    sliceFill: sliceFill(matrix),
    symmetry: symmetryOf(matrix),
  };
}

function rowLengths({ rows, starts, nonzeros }: CsrMatrix): RowLengths {
  if (rows === 0) return { least: 0, median: 0, percentile99: 0, largest: 0, mean: 0, variation: 0 };
  const lengths = Int32Array.from({ length: rows }, (_, i) => starts[i + 1] - starts[i]).toSorted();
  const mean = nonzeros / rows;
  const squares = lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0);
  const percentile = (percent: number): number => lengths[Math.ceil((percent / 100) * rows) - 1];
  return {
    least: lengths[0],
    median: percentile(50),
    percentile99: percentile(99),
    largest: lengths[rows - 1],
    mean,
    variation: mean === 0 ? 0 : Math.sqrt(squares / rows) / mean,
  };
}

function blockFill({ rows, cols, nonzeros, starts, columns }: CsrMatrix, side: number): number {
  if (nonzeros === 0) return 0;
  /** The last row of blocks that has an entry in each column of blocks. */
  const last = new Int32Array(Math.ceil(cols / side)).fill(-1);
  let blocks = 0;
  for (let i = 0; i < rows; i++) {
    const line = Math.floor(i / side);
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const block = Math.floor(columns[e] / side);
      if (last[block] === line) continue;
      last[block] = line;
      blocks++;
    }
  }
  return nonzeros / (blocks * side * side);
}

function symmetryOf(matrix: CsrMatrix): MatrixStructure['symmetry'] {
  if (matrix.rows !== matrix.cols) return 'none';
  let [samePattern, sameValues] = [true, true];
  forEachPair(matrix, (a, b, _i, _j, bothStored) => {
    samePattern &&= bothStored;
    sameValues &&= Object.is(a, b);
  });
  if (!samePattern) return 'none';
  return sameValues ? 'symmetric' : 'pattern';
}
