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
import { defineBatch, widest } from './batch-code.ts';
import { adamFlops } from './elementwise-twins.ts';
import { type Share, strip } from './crew.ts';
import { layout } from './memory.ts';
import type { Routines } from './module.ts';
import { kernelFamily } from './simd.ts';
import { panelColumns } from './listed-code.ts';
import { blockFor, csrWidths } from './sparse-code.ts';
import { isSingle, type Stage } from './stage.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const batchKernels = kernelFamily(plainBatch, defineBatch, batchTwins);

/**
 * Where every row of x is read so many times on average, it pays to copy x into panels first: rows of a wide x lie a
 * power of two apart as often as not, and then share a few lines of the first-level cache.
 */
const packFrom = 4;
/** Listed rows whose entries stay in the cache of a core while panel after panel is gone through. */
const blockRows = 256;
/** Rows of a larger table are seldom in the cache of the core. */
const nearBytes = 2 ** 20;

/** Each falls back on its plain twin for Float64 and for want of room. */
export function batchTwins(wasm: Routines, stage: Stage, share: Share): BatchKernels {
  const products = csrWidths.map((width) => wasm[`csrRows${width}`]);
  const [moves, replacements] = ['move', 'replace'].map((name) =>
    Array.from({ length: widest + 1 }, (_, width) => wasm[`${name}${width}`]),
  );
  return {
    csrRowsMatmul(count, width, rows, starts, columns, values, x, bias, floor, out) {
      const areSingle = isSingle(values) && isSingle(x) && isSingle(bias ?? x) && isSingle(out);
      if (!areSingle || !stage.admitAll([rows, starts, columns, values, x, bias ?? x, out])) {
        return csrRowsMatmul(count, width, rows, starts, columns, values, x, bias, floor, out);
      }
      let entries = 0;
      for (let i = 0; i < count; i++) entries += starts[rows[i] + 1] - starts[rows[i]];
      const crew = share(2 * entries * width);
      const [list, s, e, v] = [stage.at(rows), stage.at(starts), stage.at(columns), stage.at(values)];
      const [from, to, row] = [stage.at(x), stage.at(out), 4 * width];
      const [added, addedStep] = bias ? [stage.at(bias), 4] : [layout.zeros, 0];
      const height = Math.floor(x.length / width);
      let c = 0;
      if (width >= 2 * panelColumns && entries >= packFrom * height) {
        const panels = Math.floor(width / panelColumns);
        const panelBytes = 4 * height * panelColumns;
        const inBlocks = count > 2 * blockRows;
        // Calls that are made at the same time have a panel each.
        const packed = stage.memory.scratch(panelBytes * (inBlocks || crew.count > 1 ? panels : 1));
        const multiply = crew.later(wasm.csrRowsPanels);
        const step = addedStep * panelColumns;
        if (packed >= 0) c = panels * panelColumns;
        if (packed >= 0 && inBlocks) {
          const pack = crew.later(wasm[`pack${panelColumns}`]);
          for (let p = 0; p < panels; p++) pack(height, from + 4 * panelColumns * p, row, packed + p * panelBytes);
          crew.finish();
          for (let i = 0; i < count; i += blockRows) {
            const [now, place] = [Math.min(blockRows, count - i), to + i * row];
            multiply(now, list + 4 * i, s, e, v, from, added, step, place, row, 0, panels, packed, panelBytes, floor);
          }
        } else if (packed >= 0) {
          const some = crew.count > 1 ? 1 : panels;
          // Each thread fetches the rows for itself, before its share.
          const fetch = crew.later(wasm.fetch);
          const perThread = Math.ceil(panels / crew.count);
          for (let p = 0; p < panels; p += some) {
            if (p % perThread === 0) fetch(count, list, s, e, v);
            const [at, biasAt] = [4 * panelColumns * p, added + step * p];
            const panel = packed + p * panelBytes;
            multiply(count, list, s, e, v, from + at, biasAt, step, to + at, row, height, some, panel, 0, floor);
          }
        }
      }
      while (c < width) {
        // As wide as panels: what a row comes to must not depend on the other rows.
        const block = blockFor(Math.min(width - c, panelColumns));
        const product = crew.later(width === 2 ? wasm.csrRowsPair : products[block]);
        const step = strip(count, crew);
        for (let i = 0; i < count; i += step) {
          const [some, place, biasAt] = [Math.min(step, count - i), to + i * row + 4 * c, added + addedStep * c];
          product(some, list + 4 * i, s, e, v, from + 4 * c, row, biasAt, place, row, floor);
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
      if (!replacements[width] || !isSingle(x) || !isSingle(kept) || !stage.admitAll(arrays)) {
        return replaceRows(count, width, rows, mass, eta, x, kept, gram, mean);
      }
      const [etaAt, etaStep] = eta ? [stage.at(eta), 8] : [layout.zeros, 0];
      if (kept.byteLength > nearBytes) {
        wasm.fetchKept(count, stage.at(rows), stage.at(mass), etaAt, etaStep, stage.at(kept), 4 * width);
      }
      replacements[width](
        count,
        stage.at(rows),
        stage.at(mass),
        etaAt,
        etaStep,
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
      const arrays = [starts, columns, values, x, first, second, parameters];
      if (![values, x, first, second, parameters].every(isSingle) || !stage.admitAll(arrays)) {
        const numbers = [rate, beta1, beta2, epsilon, decay] as const;
        return adamProduct(rows, width, starts, columns, values, x, ...numbers, first, second, parameters);
      }
      if (decay !== 0) wasm['scale+'](rows * width, stage.at(parameters), stage.at(parameters), -decay);
      const crew = share(adamFlops * rows * width);
      const step = strip(rows, crew);
      const move = crew.later(wasm.adamProduct);
      for (let i = 0; i < rows; i += step) {
        move(
          Math.min(step, rows - i),
          width,
          stage.at(starts) + 4 * i,
          stage.at(columns) + 4 * starts[i],
          stage.at(values) + 4 * starts[i],
          stage.at(x),
          4 * width,
          stage.at(first) + 4 * i * width,
          stage.at(second) + 4 * i * width,
          stage.at(parameters) + 4 * i * width,
          rate,
          1 - beta1,
          1 - beta2,
          epsilon,
        );
      }
      crew.finish();
      stage.close(first, second, parameters);
    },
  };
}
