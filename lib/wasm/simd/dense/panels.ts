/** How is a dense product made of tiles of up to four rows and eight columns? Block by block, as the caches hold them. */

import { tileColumns } from './code.ts';
import type { Routine, Routines } from '../module.ts';
import type { Share } from '../../threads/crew.ts';
import type { Stage } from '../../memory/stage.ts';

/** Rows of A that stay in the second-level cache while B passes by. */
const rowBlock = 96;
/** Columns of B that are packed at a time. */
const columnBlock = 2048;
/** From this many rows on it pays to copy B into panels. */
const packFrom = 12;
const panel = 8;
/** Of a single panel, so that nobody waits long for the last. */
const blocksPerThread = 4;
/** Where a row of A is spread over so many bytes, it is brought together first. */
const turnFrom = 2 ** 17;

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
  const inPanels: Product = (tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor) => {
    const outRow = 4 * n;
    const turned = k * aCol > turnFrom ? stage.memory.take(4 * m * k) : -1;
    if (turned >= 0) {
      try {
        wasm.transpose(k, m, a, aCol, turned, 4 * k);
        return inPanels(tiles, m, n, k, turned, 4 * k, 4, b, bRow, bCol, c, cRow, cCol, out, floor);
      } finally {
        stage.memory.give(turned);
      }
    }
    if (tiles === products && m < packFrom && bCol === 4) {
      for (let j = 0, width = panel; j < n; j += width) {
        width = tileColumns[m] <= n - j ? tileColumns[m] : panel;
        for (let i = 0; i < m; i += 4) {
          const height = Math.min(4, m - i);
          (width > panel ? wide : tiles)[height - 1](
            1,
            Math.min(width, n - j),
            k,
            a + i * aRow,
            aRow,
            aCol,
            b + 4 * j,
            bRow,
            c + i * cRow + j * cCol,
            cRow,
            out + i * outRow + 4 * j,
            outRow,
            floor,
          );
        }
      }
      return true;
    }
    const packed = stage.memory.scratch(4 * k * (Math.min(n, columnBlock) + panel));
    if (packed < 0) return false;
    const crew = share(2 * m * Math.max(n, panel) * k);
    const transpose = crew.later(wasm.transpose);
    const later = crew.later(tiles === products ? wasm.productPanel : wasm.distancePanel);
    // A single panel is packed first, and its rows are shared.
    const isOnePanel = n <= panel && bCol === 4 && crew.count > 1;
    const blocks = isOnePanel
      ? Math.max(Math.ceil(m / rowBlock), blocksPerThread * crew.count)
      : Math.ceil(m / rowBlock);
    const rowStep = isOnePanel ? (Math.ceil(m / blocks) + 3) & ~3 : Math.ceil(m / blocks);
    if (isOnePanel) wasm[`pack${panel}`](k, b, bRow, packed);
    for (let left = 0; left < n; left += columnBlock) {
      const right = Math.min(n, left + columnBlock);
      for (let j = bCol === 4 ? right : left; j < right; j += panel) {
        transpose(Math.min(panel, n - j), k, b + j * bCol, bCol, packed + 4 * k * (j - left), 4 * panel);
      }
      crew.finish();
      for (let i = 0; i < m; i += rowStep) {
        for (let j = left; j < right; j += panel) {
          later(
            Math.min(rowStep, m - i),
            Math.min(panel, n - j),
            k,
            a + i * aRow,
            aRow,
            aCol,
            b + 4 * j,
            bCol === 4 && i === 0 && !isOnePanel ? bRow : 0,
            packed + 4 * k * (j - left),
            c + i * cRow + j * cCol,
            cRow,
            out + i * outRow + 4 * j,
            outRow,
            floor,
          );
        }
        if (i === 0 && !isOnePanel) crew.finish(); // now B is packed
      }
      crew.finish();
    }
    return true;
  };
  return inPanels;
}
