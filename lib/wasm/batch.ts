/** Which kernels serve a batch of listed rows? They are compiled when they are first asked for. */

import {
  adamProduct,
  moveRows,
  type BatchKernels,
  csrSlice,
  neighborUnion,
  plainBatch,
  replaceRows,
} from '../kernels/batch.ts';
import { csrRowsMatmul } from '../kernels/sparse-rows.ts';
import { defineBatch, widestMove } from './batch-code.ts';
import { adamFlops } from './elementwise-twins.ts';
import { type Share, strip } from './crew.ts';
import { layout } from './memory.ts';
import type { Routines } from './module.ts';
import { kernelFamily } from './simd.ts';
import { blockFor, csrWidths, panelColumns } from './sparse-code.ts';
import { isSingle, type Stage } from './stage.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const batchKernels = kernelFamily(plainBatch, defineBatch, batchTwins);

/**
 * Where every row of x is read so many times on average, it pays to copy x into panels first: rows of a wide x lie a
 * power of two apart as often as not, and then share a few lines of the first-level cache.
 */
const packFrom = 4;

/** Each falls back on its plain twin for Float64 and for want of room. */
export function batchTwins(wasm: Routines, stage: Stage, share: Share): BatchKernels {
  const products = csrWidths.map((width) => wasm[`csrRows${width}`]);
  const moves = Array.from({ length: widestMove + 1 }, (_, width) => wasm[`move${width}`]);
  return {
    csrRowsMatmul(count, width, rows, starts, columns, values, x, bias, floor, out) {
      const arrays = [rows, starts, columns, values, x, bias ?? x, out];
      if (![values, x, bias ?? x, out].every(isSingle) || !stage.admitAll(arrays)) {
        return csrRowsMatmul(count, width, rows, starts, columns, values, x, bias, floor, out);
      }
      let entries = 0;
      for (let i = 0; i < count; i++) entries += starts[rows[i] + 1] - starts[rows[i]];
      const crew = share(2 * entries * width);
      const step = strip(count, crew);
      const height = Math.floor(x.length / width);
      const packs = width >= 2 * panelColumns && entries >= packFrom * height;
      // Each panel has a place of its own where several are made at once.
      const panelBytes = crew.count > 1 ? 4 * height * panelColumns : 0;
      const packed = packs ? stage.memory.scratch(4 * height * (panelBytes ? width : panelColumns)) : -1;
      for (let c = 0; c < width;) {
        const inPanel = packed >= 0 && width - c >= panelColumns;
        const block = blockFor(inPanel ? panelColumns : width - c);
        const product = crew.later(inPanel ? wasm.csrRowsPanel : width === 2 ? wasm.csrRowsPair : products[block]);
        const some = inPanel ? count : step;
        for (let i = 0; i < count; i += some) {
          product(
            Math.min(some, count - i),
            stage.at(rows) + 4 * i,
            stage.at(starts),
            stage.at(columns),
            stage.at(values),
            stage.at(x) + 4 * c,
            4 * width,
            bias ? stage.at(bias) + 4 * c : layout.zeros,
            stage.at(out) + 4 * (i * width + c),
            4 * width,
            height,
            packed + (c / panelColumns) * panelBytes,
            floor,
          );
        }
        c += csrWidths[block];
      }
      crew.finish();
      stage.close(out);
    },
    csrSlice(count, rows, starts, columns, values, outStarts, outColumns, outValues) {
      const arrays = [rows, starts, columns, values, outStarts, outColumns, outValues];
      if (!isSingle(values) || !isSingle(outValues) || !stage.admitAll(arrays)) {
        return csrSlice(count, rows, starts, columns, values, outStarts, outColumns, outValues);
      }
      wasm.slice(
        count,
        stage.at(rows),
        stage.at(starts),
        stage.at(columns),
        stage.at(values),
        stage.at(outStarts),
        stage.at(outColumns),
        stage.at(outValues),
      );
      stage.close(outStarts, outColumns, outValues);
    },
    neighborUnion(count, batch, starts, columns, stamp, stamps, out) {
      if (!stage.admit(batch, starts, columns, stamps, out)) {
        return neighborUnion(count, batch, starts, columns, stamp, stamps, out);
      }
      const met = wasm.union(
        count,
        stage.at(batch),
        stage.at(starts),
        stage.at(columns),
        stamp,
        stage.at(stamps),
        stage.at(out),
      );
      stage.close(stamps, out);
      return met;
    },
    replaceRows(count, width, rows, mass, eta, x, kept, gram, mean) {
      const arrays = [rows, mass, eta ?? mass, x, kept, gram, mean];
      if (!isSingle(x) || !isSingle(kept) || !stage.admitAll(arrays)) {
        return replaceRows(count, width, rows, mass, eta, x, kept, gram, mean);
      }
      wasm.replace(
        count,
        width,
        stage.at(rows),
        stage.at(mass),
        eta ? stage.at(eta) : layout.zeros,
        eta ? 8 : 0,
        stage.at(x),
        stage.at(kept),
        stage.at(gram),
        stage.at(mean),
      );
      stage.close(kept, gram, mean);
    },
    moveRows(count, width, rows, mass, eta, p, q, s, power, length, product, kept, gram, mean) {
      const arrays = [rows, mass, eta ?? mass, p, q, s, product, kept, gram, mean];
      if (!moves[width] || !isSingle(product) || !isSingle(kept) || !stage.admitAll(arrays)) {
        return moveRows(count, width, rows, mass, eta, p, q, s, power, length, product, kept, gram, mean);
      }
      moves[width](
        count,
        stage.at(rows),
        stage.at(mass),
        eta ? stage.at(eta) : layout.zeros,
        eta ? 8 : 0,
        stage.at(p),
        stage.at(q),
        stage.at(s),
        power,
        stage.at(product),
        stage.at(kept),
        stage.at(gram),
        stage.at(mean),
        length,
      );
      stage.close(kept, gram, mean);
    },
    adamProduct(
      rows,
      width,
      starts,
      columns,
      values,
      x,
      rate,
      beta1,
      beta2,
      epsilon,
      decay,
      first,
      second,
      parameters,
    ) {
      const crew = share(adamFlops * rows * width);
      const step = strip(rows, crew);
      // Two rows for each part: a gradient, and zeros in place of those that are zero.
      const own = 8 * width;
      const arrays = [starts, columns, values, x, first, second, parameters];
      const single = [values, x, first, second, parameters].every(isSingle);
      const scratch = single ? stage.memory.scratch(own * Math.ceil(rows / step)) : -1;
      if (scratch < 0 || !stage.admitAll(arrays)) {
        const numbers = [rate, beta1, beta2, epsilon, decay] as const;
        return adamProduct(rows, width, starts, columns, values, x, ...numbers, first, second, parameters);
      }
      wasm.clear(scratch, own * Math.ceil(rows / step));
      const move = crew.later(wasm.adamProduct);
      for (let i = 0; i < rows; i += step) {
        move(
          Math.min(step, rows - i),
          width,
          stage.at(starts) + 4 * i,
          stage.at(columns) + 4 * starts[i],
          stage.at(values) + 4 * starts[i],
          stage.at(x),
          scratch + (own * i) / step,
          stage.at(first) + 4 * i * width,
          stage.at(second) + 4 * i * width,
          stage.at(parameters) + 4 * i * width,
          rate,
          1 - beta1,
          1 - beta2,
          epsilon,
          decay,
        );
      }
      crew.finish();
      stage.close(first, second, parameters);
    },
  };
}
