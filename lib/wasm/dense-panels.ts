/** How is a dense product made of tiles of up to four rows and eight columns? Block by block, as the caches hold them. */

import { tileColumns } from './dense-code.ts';
import type { Routine, Routines } from './module.ts';
import type { Stage } from './stage.ts';
import type { Share } from './threads.ts';

/** Rows of A that stay in the second-level cache while B passes by. */
const rowBlock = 96;
/** Columns of B that are packed at a time. */
const columnBlock = 2048;
/** From this many rows on it pays to copy B into panels. */
const packFrom = 12;
const panel = 8;

/**
 * out[m×n] = max(C + A·B, floor), out row-major, with k terms a sum and distances in place of products if the tiles say
 * so. Entry (i, j) of A is at a + i·aRow + j·aCol, those of B and of the start values C likewise, all in bytes. False,
 * and nothing written, if the memory has no room for a copy that is needed.
 */
export type Product = (
  tiles: Routine[],
  m: number,
  n: number,
  k: number,
  a: number,
  aRow: number,
  aCol: number,
  b: number,
  bRow: number,
  bCol: number,
  c: number,
  cRow: number,
  cCol: number,
  out: number,
  floor: number,
) => boolean;

/** Tiles of one to four rows. */
export function byRows(wasm: Routines, name: string): Routine[] {
  return [1, 2, 3, 4].map((rows) => wasm[`${name}${rows}`]);
}

/** Panels of eight columns, packed first; but where rows are few and B is row-major, `products` read it where it lies. */
export function panelProduct(wasm: Routines, stage: Stage, share: Share, products: readonly Routine[]): Product {
  const wide = byRows(wasm, 'wide');
  return (tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor) => {
    const packs = tiles !== products || m >= packFrom || bCol !== 4;
    const packed = packs ? stage.memory.scratch(4 * k * (Math.min(n, columnBlock) + panel)) : 0;
    if (packed < 0) return false;
    const threads = packs ? share(2 * m * n * k) : null;
    const transpose = threads ? threads.later(wasm.transpose) : wasm.transpose;
    // The ragged edge stays with the caller: its scratch tile is one for all.
    const wholeTiles = threads ? tiles.map((tile) => threads.later(tile)) : tiles;
    for (let left = 0; left < n; left += columnBlock) {
      const right = Math.min(n, left + columnBlock);
      for (let j = packs ? left : right; j < right; j += panel) {
        const to = packed + 4 * k * (j - left);
        if (bCol === 4) wasm.pack8(k, b + 4 * j, bRow, to);
        else transpose(Math.min(panel, n - j), k, b + j * bCol, bCol, to, 4 * panel);
      }
      threads?.finish();
      for (let i = 0; i < m; i += rowBlock) {
        const end = Math.min(m, i + rowBlock);
        for (let j = left, width = panel; j < right; j += width) {
          width = !packs && tileColumns[m] <= right - j ? tileColumns[m] : panel;
          const from = packs ? packed + 4 * k * (j - left) : b + 4 * j;
          const chosen = width > panel ? wide : n - j < panel ? tiles : wholeTiles;
          for (let row = i; row < end;) {
            const height = Math.min(4, end - row);
            const count = (end - row) >> 2 || 1;
            chosen[height - 1](
              count,
              Math.min(width, n - j),
              k,
              a + row * aRow,
              aRow,
              aCol,
              from,
              packs ? 4 * panel : bRow,
              c + row * cRow + j * cCol,
              cRow,
              out + 4 * (row * n + j),
              4 * n,
              floor,
            );
            row += height * count;
          }
        }
      }
      threads?.finish();
    }
    return true;
  };
}
