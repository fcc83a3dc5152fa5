/** Rows of any number of columns that are mapped, replaced or moved, in blocks of rows in Float64 that tiles multiply. */

import type { Routines } from '../../assembler/assembler.ts';
import type { KernelMemory } from '../../memory/memory.ts';
import type { Bytes } from '../columns.ts';
import { tileProduct } from '../double/tiles.ts';
import type { defineWide } from './wide-routines.ts';

/** The number of rows of a block. Its arrays stay in the second-level cache. */
const blockRows = 64;

/** P, Q and s by their addresses, and the power of the mass, as in the contract of `mapRows`. */
interface WideMap {
  readonly p: number;
  readonly q: number;
  readonly s: number;
  readonly massExponent: number;
  readonly isDiagonalP: boolean;
  readonly isDiagonalQ: boolean;
}

/** The addresses of scratch memory: for the rows of a block, for their mass and η, and for the change of YᵀDY. */
interface Block {
  /** The bytes of a row. */
  readonly row: number;
  readonly fresh: number;
  readonly change: number;
  readonly weighted: number;
  readonly old: number;
  readonly mass: number;
  readonly eta: number;
  readonly gram: number;
}

/**
 * Kernels on rows of any width, of numbers with so many bytes, given by addresses. Each returns null, with nothing written, if the
 * memory has no room for scratch. `mapRows` and `followRows` are for Float64.
 */
