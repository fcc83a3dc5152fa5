/** `BlockedMatrix`: dense blocks of 4×4 in compressed rows of blocks (BSR). Fast for matrices whose entries come in such blocks. */

import { badKind } from '../../core/check.ts';
import { blockSide } from '../../kernels/formats/products.ts';
import type { Floats } from '../../kernels/types.ts';
import { allocate } from '../../tensor/tensor.ts';
import { canonical, checkCsr, type CsrMatrix } from '../csr.ts';
import { allocateIndices } from '../indices.ts';

const places = blockSide * blockSide;

/**
 * Line l has rows 4l … 4l+3 and blocks starts[l] … starts[l+1]−1. Block b covers columns firsts[b] … firsts[b]+3; its values are
 * values[16b + 4j + i], column by column, and bit 4j + i of masks[b] says whether an entry is stored there.
 */
export class BlockedMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly nonzeros: number;
  readonly starts: Int32Array;
  readonly firsts: Int32Array;
  readonly masks: Int32Array;
  readonly values: Floats;

  /** Use `toBlocked`. */
  constructor(parts: BlockedMatrix) {
    this.rows = parts.rows;
    this.cols = parts.cols;
    this.nonzeros = parts.nonzeros;
    this.starts = parts.starts;
    this.firsts = parts.firsts;
    this.masks = parts.masks;
    this.values = parts.values;
  }
}

/** The matrix in blocks. Exact: `fromBlocked` returns the same matrix. O(rows + cols + nonzeros + places). */
export function toBlocked(matrix: CsrMatrix): BlockedMatrix {
  checkCsr('toBlocked', matrix);
  const { rows, cols, nonzeros, precision } = matrix;
  const lines = Math.ceil(rows / blockSide);
  /** The block of the current line in each column of blocks, if it is not below the line's first one. */
  const blockOf = new Int32Array(Math.ceil(cols / blockSide)).fill(-1);
  const starts = allocateIndices(lines + 1);
  for (let line = 0; line < lines; line++) {
    starts[line + 1] = starts[line];
    forEachEntry(matrix, line, (column) => {
      if (blockOf[column >> 2] >= starts[line]) return;
      blockOf[column >> 2] = starts[line + 1]++;
    });
  }
  const blocks = starts[lines];
  const [firsts, masks] = [allocateIndices(blocks), allocateIndices(blocks)];
  const values = allocate(places * blocks, precision);
  blockOf.fill(-1);
  for (let line = 0, made = 0; line < lines; line++) {
    forEachEntry(matrix, line, (column, row, value) => {
      // The last block of a line begins earlier if the columns end within it.
      const first = Math.max(0, Math.min(column - (column % blockSide), cols - blockSide));
      if (blockOf[column >> 2] < starts[line]) firsts[(blockOf[column >> 2] = made++)] = first;
      const block = blockOf[column >> 2];
      const place = blockSide * (column - firsts[block]) + (row % blockSide);
      values[places * block + place] = value;
      masks[block] |= 1 << place;
    });
  }
  return new BlockedMatrix({ rows, cols, nonzeros, starts, firsts, masks, values });
}

/** The compressed rows of a matrix in blocks. */
export function fromBlocked(matrix: BlockedMatrix): CsrMatrix {
  if (!(matrix instanceof BlockedMatrix)) throw badKind('fromBlocked', 'what toBlocked returned', matrix);
  const { rows, cols, nonzeros, starts, firsts, masks, values } = matrix;
  const csrStarts = allocateIndices(rows + 1);
  const columns = allocateIndices(nonzeros);
  const csrValues = allocate(nonzeros, values instanceof Float32Array ? 'single' : 'double');
  let at = 0;
  for (let i = 0; i < rows; i++) {
    const line = Math.floor(i / blockSide);
    const found: [column: number, value: number][] = [];
    for (let block = starts[line]; block < starts[line + 1]; block++) {
      for (let j = 0; j < blockSide; j++) {
        const place = blockSide * j + (i % blockSide);
        if ((masks[block] >> place) & 1) found.push([firsts[block] + j, values[places * block + place]]);
      }
    }
    for (const [column, value] of found.toSorted((a, b) => a[0] - b[0])) {
      columns[at] = column;
      csrValues[at++] = value;
    }
    csrStarts[i + 1] = at;
  }
  return canonical(rows, cols, csrStarts, columns, csrValues);
}

/** The entries of four rows, row after row. */
function forEachEntry(
  { rows, starts, columns, values }: CsrMatrix,
  line: number,
  visit: (column: number, row: number, value: number) => void,
): void {
  for (let i = blockSide * line; i < Math.min(rows, blockSide * (line + 1)); i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) visit(columns[e], i, values[e]);
  }
}
