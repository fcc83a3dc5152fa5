/** How is a product of listed rows shared out? In panels of x where its rows are read often, else in strips of the list. */

import type { BatchKernels } from '../../../kernels/batch/batch.ts';
import { csrRowsMatmul } from '../../../kernels/batch/sparse-rows.ts';
import { type Crew, type Share, strip } from '../../threads/crew.ts';
import { panelColumns } from './listed-code.ts';
import { layout } from '../../memory/memory.ts';
import type { Routines } from '../module.ts';
import { blockFor, csrWidths } from '../sparse/code.ts';
import { isSingle, type Stage } from '../../memory/stage.ts';

/**
 * Where every row of x is read so many times on average, it pays to copy x into panels first: rows of a wide x lie a
 * power of two apart as often as not, and then share a few lines of the first-level cache.
 */
const packFrom = 4;
/** Listed rows whose entries stay in the cache of a core while panel after panel is gone through. */
const blockRows = 256;

/** A product whose arrays have addresses. */
interface Product {
  readonly crew: Crew;
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

/** Falls back on its plain twin for Float64 and for want of room. */
export function listedProduct(wasm: Routines, stage: Stage, share: Share): BatchKernels['csrRowsMatmul'] {
  const products = csrWidths.map((width) => wasm[`csrRows${width}`]);
  const panelBytes = ({ height }: Product): number => 4 * height * panelColumns;

  /** Panel after panel for some rows at a time: all panels are packed first. */
  function byBlocks(product: Product, panels: number, packed: number): void {
    const { crew, count, list, starts, columns, values, x, height, row, bias, biasStep, out, floor } = product;
    const bytes = panelBytes(product);
    const pack = crew.later(wasm[`pack${panelColumns}`]);
    for (let p = 0; p < panels; p++) pack(height, x + 4 * panelColumns * p, row, packed + p * bytes);
    crew.finish();
    const [multiply, fetch] = [wasm.csrRowsPanels, wasm.fetch].map((routine) => crew.later(routine));
    const step = biasStep * panelColumns;
    for (let i = 0; i < count; i += blockRows) {
      const [now, place] = [Math.min(blockRows, count - i), out + i * row];
      fetch(now, list + 4 * i, starts, columns, values);
      multiply(now, list + 4 * i, starts, columns, values, x, bias, step, place, row, 0, panels, packed, bytes, floor);
    }
  }

  /** All rows for panel after panel, each of which is packed when its turn comes. */
  function byPanels(product: Product, panels: number, packed: number): void {
    const { crew, count, list, starts, columns, values, x, height, row, bias, biasStep, out, floor } = product;
    const [multiply, fetch] = [wasm.csrRowsPanels, wasm.fetch].map((routine) => crew.later(routine));
    const step = biasStep * panelColumns;
    const some = crew.count > 1 ? 1 : panels;
    const perThread = Math.ceil(panels / crew.count);
    for (let p = 0; p < panels; p += some) {
      // Most threads fetch the rows for themselves, before their share.
      if (p % perThread === 0) fetch(count, list, starts, columns, values);
      const [at, biasAt, panel] = [4 * panelColumns * p, bias + step * p, packed + p * panelBytes(product)];
      multiply(
        count,
        list,
        starts,
        columns,
        values,
        x + at,
        biasAt,
        step,
        out + at,
        row,
        height,
        some,
        panel,
        0,
        floor,
      );
    }
  }

  /** As many columns as panels have, at most: what a row comes to must not depend on the other rows. */
  function byStrips(product: Product, width: number, from: number): void {
    const { crew, count, list, starts, columns, values, x, row, bias, biasStep, out, floor } = product;
    const step = strip(count, crew);
    for (let c = from; c < width;) {
      const block = blockFor(Math.min(width - c, panelColumns));
      const multiply = crew.later(width === 2 ? wasm.csrRowsPair : products[block]);
      for (let i = 0; i < count; i += step) {
        const [some, place, biasAt] = [Math.min(step, count - i), out + i * row + 4 * c, bias + biasStep * c];
        multiply(some, list + 4 * i, starts, columns, values, x + 4 * c, row, biasAt, place, row, floor);
      }
      c += csrWidths[block];
    }
  }

  return (count, width, rows, starts, columns, values, x, bias, floor, out) => {
    const areSingle = isSingle(values) && isSingle(x) && isSingle(bias ?? x) && isSingle(out);
    if (!areSingle || !stage.admitAll([rows, starts, columns, values, x, bias ?? x, out])) {
      return csrRowsMatmul(count, width, rows, starts, columns, values, x, bias, floor, out);
    }
    let entries = 0;
    for (let i = 0; i < count; i++) entries += starts[rows[i] + 1] - starts[rows[i]];
    const product: Product = {
      crew: share(2 * entries * width),
      count,
      list: stage.at(rows),
      starts: stage.at(starts),
      columns: stage.at(columns),
      values: stage.at(values),
      x: stage.at(x),
      height: Math.floor(x.length / width),
      row: 4 * width,
      bias: bias ? stage.at(bias) : layout.zeros,
      biasStep: bias ? 4 : 0,
      out: stage.at(out),
      floor,
    };
    let done = 0;
    if (width >= 2 * panelColumns && entries >= packFrom * product.height) {
      const panels = Math.floor(width / panelColumns);
      const inBlocks = count > 2 * blockRows;
      // Calls that are made at the same time have a panel each.
      const rooms = inBlocks || product.crew.count > 1 ? panels : 1;
      const packed = stage.memory.scratch(panelBytes(product) * rooms);
      if (packed >= 0) {
        (inBlocks ? byBlocks : byPanels)(product, panels, packed);
        done = panels * panelColumns;
      }
    }
    byStrips(product, width, done);
    product.crew.finish();
    stage.close(out);
  };
}
