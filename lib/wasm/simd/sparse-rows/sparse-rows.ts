/** The SIMD twin of products of listed rows: by panels of x if its rows are read often, else by chunks of the list. */

import { csrRowsMatmul, type SparseRowsKernels } from '../../../kernels/batch/sparse-rows.ts';
import type { Routines } from '../../assembler/assembler.ts';
import { input, input32, output32 } from '../../memory/marshal.ts';
import { chunk, type Executor, type Host } from '../../threads/executor.ts';
import { blockFor } from '../sparse/sparse.ts';
import { type defineSparseRows, listedWidths, panelColumns } from './products.ts';

/**
 * If each row of x is read at least this often on average, it pays to copy x into panels first. The distance between rows of a
 * wide x is often a power of two, and then they compete for a few lines of the first-level cache.
 */
const packFrom = 4;
/** The entries of this many listed rows stay in the cache of a core while the panels are processed one after another. */
const blockRows = 256;

/** The number of entries of the listed rows; `list` and `starts` are places in the memory. */
function countEntries(memory: Int32Array, count: number, list: number, starts: number): number {
  let entries = 0;
  for (let i = list; i < list + count; i++) {
    const start = starts + memory[i];
    entries += memory[start + 1] - memory[start];
  }
  return entries;
}

export function sparseRowsTwins(routines: Routines<typeof defineSparseRows>, host: Host): SparseRowsKernels {
  const { products, pairs, fetch, pack, panels } = routines;
  const { memory } = host;
  /** Copies x into whole panels. Returns the number of their columns, 0 if there is no room. */
  const inPanels = (
    executor: Executor,
    height: number,
    count: number,
    width: number,
    list: number,
    starts: number,
    columns: number,
    values: number,
    x: number,
    bias: number,
    floor: number,
    out: number,
  ): number => {
    const row = 4 * width;
    const all = Math.floor(width / panelColumns);
    const isBlocked = count > 2 * blockRows;
    const panelBytes = 4 * height * panelColumns;
    // Calls that are made at the same time have a panel each.
    const packed = memory.scratch(panelBytes * (isBlocked || executor.count > 1 ? all : 1));
    if (packed < 0) return 0;
    const product = executor.defer(panels);
    const touch = executor.defer(fetch);
    const step = bias ? 4 * panelColumns : 0;
    if (isBlocked) {
      // All panels are packed first; then panel after panel for some rows at a time.
      const packLater = executor.defer(pack);
      for (let p = 0; p < all; p++) packLater(height, x + 4 * panelColumns * p, row, packed + p * panelBytes);
      executor.finish();
      for (let i = 0; i < count; i += blockRows) {
        const [now, rows, to] = [Math.min(blockRows, count - i), list + 4 * i, out + i * row];
        touch(now, rows, starts, columns, values);
        product(now, rows, starts, columns, values, x, bias, step, to, row, 0, all, packed, panelBytes, floor);
      }
      return all * panelColumns;
    }
    // All rows for panel after panel, each of which is packed just before it is used.
    const some = executor.count > 1 ? 1 : all;
    const perThread = Math.ceil(all / executor.count);
    for (let p = 0; p < all; p += some) {
      // Most threads fetch the rows for themselves, before their share.
      if (p % perThread === 0) touch(count, list, starts, columns, values);
      const at = 4 * panelColumns * p;
      const [from, by, to, panel] = [x + at, bias + step * p, out + at, packed + p * panelBytes];
      product(count, list, starts, columns, values, from, by, step, to, row, height, some, panel, 0, floor);
    }
    return all * panelColumns;
  };

  const multiply = host.kernel(
    (_height: number, ...operands: Parameters<typeof csrRowsMatmul>) => csrRowsMatmul(...operands),
    [input, input, input, input32, input32, input32, output32],
    (height, count, width, list, starts, columns, values, x, bias, floor, out) => {
      const entries = countEntries(memory.int32, count, list / 4, starts / 4);
      const executor = host.chooseExecutor(2 * entries * width);
      const step = chunk(count, executor);
      const row = 4 * width;
      const isPacked = width >= 2 * panelColumns && entries >= packFrom * height;
      // Blocks have as many columns as panels, at most: a row of the product must not depend on the other rows.
      let c = isPacked
        ? inPanels(executor, height, count, width, list, starts, columns, values, x, bias, floor, out)
        : 0;
      while (c < width) {
        const block = blockFor(width - c, listedWidths);
        const product = executor.defer(width === 2 ? pairs : products[block]);
        const by = bias && bias + 4 * c;
        for (let i = 0; i < count; i += step) {
          const to = out + i * row + 4 * c;
          product(Math.min(step, count - i), list + 4 * i, starts, columns, values, x + 4 * c, row, by, to, row, floor);
        }
        c += listedWidths[block];
      }
      executor.finish();
    },
  );
  return {
    csrRowsMatmul(count, width, rows, starts, columns, values, x, bias, floor, out) {
      const height = Math.floor(x.length / width);
      multiply(height, count, width, rows, starts, columns, values, x, bias, floor, out);
    },
  };
}
