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

/** A product whose arrays have addresses. */
interface Product {
  readonly executor: Executor;
  readonly count: number;
  readonly list: number;
  readonly starts: number;
  readonly columns: number;
  readonly values: number;
  readonly x: number;
  readonly height: number;
  /** Bytes of a row of x and of out. */
  readonly row: number;
  readonly bias: number;
  /** Bytes from the bias of one column to that of the next; 0 where zeros take its place. */
  readonly biasStep: number;
  readonly out: number;
  readonly floor: number;
}

export function listedProduct(
  routines: BatchRoutines['listed'],
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): BatchKernels['csrRowsMatmul'] {
  const { products, pairs } = routines;
  const { memory } = marshal;
  const panelBytes = ({ height }: Product): number => 4 * height * panelColumns;

  /** Panel after panel for some rows at a time: all panels are packed first. */
  function byBlocks(product: Product, panels: number, packed: number): void {
    const { executor, count, list, starts, columns, values, x, height, row, bias, biasStep, out, floor } = product;
    const bytes = panelBytes(product);
    const pack = executor.defer(routines.pack);
    for (let p = 0; p < panels; p++) pack(height, x + 4 * panelColumns * p, row, packed + p * bytes);
    executor.finish();
    const multiply = executor.defer(routines.panels);
    const fetch = executor.defer(routines.fetch);
    const step = biasStep * panelColumns;
    for (let i = 0; i < count; i += blockRows) {
      const [now, place] = [Math.min(blockRows, count - i), out + i * row];
      fetch(now, list + 4 * i, starts, columns, values);
      multiply(now, list + 4 * i, starts, columns, values, x, bias, step, place, row, 0, panels, packed, bytes, floor);
    }
  }

  /** All rows for panel after panel, each of which is packed just before it is used. */
  function byPanels(product: Product, panels: number, packed: number): void {
    const { executor, count, list, starts, columns, values, x, height, row, bias, biasStep, out, floor } = product;
    const multiply = executor.defer(routines.panels);
    const fetch = executor.defer(routines.fetch);
    const step = biasStep * panelColumns;
    const some = executor.count > 1 ? 1 : panels;
    const perThread = Math.ceil(panels / executor.count);
    for (let p = 0; p < panels; p += some) {
      // Most threads fetch the rows for themselves, before their share.
      if (p % perThread === 0) fetch(count, list, starts, columns, values);
      const [at, biasAt, panel] = [4 * panelColumns * p, bias + step * p, packed + p * panelBytes(product)];
      const [from, to] = [x + at, out + at];
      multiply(count, list, starts, columns, values, from, biasAt, step, to, row, height, some, panel, 0, floor);
    }
  }

  /** As many columns as panels have, at most: a row of the product must not depend on the other rows. */
  function byChunks(product: Product, width: number, from: number): void {
    const { executor, count, list, starts, columns, values, x, row, bias, biasStep, out, floor } = product;
    for (let c = from; c < width;) {
      const block = blockFor(width - c, listedWidths);
      inChunks(executor, count, width === 2 ? pairs : products[block], (multiply, i, some) => {
        const place = out + i * row + 4 * c;
        const biasAt = bias + biasStep * c;
        multiply(some, list + 4 * i, starts, columns, values, x + 4 * c, row, biasAt, place, row, floor);
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
      const [row, biasStep] = [4 * width, bias ? 4 : 0];
      const product = { executor, count, list, starts, columns, values, x, height, row, bias, biasStep, out, floor };
      let done = 0;
      if (width >= 2 * panelColumns && entries >= packFrom * height) {
        const panels = Math.floor(width / panelColumns);
        const inBlocks = count > 2 * blockRows;
        // Calls that are made at the same time have a panel each.
        const rooms = inBlocks || executor.count > 1 ? panels : 1;
        const packed = memory.scratch(panelBytes(product) * rooms);
        if (packed >= 0) {
          (inBlocks ? byBlocks : byPanels)(product, panels, packed);
          done = panels * panelColumns;
        }
      }
      byChunks(product, width, done);
      executor.finish();
    },
  );
  return (count, width, rows, starts, columns, values, x, bias, floor, out) => {
    const height = Math.floor(x.length / width);
    multiplyListed(height, count, width, rows, starts, columns, values, x, bias, floor, out);
  };
}
