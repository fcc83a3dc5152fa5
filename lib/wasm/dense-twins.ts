/** Which tiles make a dense product of given sizes? Blocks for the caches, and paths of their own for thin shapes. */

import { type Kernels, plainKernels } from '../kernels/table.ts';
import type { Floats } from '../kernels/types.ts';
import { tileColumns } from './dense-code.ts';
import { layout } from './memory.ts';
import type { Routine, Routines } from './module.ts';
import type { Stage } from './stage.ts';

/** Inner sizes are cut to this, so that eight columns of B and four rows of A share the first-level cache. */
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

type DenseTwins = Pick<
  Kernels,
  'matmul' | 'matmulTransposeA' | 'matmulTransposeB' | 'dense' | 'squaredDistances' | 'addBias' | 'columnSums'
>;

/**
 * Inside, matrices are addresses and strides in bytes: A[i,p] at a + i·aRow + p·aCol, B[p,j] at b + p·bRow + 4j, or at
 * b + j·bRow + 4p where B is given transposed; sums start from c + i·cRow + j·cCol and end up at out + i·4n + 4j.
 */
export function denseTwins(wasm: Routines, stage: Stage): DenseTwins {
  const byRows = (name: string): Routine[] => [1, 2, 3, 4].map((rows) => wasm[`${name}${rows}`]);
  const products = byRows('product');
  const distances = byRows('distance');
  const outers = byRows('outer');
  const wide = byRows('wide');

  /** One panel of at most eight columns: four rows at a time, then the rest. */
  function column(
    tiles: Routine[], m: number, cols: number, k: number, a: number, aRow: number, aCol: number,
    b: number, bStep: number, c: number, cRow: number, out: number, outRow: number, floor: number,
  ): void {
    const full = m >> 2;
    const rest = m & 3;
    if (full > 0) tiles[3](full, cols, k, a, aRow, aCol, b, bStep, c, cRow, out, outRow, floor);
    if (rest > 0) {
      const done = full * 4;
      tiles[rest - 1](1, cols, k, a + done * aRow, aRow, aCol, b, bStep, c + done * cRow, cRow, out + done * outRow, outRow, floor);
    }
  }

  /** Few rows: B is read where it lies. */
  function narrow(
    m: number, n: number, k: number, a: number, aRow: number, aCol: number, b: number, bRow: number,
    c: number, cRow: number, cCol: number, out: number, floor: number,
  ): void {
    let j = 0;
    const width = m <= 2 ? tileColumns[m] : panel;
    for (; width > panel && j + width <= n; j += width) {
      wide[m - 1](1, width, k, a, aRow, aCol, b + 4 * j, bRow, c + j * cCol, cRow, out + 4 * j, 4 * n, floor);
    }
    for (; j < n; j += panel) {
      const cols = Math.min(panel, n - j);
      column(products, m, cols, k, a, aRow, aCol, b + 4 * j, bRow, c + j * cCol, cRow, out + 4 * j, 4 * n, floor);
    }
  }

  /** Many rows: B is packed into panels, block by block. False if there is no room for them. */
  function blocked(
    tiles: Routine[], transposed: boolean, m: number, n: number, k: number, a: number, aRow: number, aCol: number,
    b: number, bRow: number, c: number, cRow: number, cCol: number, out: number, floor: number,
  ): boolean {
    const depth = Math.ceil(k / Math.max(1, Math.ceil(k / innerBlock)));
    const packed = stage.memory.scratch(32 * depth * Math.ceil(Math.min(n, columnBlock) / panel) + 32);
    if (packed < 0) return false;
    const outRow = 4 * n;
    for (let j0 = 0; j0 < n; j0 += columnBlock) {
      const j1 = Math.min(n, j0 + columnBlock);
      for (let p0 = 0; p0 === 0 || p0 < k; p0 += depth) {
        const inner = Math.min(depth, k - p0);
        for (let j = j0, to = packed; j < j1; j += panel, to += 32 * inner) {
          if (transposed) wasm.transpose(Math.min(panel, n - j), inner, b + j * bRow + 4 * p0, bRow, to, 32);
          else wasm.pack(inner, b + p0 * bRow + 4 * j, bRow, to);
        }
        const first = p0 === 0;
        const bound = p0 + depth >= k ? floor : -Infinity;
        for (let i = 0; i < m; i += rowBlock) {
          const rows = Math.min(rowBlock, m - i);
          for (let j = j0, from = packed; j < j1; j += panel, from += 32 * inner) {
            const to = out + i * outRow + 4 * j;
            const start = first ? c + i * cRow + j * cCol : to;
            const cols = Math.min(panel, n - j);
            column(tiles, rows, cols, inner, a + i * aRow + p0 * aCol, aRow, aCol, from, 32, start, first ? cRow : outRow, to, outRow, bound);
          }
        }
        if (depth === 0) break;
      }
    }
    return true;
  }

  /** Dot products of the rows of A with the rows of Bᵀ; strides let either be the longer side. */
  function dots(
    m: number, n: number, k: number, a: number, aRow: number, b: number, bRow: number,
    c: number, cRow: number, cCol: number, out: number, outRow: number, outCol: number,
  ): void {
    const full = m >> 2;
    const done = full * 4;
    for (let j = 0; j < n; j += 2) {
      const pair = j + 1 < n;
      const start = c + j * cCol;
      const to = out + j * outCol;
      if (full > 0) (pair ? wasm.dots4x2 : wasm.dots4x1)(full, k, a, aRow, b + j * bRow, bRow, start, cRow, cCol, to, outRow, outCol);
      if (m > done) {
        (pair ? wasm.dots1x2 : wasm.dots1x1)(m - done, k, a + done * aRow, aRow, b + j * bRow, bRow, start + done * cRow, cRow, cCol, to + done * outRow, outRow, outCol);
      }
    }
  }

  /** out = max(c + A·B, floor) for row-major A and B. */
  function product(
    m: number, n: number, k: number, a: number, b: number, c: number, cRow: number, cCol: number, out: number, floor: number,
  ): void {
    if (k > 0 && k <= thin) {
      outers[k - 1](m, n, a, 4 * k, b, 4 * n, c, cRow, cCol, out, 4 * n, floor);
      return;
    }
    if (n <= thinColumns && m >= 4) {
      const turned = stage.memory.scratch(4 * n * k);
      if (turned >= 0) {
        wasm.transpose(k, n, b, 4 * n, turned, 4 * k);
        dots(m, n, k, a, 4 * k, turned, 4 * k, c, cRow, cCol, out, 4 * n, 4);
        if (floor === 0) wasm.relu(m * n, out, out);
        return;
      }
    }
    if (m >= packFrom && blocked(products, false, m, n, k, a, 4 * k, 4, b, 4 * n, c, cRow, cCol, out, floor)) return;
    for (let i = 0; i < m; i += packFrom) {
      const rows = Math.min(packFrom, m - i);
      narrow(rows, n, k, a + 4 * k * i, 4 * k, 4, b, 4 * n, c + cRow * i, cRow, cCol, out + 4 * n * i, floor);
    }
  }

  /** out = c + Aᵀ·B for A[k×m], B[k×n]. False if there was no room. */
  function productTransposeA(
    m: number, n: number, k: number, a: number, b: number, c: number, cRow: number, cCol: number, out: number,
  ): boolean {
    if (k > 0 && k <= thin) {
      const turned = stage.memory.scratch(4 * m * k);
      if (turned < 0) return false;
      wasm.transpose(k, m, a, 4 * m, turned, 4 * k);
      outers[k - 1](m, n, turned, 4 * k, b, 4 * n, c, cRow, cCol, out, 4 * n, -Infinity);
      return true;
    }
    if (n <= thinColumns && m > thinColumns) {
      // (BᵀA)ᵀ: the long side becomes the row.
      const turned = stage.memory.scratch(8 * m * n + 64);
      if (turned < 0) return false;
      const upright = turned + 4 * m * n;
      narrow(n, m, k, b, 4, 4 * n, a, 4 * m, layout.zeros, 0, 0, turned, -Infinity);
      wasm.transpose(n, m, turned, 4 * m, cCol === 0 ? out : upright, 4 * n);
      if (cCol !== 0) wasm.add(m * n, upright, out, out);
      return true;
    }
    if (m >= packFrom) return blocked(products, false, m, n, k, a, 4, 4 * m, b, 4 * n, c, cRow, cCol, out, -Infinity);
    narrow(m, n, k, a, 4, 4 * m, b, 4 * n, c, cRow, cCol, out, -Infinity);
    return true;
  }

  /** out = c + A·Bᵀ for A[m×k], B[n×k]. False if there was no room. */
  function productTransposeB(
    m: number, n: number, k: number, a: number, b: number, c: number, cRow: number, cCol: number, out: number,
  ): boolean {
    if (k > 0 && k <= thin) {
      const turned = stage.memory.scratch(4 * n * k + 64);
      if (turned < 0) return false;
      wasm.transpose(n, k, b, 4 * k, turned, 4 * n);
      outers[k - 1](m, n, a, 4 * k, turned, 4 * n, c, cRow, cCol, out, 4 * n, -Infinity);
      return true;
    }
    if (n <= thinColumns) {
      dots(m, n, k, a, 4 * k, b, 4 * k, c, cRow, cCol, out, 4 * n, 4);
      return true;
    }
    if (m < dotsBelow) {
      dots(n, m, k, b, 4 * k, a, 4 * k, c, cCol, cRow, out, 4, 4 * n);
      return true;
    }
    return blocked(products, true, m, n, k, a, 4 * k, 4, b, 4 * k, c, cRow, cCol, out, -Infinity);
  }

  const isSingle = (a: Floats, b: Floats, out: Floats): boolean =>
    a instanceof Float32Array && b instanceof Float32Array && out instanceof Float32Array;

  return {
    matmul(m, n, k, a, b, out, accumulate) {
      if (!isSingle(a, b, out) || !stage.open(a, b, out)) return plainKernels.matmul(m, n, k, a, b, out, accumulate);
      const to = stage.at(out);
      product(m, n, k, stage.at(a), stage.at(b), accumulate ? to : layout.zeros, accumulate ? 4 * n : 0, accumulate ? 4 : 0, to, -Infinity);
      stage.close(out);
    },

    matmulTransposeA(m, n, k, a, b, out, accumulate) {
      if (isSingle(a, b, out) && stage.open(a, b, out)) {
        const to = stage.at(out);
        const done = productTransposeA(m, n, k, stage.at(a), stage.at(b), accumulate ? to : layout.zeros, accumulate ? 4 * n : 0, accumulate ? 4 : 0, to);
        stage.close(out);
        if (done) return;
      }
      plainKernels.matmulTransposeA(m, n, k, a, b, out, accumulate);
    },

    matmulTransposeB(m, n, k, a, b, out, accumulate) {
      if (isSingle(a, b, out) && stage.open(a, b, out)) {
        const to = stage.at(out);
        const done = productTransposeB(m, n, k, stage.at(a), stage.at(b), accumulate ? to : layout.zeros, accumulate ? 4 * n : 0, accumulate ? 4 : 0, to);
        stage.close(out);
        if (done) return;
      }
      plainKernels.matmulTransposeB(m, n, k, a, b, out, accumulate);
    },

    dense(activation, m, n, k, x, weights, bias, out) {
      if (!isSingle(x, weights, out) || !stage.open(x, weights, bias, out)) {
        return plainKernels.dense(activation, m, n, k, x, weights, bias, out);
      }
      const to = stage.at(out);
      product(m, n, k, stage.at(x), stage.at(weights), bias ? stage.at(bias) : layout.zeros, 0, bias ? 4 : 0, to, activation === 'relu' ? 0 : -Infinity);
      if (activation !== 'identity' && activation !== 'relu') wasm[activation](m * n, to, to);
      stage.close(out);
    },

    squaredDistances(m, n, d, a, b, out) {
      if (isSingle(a, b, out) && stage.open(a, b, out)) {
        const done = blocked(distances, true, m, n, d, stage.at(a), 4 * d, 4, stage.at(b), 4 * d, layout.zeros, 0, 0, stage.at(out), -Infinity);
        stage.close(out);
        if (done) return;
      }
      plainKernels.squaredDistances(m, n, d, a, b, out);
    },

    /** 1·bias added to x: an outer product with a column of ones. */
    addBias(rows, cols, x, bias, out) {
      if (!isSingle(x, bias, out) || !stage.open(x, bias, out)) return plainKernels.addBias(rows, cols, x, bias, out);
      outers[0](rows, cols, layout.one, 0, stage.at(bias), 0, stage.at(x), 4 * cols, 4, stage.at(out), 4 * cols, -Infinity);
      stage.close(out);
    },

    /** A row of ones times x. */
    columnSums(rows, cols, x, out, accumulate) {
      if (!isSingle(x, x, out) || !stage.open(x, out)) return plainKernels.columnSums(rows, cols, x, out, accumulate);
      const to = stage.at(out);
      narrow(1, cols, rows, layout.one, 0, 0, stage.at(x), 4 * cols, accumulate ? to : layout.zeros, 0, accumulate ? 4 : 0, to, -Infinity);
      stage.close(out);
    },
  };
}
