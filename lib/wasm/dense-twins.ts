/** Which tiles make a dense product of given sizes? Blocks for the caches, and paths of their own for thin shapes. */

import { type Kernels, plainKernels } from '../kernels/table.ts';
import { tileColumns } from './dense-code.ts';
import { layout } from './memory.ts';
import type { Routine, Routines } from './module.ts';
import type { Stage } from './stage.ts';
import type { Threads } from './threads.ts';

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

/** Entry (i, j) of a matrix at address + i·row + j·col, all in bytes. */
interface Strided {
  readonly address: number;
  readonly row: number;
  readonly col: number;
}

/** Where sums begin, m×n of them, where they go, row-major, and what is the least they may be (0 for a ReLU). */
interface Target {
  readonly m: number;
  readonly n: number;
  readonly start: Strided;
  readonly out: number;
  readonly floor: number;
}

const rowMajor = (address: number, cols: number): Strided => ({ address, row: 4 * cols, col: 4 });
const transposed = ({ address, row, col }: Strided): Strided => ({ address, row: col, col: row });
const zeros: Strided = { address: layout.zeros, row: 0, col: 0 };
const ones: Strided = { address: layout.one, row: 0, col: 0 };
const noFloor = -Infinity;

type DenseTwins = Pick<
  Kernels,
  'matmul' | 'matmulTransposeA' | 'matmulTransposeB' | 'dense' | 'squaredDistances' | 'addBias' | 'columnSums'
>;