export function wideRows(routines: Routines<typeof defineWide>, memory: KernelMemory, bytes: Bytes) {
  const { tiles, widen, gather, exchange, shift, scale, spread, scaleColumns, outer, divide, clear } = routines;

  const blockOf = (width: number): Block | null => {
    // A distance between rows that is no power of two: else they compete for a few lines of the first-level cache.
    const row = 8 * width + 32;
    const size = blockRows * row;
    const at = memory.scratch(4 * size + 16 * blockRows + 8 * width * width);
    if (at < 0) return null;
    const [fresh, change, weighted, old, mass] = [0, 1, 2, 3, 4].map((k) => at + k * size);
    return { row, fresh, change, weighted, old, mass, eta: mass + 8 * blockRows, gram: mass + 16 * blockRows };
  };

  /** Runs `body` for blocks of rows, from row i on. */
  const inBlocks = (count: number, body: (i: number, rows: number) => void): void => {
    for (let i = 0; i < count; i += blockRows) body(i, Math.min(blockRows, count - i));
  };

  /** out = rows·matrix, or out += rows·matrix in a chain. All rows have `row` bytes. */
  const multiply = (
    mode: 'set' | 'chain',
    count: number,
    width: number,
    rows: number,
    matrix: number,
    isDiagonal: boolean,
    out: number,
    row: number,
  ): void => {
    const step = 8 * width;
    const from = { at: rows, layout: 'terms', stride: row } as const;
    if (!isDiagonal) tileProduct(tiles[mode], count, width, width, from, { at: matrix, step }, out, row);
    else scaleColumns[mode === 'set' ? 'set' : 'add'](count, width, rows, matrix, step + 8, out, row);
  };

  /** Whether a matrix is diagonal, as those of most objectives and preconditioners are. */
  const isDiagonal = (width: number, matrix: number): boolean => {
    const entries = new Float64Array(memory.buffer, matrix, width * width);
    for (let i = 0, p = 0; i < width; i++) {
      for (let j = 0; j < width; j++, p++) if (entries[p] !== 0 && i !== j) return false;
    }
    return true;
  };

  const mapOf = (width: number, p: number, q: number, s: number, massExponent: number): WideMap => {
    const [isDiagonalP, isDiagonalQ] = [p, q].map((matrix) => isDiagonal(width, matrix));
    return { p, q, s, massExponent, isDiagonalP, isDiagonalQ };
  };

  /** out ← (m·rows·P + product·Q + η·s)/m^massExponent for some rows; `own` is scratch. All rows have `row` bytes. */
  const map = (
    count: number,
    width: number,
    { p, q, s, massExponent, isDiagonalP, isDiagonalQ }: WideMap,
    mass: number,
    eta: number,
    rows: number,
    product: number,
    own: number,
    out: number,
    row: number,
  ): void => {
    outer(count, width, eta, eta ? 8 : 0, s, out, row);
    multiply('chain', count, width, product, q, isDiagonalQ, out, row);
    multiply('set', count, width, rows, p, isDiagonalP, own, row);
    divide(count, width, mass, massExponent, own, out, row);
  };

  /**
   * Adds what the moments change by, when rows change from `old` o to `fresh` f, to the `gram` of the block and to `mean`. With
   * d = f − o, fᵀf − oᵀo is the symmetric part of dᵀ(f + o), so that the rounding is as small as the change.
   */
  const follow = (rows: number, width: number, block: Block, mass: number, eta: number, mean: number): void => {
    const { row, fresh, change, weighted, old, gram } = block;
    const across = (at: number, stride: number) => ({ at, layout: 'rows', stride }) as const;
    spread(rows, width, mass, fresh, old, change, weighted, row);
    tileProduct(tiles.add, width, width, rows, across(weighted, row), { at: fresh, step: row }, gram, 8 * width);
    if (eta) tileProduct(tiles.add, 1, width, rows, across(eta, 8), { at: change, step: row }, mean, 8 * width);
  };

  /** gram += the symmetric part of that of the block. */
  const addChange = (width: number, block: Block, gram: number): void => {
    const [change, out] = [block.gram, gram].map((at) => new Float64Array(memory.buffer, at, width * width));
    for (let s = 0; s < width; s++) {
      for (let t = 0; t <= s; t++) {
        const [p, q] = [s * width + t, t * width + s];
        const half = (change[p] + change[q]) / 2;
        out[p] += half;
        if (t < s) out[q] += half;
      }
    }
  };

  /** Runs `body` for blocks of rows, from row i on, then adds to `gram` what they add to the change of YᵀDY. */
  const following = (
    count: number,
    width: number,
    gram: number,
    body: (block: Block, i: number, rows: number) => void,
  ): void | null => {
    const block = blockOf(width);
    if (!block) return null;
    clear(block.gram, 8 * width * width);
    inBlocks(count, (i, rows) => body(block, i, rows));
    addChange(width, block, gram);
  };

  /** Mass and η of listed rows to the scratch memory of the block. Returns the address of the latter, or 0. */
  const gatherWeights = (
    rows: number,
    { mass: toMass, eta: toEta }: Block,
    list: number,
    mass: number,
    eta: number,
  ) => {
    gather[8](rows, 1, mass, toMass, 8, list);
    if (eta) gather[8](rows, 1, eta, toEta, 8, list);
    return eta && toEta;
  };

  const multiplyRows = (
    count: number,
    width: number,
    factors: number,
    step: number,
    rows: number,
    matrix: number,
    out: number,
  ): void | null => {
    const block = blockOf(width);
    if (!block) return null;
    const { row, old, fresh } = block;
    inBlocks(count, (i, some) => {
      const at = i * bytes * width;
      widen[bytes](some, width, rows + at, old, row, 0);
      multiply('set', some, width, old, matrix, false, fresh, row);
      scale[bytes](some, width, factors + i * step, step, fresh, row, out + at);
    });
  };

  const mapRows = (
    count: number,
    width: number,
    mass: number,
    eta: number,
    p: number,
    q: number,
    s: number,
    massExponent: number,
    rows: number,
    product: number,
    out: number,
  ): void | null => {
    const block = blockOf(width);
    if (!block) return null;
    const by = mapOf(width, p, q, s, massExponent);
    const row = 8 * width;
    inBlocks(count, (i, some) => {
      const [from, affinity, to] = [rows, product, out].map((at) => at + i * row);
      map(some, width, by, mass + 8 * i, eta && eta + 8 * i, from, affinity, block.fresh, to, row);
    });
  };

  const replaceRows = (
    count: number,
    width: number,
    list: number,
    mass: number,
    eta: number,
    x: number,
    kept: number,
    gram: number,
    mean: number,
  ): void | null =>
    following(count, width, gram, (block, i, rows) => {
      const at = list + 4 * i;
      exchange[bytes](rows, width, at, x + i * bytes * width, kept, block.fresh, block.old, block.row);
      follow(rows, width, block, block.mass, gatherWeights(rows, block, at, mass, eta), mean);
    });

  const moveRows = (
    count: number,
    width: number,
    list: number,
    mass: number,
    eta: number,
    p: number,
    q: number,
    s: number,
    massExponent: number,
    length: number,
    product: number,
    kept: number,
    gram: number,
    mean: number,
  ): void | null => {
    const by = mapOf(width, p, q, s, massExponent);
    return following(count, width, gram, (block, i, rows) => {
      const { row, fresh, change, weighted, old } = block;
      const at = list + 4 * i;
      const etas = gatherWeights(rows, block, at, mass, eta);
      gather[bytes](rows, width, kept, old, row, at);
      widen[bytes](rows, width, product + i * bytes * width, weighted, row, 0);
      map(rows, width, by, block.mass, etas, old, weighted, change, fresh, row);
      shift[bytes](rows, width, at, kept, fresh, old, row, length);
      follow(rows, width, block, block.mass, etas, mean);
    });
  };

  const followRows = (
    count: number,
    width: number,
    mass: number,
    eta: number,
    before: number,
    after: number,
    gram: number,
    mean: number,
  ): void | null =>
    following(count, width, gram, (block, i, rows) => {
      const at = 8 * i * width;
      widen[8](rows, width, after + at, block.fresh, block.row, 0);
      widen[8](rows, width, before + at, block.old, block.row, 0);
      follow(rows, width, block, mass + 8 * i, eta && eta + 8 * i, mean);
    });

  return { multiplyRows, mapRows, replaceRows, moveRows, followRows };
}
