/** How is a sparse product of any width put together from blocks of columns? Each falls back on its plain twin for Float64 and for want of room. */

import { type Share, strip } from './crew.ts';
import * as plain from '../kernels/sparse.ts';
import type { Kernels } from '../kernels/table.ts';
import { layout } from './memory.ts';
import type { Routines } from './module.ts';
import { blockFor, csrPanel, csrWidths } from './sparse-code.ts';
import { isSingle, type Stage } from './stage.ts';

type SparseTwins = Pick<Kernels, 'csrMatmul' | 'csrTransposeMatmul' | 'csrRowSums'>;

/**
 * Where every row of x is read so many times on average, it pays to copy x into panels first: rows of a wide x lie a
 * power of two apart as often as not, and then share a few lines of the first-level cache.
 */
const packFrom = 4;
/** Rows that a thread takes at a time, at least. */
const fewestRows = 64;

export function sparseTwins(wasm: Routines, stage: Stage, share: Share): SparseTwins {
  const products = csrWidths.map((width) => wasm[`csr${width}`]);
  const transposed = csrWidths.map((width) => wasm[`csrT${width}`]);
  return {
    csrMatmul(rows, width, starts, columns, values, x, out, accumulate) {
      if (!stage.open(starts, columns, values, x, out)) {
        return plain.csrMatmul(rows, width, starts, columns, values, x, out, accumulate);
      }
      const entries = starts[rows] - starts[0];
      const crew = share(2 * entries * width);
      const step = strip(rows, crew, fewestRows);
      const cols = Math.floor(x.length / width);
      const packs = width >= 2 * csrPanel && entries >= packFrom * cols;
      // Each panel has a place of its own where several are made at once.
      const panelBytes = 4 * cols * csrPanel * Number(crew.count > 1);
      const packed = packs ? stage.memory.scratch(4 * cols * (panelBytes ? width : csrPanel)) : -1;
      for (let c = 0; c < width;) {
        const inPanel = packed >= 0 && width - c >= csrPanel;
        const block = blockFor(inPanel ? csrPanel : width - c);
        const product = crew.later(inPanel ? wasm.csrPanel : products[block]);
        const height = inPanel ? rows : step;
        for (let i = 0; i < rows; i += height) {
          const to = stage.at(out) + 4 * (i * width + c);
          product(
            Math.min(height, rows - i),
            stage.at(starts) + 4 * i,
            stage.at(columns) + 4 * starts[i],
            stage.at(values) + 4 * starts[i],
            stage.at(x) + 4 * c,
            4 * width,
            accumulate ? to : layout.zeros,
            accumulate ? 4 * width : 0,
            to,
            4 * width,
            cols,
            packed + (c / csrPanel) * panelBytes,
          );
        }
        c += csrWidths[block];
      }
      crew.finish();
      stage.close(out);
    },
    csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, accumulate) {
      if (!stage.open(starts, columns, values, x, out)) {
        return plain.csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, accumulate);
      }
      if (!accumulate) wasm.clear(stage.at(out), 4 * cols * width);
      const first = 4 * starts[0];
      const crew = share(2 * (starts[rows] - starts[0]) * width);
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        const product = crew.later(transposed[block]);
        product(
          rows,
          stage.at(starts),
          stage.at(columns) + first,
          stage.at(values) + first,
          stage.at(x) + 4 * c,
          4 * width,
          stage.at(out) + 4 * c,
          4 * width,
        );
        c += csrWidths[block];
      }
      crew.finish();
      stage.close(out);
    },
    csrRowSums(rows, starts, values, out) {
      if (!isSingle(values) || !stage.admit(starts, values, out)) return plain.csrRowSums(rows, starts, values, out);
      wasm.csrRowSums(rows, stage.at(starts), stage.at(values) + 4 * starts[0], stage.at(out));
      stage.close(out);
    },
  };
}
