/** Which tiles make a dense product of given sizes? Blocks for the caches, and paths of their own for thin shapes. */

import * as plain from '../kernels/dense.ts';
import * as rowwise from '../kernels/rows.ts';
import type { Kernels } from '../kernels/table.ts';
import { tileColumns } from './dense-code.ts';
import { layout } from './memory.ts';
import type { Routine, Routines } from './module.ts';
import type { Stage } from './stage.ts';
import type { Share } from './threads.ts';

/**
 * Sums run over blocks of at most so many terms, and the blocks are added up: eight columns of B and four rows of A share
 * the first-level cache, and rounding errors grow with 512 + k/512 instead of k.
 */
const innerBlock = 512;
/** Rows of A that stay in the second-level cache while B passes by. */
const rowBlock = 96;
/** Columns of B that are packed at a time. */
const columnBlock = 2048;
/** From this many rows on it pays to copy B into panels. */
const packFrom = 12;
/** Below this many rows A·Bᵀ is a set of dot products. */
const dotsBelow = 8;
const panel = 8;
/** Inner sizes and column counts that have code of their own. */
const thin = 4;
const thinColumns = 2;
const noFloor = -Infinity;

type DenseTwins = Pick<
  Kernels,
  'matmul' | 'matmulTransposeA' | 'matmulTransposeB' | 'dense' | 'squaredDistances' | 'addBias' | 'columnSums'
>;

/**
 * out[m×n] = max(C + A·B, floor), out row-major, with k terms a sum and distances in place of products if the tiles say
 * so. Entry (i, j) of A is at a + i·aRow + j·aCol, those of B and of the start values C likewise, all in bytes. False,
 * and nothing written, if the memory has no room for a copy that is needed.
 */
type Product = (
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

export function denseTwins(wasm: Routines, stage: Stage, share: Share): DenseTwins {
  const byRows = (name: string): Routine[] => [1, 2, 3, 4].map((rows) => wasm[`${name}${rows}`]);
  const products = byRows('product');
  const distances = byRows('distance');
  const outers = byRows('outer');
  const wide = byRows('wide');
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
        outers[k - 1](
          m,
          n,
          from,
          aCol === 4 ? aRow : 4 * k,
          by,
          bCol === 4 ? bRow : outRow,
          c,
          cRow,
          cCol,
          out,
          outRow,
          floor,
        );
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

  /** Panels of eight columns, packed first; but where rows are few and B is row-major it is read where it lies. */
  const inPanels: Product = (tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, cRow, cCol, out, floor) => {
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
      const by = b + j * bCol;
      const from = c + j * cCol;
      const to = out + j * outCol;
      const rest = a + whole * aRow;
      tallDots[pair](whole >> 2, k, a, aRow, by, bCol, from, cRow, cCol, to, outRow, outCol);
      flatDots[pair](
        m - whole,
        k,
        rest,
        aRow,
        by,
        bCol,
        from + whole * cRow,
        cRow,
        cCol,
        to + whole * outRow,
        outRow,
        outCol,
      );
    }
  }

  /** The address of xᵀ in scratch memory, without gaps; −1 if there is no room. */
  function turn(rows: number, cols: number, x: number, xRow: number): number {
    const address = stage.memory.scratch(4 * rows * cols);
    if (address >= 0) wasm.transpose(rows, cols, x, xRow, address, 4 * rows);
    return address;
  }

  const multiplication =
    (turnA: boolean, turnB: boolean, twin: Kernels['matmul']): Kernels['matmul'] =>
    (m, n, k, a, b, out, accumulate) => {
      if (stage.open(a, b, out)) {
        const to = stage.at(out);
        const done = multiply(
          products,
          m,
          n,
          k,
          stage.at(a),
          turnA ? 4 : 4 * k,
          turnA ? 4 * m : 4,
          stage.at(b),
          turnB ? 4 : 4 * n,
          turnB ? 4 * k : 4,
          accumulate ? to : layout.zeros,
          accumulate ? 4 * n : 0,
          accumulate ? 4 : 0,
          to,
          noFloor,
        );
        stage.close(out);
        if (done) return;
      }
      twin(m, n, k, a, b, out, accumulate);
    };

  return {
    matmul: multiplication(false, false, plain.matmul),
    matmulTransposeA: multiplication(true, false, plain.matmulTransposeA),
    matmulTransposeB: multiplication(false, true, plain.matmulTransposeB),

    dense(activation, m, n, k, x, weights, bias, out) {
      if (stage.open(x, weights, bias, out)) {
        const to = stage.at(out);
        const c = bias ? stage.at(bias) : layout.zeros;
        const floor = activation === 'relu' ? 0 : noFloor;
        const by = stage.at(weights);
        const done = multiply(products, m, n, k, stage.at(x), 4 * k, 4, by, 4 * n, 4, c, 0, bias ? 4 : 0, to, floor);
        if (done && activation !== 'identity' && floor < 0) wasm[activation](m * n, to, to);
        stage.close(out);
        if (done) return;
      }
      plain.dense(activation, m, n, k, x, weights, bias, out);
    },

    squaredDistances(m, n, d, a, b, out) {
      if (stage.open(a, b, out)) {
        const [row, zeros, to] = [4 * d, layout.zeros, stage.at(out)];
        const done = multiply(distances, m, n, d, stage.at(a), row, 4, stage.at(b), 4, row, zeros, 0, 0, to, noFloor);
        stage.close(out);
        if (done) return;
      }
      plain.squaredDistances(m, n, d, a, b, out);
    },

    /** x plus the product of a column of ones with the bias. */
    addBias(rows, cols, x, bias, out) {
      if (!stage.open(x, bias, out)) return rowwise.addBias(rows, cols, x, bias, out);
      const row = 4 * cols;
      outers[0](rows, cols, layout.one, 0, stage.at(bias), row, stage.at(x), row, 4, stage.at(out), row, noFloor);
      stage.close(out);
    },

    /** A row of ones times x. */
    columnSums(rows, cols, x, out, accumulate) {
      if (stage.open(x, out)) {
        const to = stage.at(out);
        const c = accumulate ? to : layout.zeros;
        const step = accumulate ? 4 : 0;
        const done = multiply(
          products,
          1,
          cols,
          rows,
          layout.one,
          0,
          0,
          stage.at(x),
          4 * cols,
          4,
          c,
          0,
          step,
          to,
          noFloor,
        );
        stage.close(out);
        if (done) return;
      }
      rowwise.columnSums(rows, cols, x, out, accumulate);
    },
  };
}
