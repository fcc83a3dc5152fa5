/** How the routines of sparse products share their work: blocks of columns, and shares of rows, of columns, or of long rows. */

import { blockSide, pieceEntries, sliceHeight } from '../../../kernels/products.ts';
import type { Floats } from '../../../kernels/types.ts';
import { layout } from '../../memory/memory.ts';
import { type Executor, type Host, inChunks } from '../../threads/executor.ts';
import { worthwhileFlops } from '../../threads/threads.ts';
import type { Bytes } from '../columns.ts';
import { blockFor } from '../sparse/sparse.ts';
import { blockedWidths } from './formats.ts';
import type { ProductRoutines } from './routines.ts';
import { widthsOf } from './rows.ts';
import { balancedShares, groupsOfRows, type Share, splitAtLongRows } from './shares.ts';

type Routines = ProductRoutines[Bytes];

/** Several shares per thread, so that none waits long for the last. */
const sharesPerThread = 8;

/** The executor for `flops` operations. A vector has half as many doubles as singles. */
function chooseFor(host: Host, flops: number, bytes: Bytes): Executor {
  return host.chooseExecutor((flops * bytes) / 4);
}

/** Blocks of columns: the place of each in `widths`, its first column, and its width. */
function columnBlocks(widths: readonly number[], width: number): { block: number; first: number; columns: number }[] {
  const blocks = [];
  for (let first = 0; first < width;) {
    const block = blockFor(width - first, widths);
    blocks.push({ block, first, columns: widths[block] });
    first += widths[block];
  }
  return blocks;
}

/** All rows for one thread, else balanced shares. */
function sharesOf({ memory }: Host, { count }: Executor, starts: number, rows: number): readonly Share[] {
  if (rows === 0) return [];
  return count === 1 ? [{ first: 0, count: rows }] : balancedShares(memory, starts, rows, sharesPerThread * count);
}

/** A row whose pieces are summed by several threads: the sums of its pieces are `columns` numbers each, from `sums` on. */
interface LongRow {
  readonly sums: number;
  readonly pieces: number;
  readonly columns: number;
  readonly out: number;
}

export function runRows({ column, blocks }: Routines['rows'], host: Host, bytes: Bytes) {
  const { memory } = host;
  return (rows: number, width: number, starts: number, columns: number, values: number, x: number, out: number) => {
    const executor = chooseFor(host, 2 * memory.entries(starts, rows) * width, bytes);
    const row = bytes * width;
    const long: LongRow[] = [];
    const shares = sharesOf(host, executor, starts, rows).flatMap((share) =>
      splitAtLongRows(memory, starts, share, pieceEntries),
    );
    for (const { block, first, columns: count } of columnBlocks(widthsOf[bytes], width)) {
      const { piece, product, packed } = width === 1 ? column : blocks[block];
      const run = executor.defer(count === width ? packed : product);
      const runPiece = executor.defer(piece);
      for (const share of shares) {
        const [from, to] = [x + bytes * first, out + share.first * row + bytes * first];
        const entry = memory.firstEntry(starts, share.first);
        const entries = memory.firstEntry(starts, share.first + share.count) - entry;
        if (share.count > 1 || entries <= pieceEntries) {
          run(share.count, starts + 4 * share.first, columns + 4 * entry, values + bytes * entry, from, row, to, row);
          continue;
        }
        const pieces = Math.ceil(entries / pieceEntries);
        const sums = executor.count > 1 ? memory.take(pieces * count * bytes) : -1;
        for (let p = 0, at = entry; p < pieces; p++, at += pieceEntries) {
          const place = [
            Math.min(pieceEntries, entry + entries - at),
            columns + 4 * at,
            values + bytes * at,
            from,
            row,
          ] as const;
          // Pieces without sums of their own are added to the row, one after another.
          if (sums < 0) piece(...place, p === 0 ? layout.zeros : to, to);
          else runPiece(...place, layout.zeros, sums + p * count * bytes);
        }
        if (sums >= 0) long.push({ sums, pieces, columns: count, out: to });
      }
    }
    executor.finish();
    for (const each of long) addPieces(host, bytes, each);
  };
}

/** Adds the pieces of a row in their order, as one thread does. */
function addPieces({ memory }: Host, bytes: Bytes, { sums, pieces, columns, out }: LongRow): void {
  const view = (address: number, length: number): Floats =>
    bytes === 4 ? new Float32Array(memory.buffer, address, length) : new Float64Array(memory.buffer, address, length);
  const numbers = view(sums, pieces * columns);
  const target = view(out, columns);
  target.set(numbers.subarray(0, columns));
  // A sum of two Float32 numbers, rounded to Float64 and then to Float32, is their Float32 sum.
  for (let p = 1; p < pieces; p++) for (let c = 0; c < columns; c++) target[c] += numbers[p * columns + c];
  memory.give(sums);
}

/** Large products have two to four groups of rows with sums of their own: more than two only with this many entries per column for each. */
const entriesPerGroup = 8;
const mostGroups = 4;

