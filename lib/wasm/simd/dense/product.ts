/** Chooses the algorithm of a dense product by its sizes: long sums in blocks, special routines for thin shapes, else panels. */

import type { Repeat } from '../../assembler/statements.ts';
import { layout } from '../../memory/memory.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import type { ElementwiseRoutines } from '../elementwise/elementwise.ts';
import type { DenseRoutines } from './tiles.ts';
import type { LayoutRoutines } from './layout.ts';
import { panelProduct, type Product } from './panels.ts';

/**
 * Sums run over blocks of at most this many terms, and the blocks are added up: eight columns of B and four rows of A share
 * the first-level cache, and rounding errors grow with 512 + k/512 instead of k.
 */
const innerBlock = 512;
/** Below this many rows A·Bᵀ is a set of dot products. */
const dotsBelow = 8;
/** Inner sizes and column counts that have code of their own. */
const thin = 4;
const thinColumns = 2;
export const noFloor = -Infinity;

type Dots = (...operands: Repeat<number, 13>) => void;

export function denseProduct(
  dense: DenseRoutines,
  layouts: LayoutRoutines,
  { activations, add }: ElementwiseRoutines,
  host: Host,
): Product {
  const { products, outers, bareOuters, tallDots, flatDots } = dense;
  const { memory, chooseExecutor } = host;
  const inPanels = panelProduct(dense, layouts, host);

  /** Long sums block by block; the first block needs the most memory. Each block by the algorithm that suits its shape. */
  const multiply: Product = (tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor) => {
    const outRow = 4 * n;
    if (k > innerBlock) {
      const depth = Math.ceil(k / Math.ceil(k / innerBlock));
      for (let p = 0; p < k; p += depth) {
        const terms = Math.min(depth, k - p);
        const least = p + depth < k ? noFloor : floor;
        const from = a + p * aCol;
        const by = b + p * bRow;
        const done = multiply(tiles, m, n, terms, from, aRow, aCol, by, bRow, bCol, c, cRow, cCol, out, least);
        if (done === null) return null;
        [c, cRow, cCol] = [out, outRow, 4];
      }
      return;
    }
    if (tiles === products) {
      if (k > 0 && k <= thin) {
        const from = aCol === 4 ? a : transposed(k, m, a, aCol);
        const by = bCol === 4 ? b : transposed(n, k, b, bCol);
        if (from < 0 || by < 0) return null;
        const fromRow = aCol === 4 ? aRow : 4 * k;
        const byRow = bCol === 4 ? bRow : outRow;
        const outer = (c === layout.zeros && floor === noFloor ? bareOuters : outers)[k - 1];
        const executor = chooseExecutor(2 * m * n * k);
        inChunks(executor, m, outer, (some, i, rows) => {
          const [first, start, to] = [from + i * fromRow, c + i * cRow, out + i * outRow];
          some(rows, n, first, fromRow, by, byRow, start, cRow, cCol, to, outRow, floor);
        });
        return executor.finish();
      }
      if (n <= thinColumns && aCol === 4) {
        const by = bRow === 4 ? b : transposed(k, n, b, bRow);
        if (by < 0) return null;
        dots(m, n, k, a, aRow, by, bRow === 4 ? bCol : 4 * k, c, cRow, cCol, out, outRow, 4);
        if (floor === 0) activations.relu(m * n, out, out);
        return;
      }
      if (n <= thinColumns && m > thinColumns) {
        // (BᵀA)ᵀ: the long side becomes the row.
        const flat = memory.scratch(8 * m * n);
        if (flat < 0) return null;
        const upright = flat + m * outRow;
        multiply(tiles, n, m, k, b, bCol, bRow, a, aCol, aRow, layout.zeros, 0, 0, flat, noFloor);
        layouts.transpose(n, m, flat, 4 * m, c === out ? upright : out, outRow);
        if (c === out) add(m * n, upright, out, out);
        return;
      }
      if (m < dotsBelow && aCol === 4 && bRow === 4) {
        return dots(n, m, k, b, bCol, a, aRow, c, cCol, cRow, out, 4, outRow);
      }
    }
    return inPanels(tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor);
  };

  /** Dot products of the rows of A with the columns of B, both contiguous; out has strides of its own. */
  const dots: Dots = (m, n, k, a, aRow, b, bCol, c, cRow, cCol, out, outRow, outCol) => {
    const whole = m & ~3;
    for (let j = 0; j < n; j += 2) {
      const pair = j + 1 < n ? 1 : 0;
      // Four rows at a time, then the rest.
      for (let i = 0; i < m; i = i < whole ? whole : m) {
        const routine = (i < whole ? tallDots : flatDots)[pair];
        const tiles = i < whole ? whole >> 2 : m - whole;
        const from = c + i * cRow + j * cCol;
        const to = out + i * outRow + j * outCol;
        routine(tiles, k, a + i * aRow, aRow, b + j * bCol, bCol, from, cRow, cCol, to, outRow, outCol);
      }
    }
  };

  /** The address of xᵀ, contiguous in scratch memory. −1 if there is no room. */
  function transposed(rows: number, cols: number, x: number, xRow: number): number {
    const address = memory.scratch(4 * rows * cols);
    if (address >= 0) layouts.transpose(rows, cols, x, xRow, address, 4 * rows);
    return address;
  }

  return multiply;
}
