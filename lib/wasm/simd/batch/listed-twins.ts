/** The SIMD twin of products of listed rows: in panels of x where its rows are read often, else in chunks of the list. */

import type { BatchKernels } from '../../../kernels/batch/batch.ts';
import { csrRowsMatmul } from '../../../kernels/batch/sparse-rows.ts';
import { input, input32, type Marshal, output32, value } from '../../memory/marshal.ts';
import { type ChooseExecutor, type Executor, inChunks } from '../../threads/executor.ts';
import { blockFor } from '../sparse/code.ts';
import type { BatchRoutines } from './code.ts';
import { listedWidths, panelColumns } from './listed-code.ts';

/**
 * Where every row of x is read so many times on average, it pays to copy x into panels first: rows of a wide x lie a
 * power of two apart as often as not, and then share a few lines of the first-level cache.
 */
const packFrom = 4;
/** Listed rows whose entries stay in the cache of a core while panel after panel is gone through. */
const blockRows = 256;

/** A product by addresses. */
interface Product {
  readonly executor: Executor;
  readonly count: number;
  readonly width: number;
  readonly list: number;
  readonly starts: number;
  readonly columns: number;
  readonly values: number;
  readonly x: number;
  readonly height: number;
  /** 0 for none. */
  readonly bias: number;
  readonly floor: number;
  readonly out: number;
}

export function listedProduct(
  { products, pairs, fetch, pack, panels }: BatchRoutines['listed'],
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): BatchKernels['csrRowsMatmul'] {
  const { memory } = marshal;

  /** Makes all whole panels of x and returns how many columns they have; 0 if there is no room. */
  function inPanels({ executor, count, width, list, starts, columns, values, ...product }: Product): number {
    const { x, height, bias, floor, out } = product;
    const all = Math.floor(width / panelColumns);
    const isBlocked = count > 2 * blockRows;
    const panelBytes = 4 * height * panelColumns;
    // Calls that are made at the same time have a panel each.
    const packed = memory.scratch(panelBytes * (isBlocked || executor.count > 1 ? all : 1));
    if (packed < 0) return 0;
    const multiply = executor.defer(panels);
    const touch = executor.defer(fetch);
    const row = 4 * width;
    const step = bias ? 4 * panelColumns : 0;
    if (isBlocked) {
      // All panels are packed first; then panel after panel for some rows at a time.
      const packLater = executor.defer(pack);
      for (let p = 0; p < all; p++) packLater(height, x + 4 * panelColumns * p, row, packed + p * panelBytes);
      executor.finish();
      for (let i = 0; i < count; i += blockRows) {
        const [now, rows, to] = [Math.min(blockRows, count - i), list + 4 * i, out + i * row];
        touch(now, rows, starts, columns, values);
        multiply(now, rows, starts, columns, values, x, bias, step, to, row, 0, all, packed, panelBytes, floor);
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
      multiply(count, list, starts, columns, values, from, by, step, to, row, height, some, panel, 0, floor);
    }
    return all * panelColumns;
  }

  /** As many columns as panels have, at most: a row of the product must not depend on the other rows. */
  function inBlocks(product: Product, done: number): void {
    const { executor, count, width, list, starts, columns, values, x, bias, floor, out } = product;
    const row = 4 * width;
    for (let c = done; c < width;) {
      const block = blockFor(width - c, listedWidths);
      inChunks(executor, count, width === 2 ? pairs : products[block], (multiply, i, some) => {
        const by = bias && bias + 4 * c;
        const to = out + i * row + 4 * c;
        multiply(some, list + 4 * i, starts, columns, values, x + 4 * c, row, by, to, row, floor);
      });
      c += listedWidths[block];
    }
  }

  const multiplyListed = marshal.kernel(
    (_height: number, ...operands: Parameters<typeof csrRowsMatmul>) => csrRowsMatmul(...operands),
    [value, value, value, input, input, input, input32, input32, input32, value, output32],
    (height, count, width, list, starts, columns, values, x, bias, floor, out) => {
      let entries = 0;
      for (let i = 0; i < count; i++) entries += memory.entries(starts + 4 * memory.int32[list / 4 + i], 1);
      const executor = chooseExecutor(2 * entries * width);
      const product = { executor, count, width, list, starts, columns, values, x, height, bias, floor, out };
      const isPacked = width >= 2 * panelColumns && entries >= packFrom * height;
      inBlocks(product, isPacked ? inPanels(product) : 0);
      executor.finish();
    },
  );
  return (count, width, rows, starts, columns, values, x, bias, floor, out) => {
    const height = Math.floor(x.length / width);
    multiplyListed(height, count, width, rows, starts, columns, values, x, bias, floor, out);
  };
}
