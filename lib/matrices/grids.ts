/** Matrices of grids and bands, whose rows are regular: stencils, finite elements, bands, diagonal blocks. */

import type { Random } from '../core/random.ts';
import type { Task } from '../core/task.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { RowWriter } from './writers.ts';

/** A matrix of about `nonzeros` entries. Draws from `random`. */
export type MatrixGenerator = (nonzeros: number, random: Random) => Task<CsrMatrix>;

/** The number of rows between two reports of progress. */
const reportEvery = 4096;

/** Runs `write` for each row, and ends the row. */
export function* forEachRowSteps(rows: number, writer: RowWriter, write: (i: number) => void): Task<void> {
  for (let i = 0; i < rows; i++) {
    write(i);
    writer.endRow();
    if (i % reportEvery === 0) yield i / rows;
  }
}

/** The five-point Laplacian of a square grid, in the order of its lines. Symmetric. */
export function* stencil2dSteps(nonzeros: number): Task<CsrMatrix> {
  const side = Math.max(2, Math.round(Math.sqrt(nonzeros / 5)));
  const rows = side * side;
  const writer = new RowWriter(rows, rows, 5 * rows);
  yield* forEachRowSteps(rows, writer, (i) => {
    const [x, y] = [i % side, Math.floor(i / side)];
    if (y > 0) writer.add(i - side, -1);
    if (x > 0) writer.add(i - 1, -1);
    writer.add(i, 4);
    if (x < side - 1) writer.add(i + 1, -1);
    if (y < side - 1) writer.add(i + side, -1);
  });
  return writer.finish();
}

/** The seven-point Laplacian of a cube, in the order of its planes. Symmetric. */
export function* stencil3dSteps(nonzeros: number): Task<CsrMatrix> {
  const side = Math.max(2, Math.round(Math.cbrt(nonzeros / 7)));
  const plane = side * side;
  const rows = side * plane;
  const writer = new RowWriter(rows, rows, 7 * rows);
  yield* forEachRowSteps(rows, writer, (i) => {
    const [x, y, z] = [i % side, Math.floor(i / side) % side, Math.floor(i / plane)];
    if (z > 0) writer.add(i - plane, -1);
    if (y > 0) writer.add(i - side, -1);
    if (x > 0) writer.add(i - 1, -1);
    writer.add(i, 6);
    if (x < side - 1) writer.add(i + 1, -1);
    if (y < side - 1) writer.add(i + side, -1);
    if (z < side - 1) writer.add(i + plane, -1);
  });
  return writer.finish();
}

/** The unknowns of a node of `femBlocks`. */
const unknowns = 4;

/**
 * Finite elements with four unknowns per node: a square grid whose nodes are joined to all eight neighbors, so that the
 * matrix consists of dense 4×4 blocks, nine to a row of blocks. Symmetric.
 */
export function* femBlocksSteps(nonzeros: number): Task<CsrMatrix> {
  const side = Math.max(2, Math.round(Math.sqrt(nonzeros / (9 * unknowns * unknowns))));
  const rows = unknowns * side * side;
  const writer = new RowWriter(rows, rows, 9 * unknowns * rows);
  yield* forEachRowSteps(rows, writer, (i) => {
    const node = Math.floor(i / unknowns);
    const [x, y] = [node % side, Math.floor(node / side)];
    for (let v = Math.max(0, y - 1); v <= Math.min(side - 1, y + 1); v++) {
      for (let u = Math.max(0, x - 1); u <= Math.min(side - 1, x + 1); u++) {
        for (let k = 0; k < unknowns; k++) {
          const j = unknowns * (v * side + u) + k;
          writer.add(j, j === i ? 36 : -1 / (1 + Math.abs((i % unknowns) - k)));
        }
      }
    }
  });
  return writer.finish();
}

/** The entries of `banded` on each side of the diagonal. */
const halfBand = 12;

/** A full band of random values: 12 entries on each side of the diagonal. Not symmetric. */
export function* bandedSteps(nonzeros: number, random: Random): Task<CsrMatrix> {
  const rows = Math.max(2, Math.round(nonzeros / (2 * halfBand + 1)));
  const writer = new RowWriter(rows, rows, nonzeros);
  yield* forEachRowSteps(rows, writer, (i) => {
    const last = Math.min(rows - 1, i + halfBand);
    for (let j = Math.max(0, i - halfBand); j <= last; j++) writer.add(j, random.uniform(-1, 1));
  });
  return writer.finish();
}

/** The sides of the blocks of `blockDiagonal`. */
const blockSides = { least: 8, most: 40 };

/** Dense blocks of random sides from 8 to 40 on the diagonal, with random values. Not symmetric. */
export function* blockDiagonalSteps(nonzeros: number, random: Random): Task<CsrMatrix> {
  const { least, most } = blockSides;
  /** The first row of each block, and the number of rows at the end. */
  const bounds = [0];
  for (let entries = 0; entries < nonzeros;) {
    const side = least + random.integer(most - least + 1);
    bounds.push(bounds.at(-1)! + side);
    entries += side * side;
  }
  const rows = bounds.at(-1)!;
  const writer = new RowWriter(rows, rows, nonzeros + most * most);
  let block = 0;
  yield* forEachRowSteps(rows, writer, (i) => {
    if (i === bounds[block + 1]) block++;
    for (let j = bounds[block]; j < bounds[block + 1]; j++) writer.add(j, random.uniform(-1, 1));
  });
  return writer.finish();
}
