/** How the routines of sparse products share their work: blocks of columns, and shares of rows, of columns, or of long rows. */

import { blockSide, columnsPerThread, pieceEntries, sliceHeight } from '../../../kernels/formats/products.ts';
import type { Floats } from '../../../kernels/types.ts';
import { type KernelMemory, layout } from '../../memory/memory.ts';
import { type Executor, type Host, inChunks } from '../../threads/executor.ts';
import type { Bytes } from '../columns.ts';
import { blockFor } from '../sparse/sparse.ts';
import { blockedWidths } from './formats.ts';
import type { ProductRoutines } from './routines.ts';
import { widthsOf } from './rows.ts';
import { slicedWidths } from './sliced-columns.ts';
import { balancedShares, type Share, splitAtLongRows } from './shares.ts';

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

/** The same, with blocks of one width as panels of the first of them. */
function panelBlocks(widths: readonly number[], width: number): { block: number; first: number; panels: number }[] {
  const all = columnBlocks(widths, width);
  return all
    .filter(({ block }, k) => block !== all[k - 1]?.block)
    .map(({ block, first }) => ({ block, first, panels: all.filter((each) => each.block === block).length }));
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

export function runTransposed(
  transposed: Routines['transposed'],
  clear: ProductRoutines['clear'],
  host: Host,
  bytes: Bytes,
) {
  const { memory } = host;
  // oxfmt-ignore
  return (rows: number, cols: number, width: number, starts: number, columns: number, values: number, x: number, out: number): void => {
    const executor = chooseFor(host, 2 * memory.entries(starts, rows) * width, bytes);
    const row = bytes * width;
    inChunks(executor, cols, clear, (cleared, from, count) => cleared(out + row * from, row * count));
    executor.finish();
    const at = memory.firstEntry(starts, 0);
    const shares = Math.max(1, Math.min(executor.count, Math.floor(width / columnsPerThread)));
    const share = columnsPerThread * Math.ceil(width / shares / columnsPerThread);
    for (let from = 0; from < width; from += share) {
      for (const { block, first, columns: count } of columnBlocks(widthsOf[bytes], Math.min(share, width - from))) {
        const product = executor.defer(transposed[block][count === width ? 'packed' : 'product']);
        const offset = bytes * (from + first);
        product(rows, starts, columns + 4 * at, values + bytes * at, x + offset, row, out + offset, row);
      }
    }
    executor.finish();
  };
}

/** How many layers are looked at. */
const sampledLayers = 16;

/** Whether the columns of three quarters of the layers follow each other: of a few of them, which are equally far apart. */
function hasRuns(memory: KernelMemory, starts: number, columns: number, slices: number): boolean {
  const layers = memory.entries(starts, slices);
  if (layers === 0) return false;
  const [first, step] = [columns / 4 + sliceHeight * memory.firstEntry(starts, 0), layers / sampledLayers];
  let found = 0;
  for (let k = 0; k < sampledLayers; k++) {
    const at = first + sliceHeight * Math.floor(step * (k + 0.5));
    let lane = 1;
    while (lane < sliceHeight && memory.int32[at + lane] === memory.int32[at] + lane) lane++;
    if (lane === sliceHeight) found++;
  }
  return found >= 0.75 * sampledLayers;
}

export function runSliced({ ordered, runs, listed, blocks }: Routines['sliced'], host: Host, bytes: Bytes) {
  const { memory } = host;
  // oxfmt-ignore
  return (rows: number, width: number, isOrdered: boolean, starts: number, order: number, columns: number, values: number, x: number, out: number) => {
    const slices = Math.ceil(rows / sliceHeight);
    const executor = chooseFor(host, 2 * sliceHeight * memory.entries(starts, slices) * width, bytes);
    const shares = sharesOf(host, executor, starts, slices);
    /** Slices that have all rows, and are in order. */
    const whole = isOrdered ? Math.floor(rows / sliceHeight) : 0;
    const run = (routine: Routines['sliced']['listed'], first: number, count: number, to: number): void => {
      const at = sliceHeight * memory.firstEntry(starts, first);
      routine(count, starts + 4 * first, columns + 4 * at, values + bytes * at, x, order + 4 * sliceHeight * first, to);
    };
    const row = bytes * width;
    for (const { block, first: column, columns: wide } of width === 1 ? [] : columnBlocks(slicedWidths[bytes], width)) {
      const product = executor.defer(blocks[block][wide === width ? 'packed' : 'product']);
      const offset = bytes * column;
      for (const { first, count } of shares) {
        const at = sliceHeight * memory.firstEntry(starts, first);
        product(count, starts + 4 * first, columns + 4 * at, values + bytes * at, x + offset, row, order + 4 * sliceHeight * first, out + offset, row);
      }
    }
    const inRuns = width === 1 && whole > 0 && hasRuns(memory, starts, columns, slices);
    const [inOrder, byList] = [executor.defer(inRuns ? runs : ordered), executor.defer(listed)];
    for (const { first, count } of width === 1 ? shares : []) {
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
    for (const { block, first: column, panels } of panelBlocks(blockedWidths[bytes], width)) {
      const product = executor.defer(width === 1 ? blocked.column : blocked.blocks[block]);
      const run = (first: number, count: number, to: number): void => {
        const at = memory.firstEntry(starts, first);
        const offset = bytes * column;
        product(count, starts + 4 * first, firsts + 4 * at, values + places * bytes * at, x + offset, row, to + offset, panels);
      };
      for (const { first, count } of shares) run(first, count, out + blockSide * row * first);
      if (whole < lines) run(whole, 1, end);
    }
    executor.finish();
    const last = new Uint8Array(memory.buffer, end, (rows - blockSide * whole) * row);
    if (whole < lines) new Uint8Array(memory.buffer, out + blockSide * row * whole, last.length).set(last);
  };
}
