/** Dense products by tiles of up to four rows and eight columns, in blocks that fit the caches. */

import type { Repeat } from '../../assembler/statements.ts';
import type { Host } from '../../threads/executor.ts';
import { type DenseRoutines, type Tiles, wideColumns } from './tiles.ts';
import type { LayoutRoutines } from './layout.ts';

/** The number of rows of A that stay in the second-level cache while B is read. */
const rowBlock = 96;
/** Columns of B that are packed at a time. */
const columnBlock = 2048;
/** From this many rows on it pays to copy B into panels. */
const packFrom = 12;
const panelColumns = 8;
/** Blocks of a single panel for each thread, so that none waits long for the last. */
const blocksPerThread = 4;
/** If a row of A extends over more bytes than this, A is transposed first. */
const transposeFrom = 2 ** 17;

/**
 * (tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor): out[m×n] = max(C + A·B, floor), with
 * k terms in a sum, and out row-major. Some tiles compute squared distances instead of products. Entry (i, j) of A is at
 * a + i·aRow + j·aCol, those of B and of the start values C likewise, all in bytes. Returns null, with nothing written, if the
 * memory has no room for a copy.
 */
export type Product = (tiles: Tiles, ...operands: Repeat<number, 14>) => void | null;

/** Packs B into panels of eight columns. If A has few rows and B is row-major, the tiles read B in place instead. */
export function panelProduct(
  { products, wide }: DenseRoutines,
  { transpose, pack }: LayoutRoutines,
  { memory, chooseExecutor }: Host,
): Product {
  const inPanels: Product = (tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor) => {
    const outRow = 4 * n;
    const together = k * aCol > transposeFrom ? memory.take(4 * m * k) : -1;
    if (together >= 0) {
      try {
        transpose(k, m, a, aCol, together, 4 * k);
        return inPanels(tiles, m, n, k, together, 4 * k, 4, b, bRow, bCol, c, cRow, cCol, out, floor);
      } finally {
        memory.give(together);
      }
    }
    if (tiles === products && m < packFrom && bCol === 4) {
      for (let j = 0, width: number = panelColumns; j < n; j += width) {
        width = wideColumns[m - 1] <= n - j ? wideColumns[m - 1] : panelColumns;
        const columns = Math.min(width, n - j);
        for (let i = 0; i < m; i += 4) {
          const tile = (width > panelColumns ? wide : tiles.tiles)[Math.min(4, m - i) - 1];
          const start = c + i * cRow + j * cCol;
          const to = out + i * outRow + 4 * j;
          tile(1, columns, k, a + i * aRow, aRow, aCol, b + 4 * j, bRow, start, cRow, to, outRow, floor);
        }
      }
      return;
    }
    const packed = memory.scratch(4 * k * (Math.min(n, columnBlock) + panelColumns));
    if (packed < 0) return null;
    const executor = chooseExecutor(2 * m * Math.max(n, panelColumns) * k);
    const packTransposed = executor.defer(transpose);
    const panel = executor.defer(tiles.panel);
    // A single panel is packed first, and its rows are shared.
    const isOnePanel = n <= panelColumns && bCol === 4 && executor.count > 1;
    const blocks = Math.max(Math.ceil(m / rowBlock), isOnePanel ? blocksPerThread * executor.count : 0);
    const rowStep = isOnePanel ? (Math.ceil(m / blocks) + 3) & ~3 : Math.ceil(m / blocks);
    if (isOnePanel) pack(k, b, bRow, packed);
    for (let left = 0; left < n; left += columnBlock) {
      const right = Math.min(n, left + columnBlock);
      for (let j = bCol === 4 ? right : left; j < right; j += panelColumns) {
        const to = packed + 4 * k * (j - left);
        packTransposed(Math.min(panelColumns, n - j), k, b + j * bCol, bCol, to, 4 * panelColumns);
      }
      executor.finish();
      for (let i = 0; i < m; i += rowStep) {
        const rows = Math.min(rowStep, m - i);
        const packRow = bCol === 4 && i === 0 && !isOnePanel ? bRow : 0;
        for (let j = left; j < right; j += panelColumns) {
          const columns = Math.min(panelColumns, n - j);
          const by = packed + 4 * k * (j - left);
          const start = c + i * cRow + j * cCol;
          const to = out + i * outRow + 4 * j;
          panel(rows, columns, k, a + i * aRow, aRow, aCol, b + 4 * j, packRow, by, start, cRow, to, outRow, floor);
        }
        if (i === 0 && !isOnePanel) executor.finish(); // now B is packed
      }
      executor.finish();
    }
  };
  return inPanels;
}