/**
 * Groups of rows that threads add up apart from each other, at least two. Their number depends on the matrix and on the width alone, and one thread
 * works through the same groups: so bits do not depend on the number of threads.
 */
function groupCount(entries: number, cols: number, width: number, bytes: Bytes): number {
  if ((2 * entries * width * bytes) / 4 < worthwhileFlops) return 1;
  return Math.max(2, Math.min(mostGroups, Math.floor(entries / cols / entriesPerGroup)));
}

export function runTransposed(
  { transposed, add }: Pick<Routines, 'transposed' | 'add'>,
  clear: ProductRoutines['clear'],
  host: Host,
  bytes: Bytes,
) {
  const { memory } = host;
  // oxfmt-ignore
  return (rows: number, cols: number, width: number, starts: number, columns: number, values: number, x: number, out: number): void | null => {
    const entries = memory.entries(starts, rows);
    const executor = chooseFor(host, 2 * entries * width, bytes);
    const [row, length] = [bytes * width, cols * width];
    const groups = groupsOfRows(memory, starts, rows, groupCount(entries, cols, width, bytes));
    const sums = groups.length > 1 ? memory.take((groups.length - 1) * bytes * length) : 0;
    if (sums < 0) return null;
    const targetOf = (group: number): number => (group === 0 ? out : sums + (group - 1) * bytes * length);
    const clearSums = executor.defer(clear);
    for (const group of groups.keys()) clearSums(targetOf(group), bytes * length);
    executor.finish();
    for (const { block, first: column, columns: count } of columnBlocks(widthsOf[bytes], width)) {
      const product = executor.defer(transposed[block][count === width ? 'packed' : 'product']);
      const offset = bytes * column;
      for (const [group, { first, count: height }] of groups.entries()) {
        const at = memory.firstEntry(starts, first);
        product(height, starts + 4 * first, columns + 4 * at, values + bytes * at, x + first * row + offset, row, targetOf(group) + offset, row);
      }
    }
    executor.finish();
    if (groups.length === 1) return;
    for (let group = 1; group < groups.length; group++) {
      inChunks(executor, length, add, (added, from, count) => added(count, targetOf(group) + bytes * from, out + bytes * from));
      executor.finish();
    }
    memory.give(sums);
  };
}

export function runSliced({ ordered, listed }: Routines['sliced'], host: Host, bytes: Bytes) {
  const { memory } = host;
  // oxfmt-ignore
  return (rows: number, isOrdered: boolean, starts: number, order: number, columns: number, values: number, x: number, out: number) => {
    const slices = Math.ceil(rows / sliceHeight);
    const executor = chooseFor(host, 2 * sliceHeight * memory.entries(starts, slices), bytes);
    /** Slices that have all rows, and are in order. */
    const whole = isOrdered ? Math.floor(rows / sliceHeight) : 0;
    const run = (routine: Routines['sliced']['listed'], first: number, count: number, to: number): void => {
      const at = sliceHeight * memory.firstEntry(starts, first);
      routine(count, starts + 4 * first, columns + 4 * at, values + bytes * at, x, order + 4 * sliceHeight * first, to);
    };
    const [inOrder, byList] = [executor.defer(ordered), executor.defer(listed)];
    for (const { first, count } of sharesOf(host, executor, starts, slices)) {
      const split = Math.max(first, Math.min(first + count, whole));
      if (split > first) run(inOrder, first, split - first, out + bytes * sliceHeight * first);
      if (split < first + count) run(byList, split, first + count - split, out);
    }
    executor.finish();
  };
}

export function runBlocked(blocked: Routines['blocked'], host: Host, bytes: Bytes) {
  const { memory } = host;
  // oxfmt-ignore
  return (rows: number, cols: number, width: number, starts: number, firsts: number, values: number, x: number, out: number): void | null => {
    if (cols < blockSide || rows < blockSide) return null;
    const lines = Math.ceil(rows / blockSide);
    const whole = Math.floor(rows / blockSide);
    const row = bytes * width;
    const places = blockSide * blockSide;
    // The last line writes four rows, of which not all may exist.
    const end = whole < lines ? memory.scratch(blockSide * row) : 0;
    if (end < 0) return null;
    const executor = chooseFor(host, 2 * places * memory.entries(starts, lines) * width, bytes);
    const shares = sharesOf(host, executor, starts, whole);
    for (const { block, first: column } of columnBlocks(blockedWidths[bytes], width)) {
      const product = executor.defer(width === 1 ? blocked.column : blocked.blocks[block]);
      const run = (first: number, count: number, to: number): void => {
        const at = memory.firstEntry(starts, first);
        const offset = bytes * column;
        product(count, starts + 4 * first, firsts + 4 * at, values + places * bytes * at, x + offset, row, to + offset);
      };
      for (const { first, count } of shares) run(first, count, out + blockSide * row * first);
      if (whole < lines) run(whole, 1, end);
    }
    executor.finish();
    const last = new Uint8Array(memory.buffer, end, (rows - blockSide * whole) * row);
    if (whole < lines) new Uint8Array(memory.buffer, out + blockSide * row * whole, last.length).set(last);
  };
}