export function denseTwins(wasm: Routines, stage: Stage, threads: Threads): DenseTwins {
  const byRows = (name: string): Routine[] => [1, 2, 3, 4].map((rows) => wasm[`${name}${rows}`]);
  const products = byRows('product');
  const distances = byRows('distance');
  const outers = byRows('outer');
  const wide = byRows('wide');

  /** `tiles` below each other from (i, j) on, with `k` terms of A from term p on, and B at b + 4·term·step. */
  function run(
    routine: Routine,
    tiles: number,
    i: number,
    j: number,
    cols: number,
    p: number,
    k: number,
    a: Strided,
    b: number,
    bStep: number,
    { start, out, n, floor }: Target,
  ): void {
    routine(
      tiles,
      cols,
      k,
      a.address + i * a.row + p * a.col,
      a.row,
      a.col,
      b,
      bStep,
      start.address + i * start.row + j * start.col,
      start.row,
      out + 4 * (i * n + j),
      4 * n,
      floor,
    );
  }

  /** Rows i … i+rows−1 of one panel of columns: four at a time, then the rest. */
  function column(
    tiles: Routine[],
    i: number,
    rows: number,
    j: number,
    p: number,
    k: number,
    a: Strided,
    b: number,
    bStep: number,
    target: Target,
  ): void {
    const cols = Math.min(panel, target.n - j);
    const rest = rows & 3;
    if (rows > 3) run(tiles[3], rows >> 2, i, j, cols, p, k, a, b, bStep, target);
    if (rest > 0) run(tiles[rest - 1], 1, i + rows - rest, j, cols, p, k, a, b, bStep, target);
  }

  /** Few rows: B, row-major, is read where it lies. */
  function narrow(k: number, a: Strided, b: Strided, target: Target): void {
    const { m, n } = target;
    const width = tileColumns[m] ?? panel;
    const many = width > panel ? n - (n % width) : 0;
    inBlocks(k, target, (p, terms, part) => {
      const from = b.address + p * b.row;
      let j = 0;
      for (; j < many; j += width) run(wide[m - 1], 1, 0, j, width, p, terms, a, from + 4 * j, b.row, part);
      for (; j < n; j += panel) column(products, 0, m, j, p, terms, a, from + 4 * j, b.row, part);
    });
  }

  /** Many rows: B, row-major or transposed, is packed into panels, block by block. False if there is no room for them. */
  function blocked(tiles: Routine[], k: number, a: Strided, b: Strided, target: Target): boolean {
    const { m, n } = target;
    const packed = stage.memory.scratch(4 * panel * blockDepth(k) * Math.ceil(Math.min(n, columnBlock) / panel));
    if (packed < 0) return false;
    const shared = threads.pays(2 * m * n * k);
    const transpose = shared ? threads.later(wasm.transpose) : wasm.transpose;
    // The ragged edge stays with the caller: its scratch tile is one for all.
    const wholeTiles = shared ? tiles.map((tile) => threads.later(tile)) : tiles;
    for (let left = 0; left < n; left += columnBlock) {
      const right = Math.min(n, left + columnBlock);
      inBlocks(k, target, (p, terms, part) => {
        const bytes = 4 * panel * terms;
        for (let j = left, to = packed; j < right; j += panel, to += bytes) {
          const from = b.address + p * b.row + j * b.col;
          if (b.col === 4) wasm.pack(terms, from, b.row, to);
          else transpose(Math.min(panel, n - j), terms, from, b.col, to, 4 * panel);
        }
        if (shared) threads.finish();
        for (let i = 0; i < m; i += rowBlock) {
          const rows = Math.min(rowBlock, m - i);
          for (let j = left, from = packed; j < right; j += panel, from += bytes) {
            column(n - j < panel ? tiles : wholeTiles, i, rows, j, p, terms, a, from, 4 * panel, part);
          }
        }
        if (shared) threads.finish();
      });
    }
    return true;
  }

  /** Dot products of the rows of A with the columns of B, both contiguous; `flipped` writes the transpose. */
  function dots(k: number, a: Strided, b: Strided, target: Target, flipped = false): void {
    const [rows, cols] = flipped ? [target.n, target.m] : [target.m, target.n];
    const whole = rows - (rows & 3);
    inBlocks(k, target, (p, terms, { start, out, n }) => {
      const from = flipped ? transposed(start) : start;
      const to = flipped ? transposed(rowMajor(out, n)) : rowMajor(out, n);
      const tile = (routine: Routine, tiles: number, i: number, j: number): void => {
        routine(
          tiles,
          terms,
          a.address + i * a.row + 4 * p,
          a.row,
          b.address + j * b.col + 4 * p,
          b.col,
          from.address + i * from.row + j * from.col,
          from.row,
          from.col,
          to.address + i * to.row + j * to.col,
          to.row,
          to.col,
        );
      };
      for (let j = 0; j < cols; j += 2) {
        const pair = j + 1 < cols;
        if (whole > 0) tile(pair ? wasm.dots4x2 : wasm.dots4x1, whole / 4, 0, j);
        if (rows > whole) tile(pair ? wasm.dots1x2 : wasm.dots1x1, rows - whole, whole, j);
      }
    });
  }

  /** Inner sizes up to four: A row-major, B row-major. */
  function outer(k: number, a: Strided, b: Strided, { m, n, start, out, floor }: Target): void {
    outers[k - 1](m, n, a.address, a.row, b.address, b.row, start.address, start.row, start.col, out, 4 * n, floor);
  }

  /** xᵀ in scratch memory, for x of so many rows and columns; null if there is no room. */
  function turn(rows: number, cols: number, x: Strided): Strided | null {
    const address = stage.memory.scratch(4 * rows * cols);
    if (address < 0) return null;
    wasm.transpose(rows, cols, x.address, x.row, address, 4 * rows);
    return rowMajor(address, rows);
  }

  /** A·B, both row-major. */
  function product(k: number, a: Strided, b: Strided, target: Target): boolean {
    const { m, n, out, floor } = target;
    if (k > 0 && k <= thin) {
      outer(k, a, b, target);
      return true;
    }
    const turned = n <= thinColumns && m >= 4 ? turn(k, n, b) : null;
    if (turned) {
      dots(k, a, transposed(turned), target);
      if (floor === 0) wasm.relu(m * n, out, out);
      return true;
    }
    if (m >= packFrom) return blocked(products, k, a, b, target);
    narrow(k, a, b, target);
    return true;
  }

  /** Aᵀ·B, `a` and `b` as they are stored, k×m and k×n. */
  function productTransposeA(k: number, a: Strided, b: Strided, target: Target): boolean {
    const { m, n, start, out } = target;
    if (k > 0 && k <= thin) {
      const turned = turn(k, m, a);
      if (turned) outer(k, turned, b, target);
      return turned !== null;
    }
    if (n <= thinColumns && m > thinColumns) {
      // (BᵀA)ᵀ: the long side becomes the row.
      const address = stage.memory.scratch(8 * m * n);
      if (address < 0) return false;
      const upright = address + 4 * m * n;
      narrow(k, transposed(b), a, { m: n, n: m, start: zeros, out: address, floor: noFloor });
      wasm.transpose(n, m, address, 4 * m, start === zeros ? out : upright, 4 * n);
      if (start !== zeros) wasm.add(m * n, upright, out, out);
      return true;
    }
    if (m >= packFrom) return blocked(products, k, transposed(a), b, target);
    narrow(k, transposed(a), b, target);
    return true;
  }

  /** A·Bᵀ, `b` as it is stored, n×k. */
  function productTransposeB(k: number, a: Strided, b: Strided, target: Target): boolean {
    const { m, n } = target;
    if (k > 0 && k <= thin) {
      const turned = turn(n, k, b);
      if (turned) outer(k, a, turned, target);
      return turned !== null;
    }
    if (n > thinColumns && m >= dotsBelow) return blocked(products, k, a, transposed(b), target);
    if (n <= thinColumns) dots(k, a, transposed(b), target);
    else dots(k, b, transposed(a), target, true);
    return true;
  }

  /** A kernel made of one of the products above; `aCols` and `bCols` are the columns of the matrices as they are stored. */
  function multiplication(
    multiply: typeof product,
    plain: Kernels['matmul'],
    aCols: (m: number, n: number, k: number) => number,
    bCols: (m: number, n: number, k: number) => number,
  ): Kernels['matmul'] {
    return (m, n, k, a, b, out, accumulate) => {
      if (stage.open(a, b, out)) {
        const left = rowMajor(stage.at(a), aCols(m, n, k));
        const right = rowMajor(stage.at(b), bCols(m, n, k));
        const done = multiply(k, left, right, targetOf(m, n, stage.at(out), accumulate));
        stage.close(out);
        if (done) return;
      }
      plain(m, n, k, a, b, out, accumulate);
    };
  }

  const { matmul, matmulTransposeA, matmulTransposeB } = plainKernels;
  const [byM, byN, byK] = [(m: number) => m, (_: number, n: number) => n, (_: number, __: number, k: number) => k];
  return {
    matmul: multiplication(product, matmul, byK, byN),
    matmulTransposeA: multiplication(productTransposeA, matmulTransposeA, byM, byN),
    matmulTransposeB: multiplication(productTransposeB, matmulTransposeB, byK, byK),

    dense(activation, m, n, k, x, weights, bias, out) {
      if (stage.open(x, weights, bias, out)) {
        const to = stage.at(out);
        const start = bias ? { address: stage.at(bias), row: 0, col: 4 } : zeros;
        const target = { m, n, start, out: to, floor: activation === 'relu' ? 0 : noFloor };
        const done = product(k, rowMajor(stage.at(x), k), rowMajor(stage.at(weights), n), target);
        if (done && activation !== 'identity' && activation !== 'relu') wasm[activation](m * n, to, to);
        stage.close(out);
        if (done) return;
      }
      plainKernels.dense(activation, m, n, k, x, weights, bias, out);
    },

    squaredDistances(m, n, d, a, b, out) {
      if (stage.open(a, b, out)) {
        const target = targetOf(m, n, stage.at(out), false);
        const done = blocked(distances, d, rowMajor(stage.at(a), d), transposed(rowMajor(stage.at(b), d)), target);
        stage.close(out);
        if (done) return;
      }
      plainKernels.squaredDistances(m, n, d, a, b, out);
    },

    /** x plus the product of a column of ones with the bias. */
    addBias(rows, cols, x, bias, out) {
      if (!stage.open(x, bias, out)) return plainKernels.addBias(rows, cols, x, bias, out);
      const start = rowMajor(stage.at(x), cols);
      outer(1, ones, rowMajor(stage.at(bias), cols), { m: rows, n: cols, start, out: stage.at(out), floor: noFloor });
      stage.close(out);
    },

    /** A row of ones times x. */
    columnSums(rows, cols, x, out, accumulate) {
      if (!stage.open(x, out)) return plainKernels.columnSums(rows, cols, x, out, accumulate);
      narrow(rows, ones, rowMajor(stage.at(x), cols), targetOf(1, cols, stage.at(out), accumulate));
      stage.close(out);
    },
  };
}

function targetOf(m: number, n: number, out: number, accumulate: boolean): Target {
  return { m, n, start: accumulate ? rowMajor(out, n) : zeros, out, floor: noFloor };
}

/** Blocks of nearly equal depth, at least one even if there are no terms. */
function blockDepth(k: number): number {
  return k === 0 ? 1 : Math.ceil(k / Math.ceil(k / innerBlock));
}

/** Terms p … p+terms−1 at a time: the first block starts where the target says, the others from what is there; the last has the floor. */
function inBlocks(k: number, target: Target, run: (p: number, terms: number, part: Target) => void): void {
  const depth = blockDepth(k);
  let p = 0;
  do {
    const last = p + depth >= k;
    const start = p === 0 ? target.start : rowMajor(target.out, target.n);
    run(
      p,
      Math.min(depth, k - p),
      p === 0 && last ? target : { ...target, start, floor: last ? target.floor : noFloor },
    );
    p += depth;
  } while (p < k);
}
