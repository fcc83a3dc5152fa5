/** Which way makes a dense product of given sizes? Long sums in blocks, paths of their own for thin shapes, else panels. */

import { type Share, strip } from '../../threads/crew.ts';
import { byRows, panelProduct, type Product } from './panels.ts';
import { layout } from '../../memory/memory.ts';
import type { Routine, Routines } from '../module.ts';
import type { Stage } from '../../memory/stage.ts';

/**
 * Sums run over blocks of at most so many terms, and the blocks are added up: eight columns of B and four rows of A share
 * the first-level cache, and rounding errors grow with 512 + k/512 instead of k.
 */
const innerBlock = 512;
/** Below this many rows A·Bᵀ is a set of dot products. */
const dotsBelow = 8;
/** Inner sizes and column counts that have code of their own. */
const thin = 4;
const thinColumns = 2;
export const noFloor = -Infinity;

export interface DenseProduct {
  readonly multiply: Product;
  /** Tiles for `multiply`. */
  readonly products: Routine[];
  readonly distances: Routine[];
  /** outers[k − 1] adds up k products of a column with a row. */
  readonly outers: Routine[];
}

export function denseProduct(wasm: Routines, stage: Stage, share: Share): DenseProduct {
  const products = byRows(wasm, 'product');
  const outers = byRows(wasm, 'outer');
  const bareOuters = byRows(wasm, 'bareOuter');
  const inPanels = panelProduct(wasm, stage, share, products);
  const tallDots = [wasm.dots4x1, wasm.dots4x2];
  const flatDots = [wasm.dots1x1, wasm.dots1x2];

  /** Long sums block by block, of which the first asks for most room; then by the way that suits the shape. */
  const multiply: Product = (tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor) => {
    const outRow = 4 * n;
    if (k > innerBlock) {
      const depth = Math.ceil(k / Math.ceil(k / innerBlock));
      for (let p = 0; p < k; p += depth) {
        const terms = Math.min(depth, k - p);
        const least = p + depth < k ? noFloor : floor;
        if (
          !multiply(tiles, m, n, terms, a + p * aCol, aRow, aCol, b + p * bRow, bRow, bCol, c, cRow, cCol, out, least)
        ) {
          return false;
        }
        [c, cRow, cCol] = [out, outRow, 4];
      }
      return true;
    }
    if (tiles === products) {
      if (k > 0 && k <= thin) {
        const from = aCol === 4 ? a : turn(k, m, a, aCol);
        const by = bCol === 4 ? b : turn(n, k, b, bCol);
        if (from < 0 || by < 0) return false;
        const fromRow = aCol === 4 ? aRow : 4 * k;
        const byRow = bCol === 4 ? bRow : outRow;
        const crew = share(2 * m * n * k);
        const outer = crew.later((c === layout.zeros && floor === noFloor ? bareOuters : outers)[k - 1]);
        const step = strip(m, crew);
        for (let i = 0; i < m; i += step) {
          const some = Math.min(step, m - i);
          outer(
            some,
            n,
            from + i * fromRow,
            fromRow,
            by,
            byRow,
            c + i * cRow,
            cRow,
            cCol,
            out + i * outRow,
            outRow,
            floor,
          );
        }
        crew.finish();
        return true;
      }
      if (n <= thinColumns && aCol === 4) {
        const by = bRow === 4 ? b : turn(k, n, b, bRow);
        if (by < 0) return false;
        dots(m, n, k, a, aRow, by, bRow === 4 ? bCol : 4 * k, c, cRow, cCol, out, outRow, 4);
        if (floor === 0) wasm.relu(m * n, out, out);
        return true;
      }
      if (n <= thinColumns && m > thinColumns) {
        // (BᵀA)ᵀ: the long side becomes the row.
        const flat = stage.memory.scratch(8 * m * n);
        if (flat < 0) return false;
        const upright = flat + m * outRow;
        multiply(tiles, n, m, k, b, bCol, bRow, a, aCol, aRow, layout.zeros, 0, 0, flat, noFloor);
        wasm.transpose(n, m, flat, 4 * m, c === out ? upright : out, outRow);
        if (c === out) wasm.add(m * n, upright, out, out);
        return true;
      }
      if (m < dotsBelow && aCol === 4 && bRow === 4) {
        dots(n, m, k, b, bCol, a, aRow, c, cCol, cRow, out, 4, outRow);
        return true;
      }
    }
    return inPanels(tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor);
  };

  /** Dot products of the rows of A with the columns of B, both contiguous; out has strides of its own. */
  function dots(
    m: number,
    n: number,
    k: number,
    a: number,
    aRow: number,
    b: number,
    bCol: number,
    c: number,
    cRow: number,
    cCol: number,
    out: number,
    outRow: number,
    outCol: number,
  ): void {
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
  }

  /** The address of xᵀ in scratch memory, without gaps; −1 if there is no room. */
  function turn(rows: number, cols: number, x: number, xRow: number): number {
    const address = stage.memory.scratch(4 * rows * cols);
    if (address >= 0) wasm.transpose(rows, cols, x, xRow, address, 4 * rows);
    return address;
  }

  return { multiply, products, distances: byRows(wasm, 'distance'), outers };
}
