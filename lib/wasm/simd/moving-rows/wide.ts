/** Rows of any number of columns that are mapped, replaced or moved, in blocks of rows in Float64 that tiles multiply. */

import type { Routines } from '../../assembler/assembler.ts';
import type { Repeat } from '../../assembler/statements.ts';
import { type KernelMemory, layout } from '../../memory/memory.ts';
import type { Bytes } from '../columns.ts';
import { rowBytes, tileProduct } from '../double/tiles.ts';
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

/** A kernel of N numbers and addresses. It returns null, with nothing written, if the memory has no room for scratch. */
type Wide<N extends number> = (...operands: Repeat<number, N>) => void | null;

/** Kernels on rows of any width, of numbers of `bytes` bytes. `mapRows` and `followRows` are for Float64. */
export function wideRows(routines: Routines<typeof defineWide>, memory: KernelMemory, bytes: Bytes) {
  const {
    tiles,
    scaleRows,
    gather,
    exchange,
    shift,
    spread,
    scaleColumns,
    divide,
    addSymmetric,
    hasOffDiagonal,
    clear,
  } = routines;

  const blockOf = (width: number): Block | null => {
    const row = rowBytes(width);
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

  /** Contiguous rows in Float64, `row` bytes apart. */
  const widen = (from: Bytes, count: number, width: number, x: number, out: number, row: number): void =>
    scaleRows.fromRows[from](count, width, layout.one64, 0, x, from * width, out, row);

  /** out = rows·matrix, or out += rows·matrix in a chain. All rows have `row` bytes. */
  const multiply = (
    mode: 'set' | 'chain',
    isDiagonal: boolean,
    ...[count, width, rows, matrix, out, row]: Repeat<number, 6>
  ): void => {
    const step = 8 * width;
    const from = { at: rows, layout: 'terms', stride: row } as const;
    if (!isDiagonal) tileProduct(tiles[mode], count, width, width, from, { at: matrix, step }, out, row);
    else scaleColumns[mode === 'set' ? 'set' : 'add'](count, width, rows, matrix, step + 8, out, row);
  };

  /** Matrices of most objectives and preconditioners are diagonal. */
  const mapOf = (width: number, p: number, q: number, s: number, massExponent: number): WideMap => {
    const [isDiagonalP, isDiagonalQ] = [p, q].map((matrix) => !hasOffDiagonal(width, matrix));
    return { p, q, s, massExponent, isDiagonalP, isDiagonalQ };
  };

  /** out ← (m·rows·P + product·Q + η·s)/m^massExponent for some rows; `own` is scratch. All rows have `row` bytes. */
  const map = (
    { p, q, s, massExponent, isDiagonalP, isDiagonalQ }: WideMap,
    ...[count, width, mass, eta, rows, product, own, out, row]: Repeat<number, 9>
  ): void => {
    scaleRows.fromRows[8](count, width, eta, eta ? 8 : 0, s, 0, out, row);
    multiply('chain', isDiagonalQ, count, width, product, q, out, row);
    multiply('set', isDiagonalP, count, width, rows, p, own, row);
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
    addSymmetric(width, width, block.gram, gram);
  };

  /** Mass and η of listed rows to the scratch memory of the block. Returns the address of the latter, or 0. */
  const gatherWeights = (rows: number, block: Block, list: number, mass: number, eta: number): number => {
    gather[8](rows, 1, list, mass, block.mass, 8);
    if (eta) gather[8](rows, 1, list, eta, block.eta, 8);
    return eta && block.eta;
  };

  const multiplyRows: Wide<7> = (count, width, factors, step, rows, matrix, out) => {
    const block = blockOf(width);
    if (!block) return null;
    const { row, old, fresh } = block;
    return inBlocks(count, (i, some) => {
      const bytesOfRow = bytes * width;
      const at = i * bytesOfRow;
      widen(bytes, some, width, rows + at, old, row);
      multiply('set', false, some, width, old, matrix, fresh, row);
      scaleRows.toRows[bytes](some, width, factors + i * step, step, fresh, row, out + at, bytesOfRow);
    });
  };

  const mapRows: Wide<11> = (count, width, mass, eta, p, q, s, massExponent, rows, product, out) => {
    const block = blockOf(width);
    if (!block) return null;
    const by = mapOf(width, p, q, s, massExponent);
    const row = 8 * width;
    return inBlocks(count, (i, some) => {
      const [from, affinity, to] = [rows, product, out].map((at) => at + i * row);
      map(by, some, width, mass + 8 * i, eta && eta + 8 * i, from, affinity, block.fresh, to, row);
    });
  };

  const replaceRows: Wide<9> = (count, width, list, mass, eta, x, kept, gram, mean) =>
    following(count, width, gram, (block, i, rows) => {
      const at = list + 4 * i;
      exchange[bytes](rows, width, at, x + i * bytes * width, kept, block.fresh, block.old, block.row);
      follow(rows, width, block, block.mass, gatherWeights(rows, block, at, mass, eta), mean);
    });

  const moveRows: Wide<14> = (...operands) => {
    const [count, width, list, mass, eta, p, q, s, massExponent, length, product, kept, gram, mean] = operands;
    const by = mapOf(width, p, q, s, massExponent);
    return following(count, width, gram, (block, i, rows) => {
      const { row, fresh, change, weighted, old } = block;
      const at = list + 4 * i;
      const etas = gatherWeights(rows, block, at, mass, eta);
      gather[bytes](rows, width, at, kept, old, row);
      widen(bytes, rows, width, product + i * bytes * width, weighted, row);
      map(by, rows, width, block.mass, etas, old, weighted, change, fresh, row);
      shift[bytes](rows, width, at, kept, fresh, old, row, length);
      follow(rows, width, block, block.mass, etas, mean);
    });
  };

  const followRows: Wide<8> = (count, width, mass, eta, before, after, gram, mean) =>
    following(count, width, gram, (block, i, rows) => {
      const at = 8 * i * width;
      widen(8, rows, width, after + at, block.fresh, block.row);
      widen(8, rows, width, before + at, block.old, block.row);
      follow(rows, width, block, mass + 8 * i, eta && eta + 8 * i, mean);
    });

  return { multiplyRows, mapRows, replaceRows, moveRows, followRows };
}
