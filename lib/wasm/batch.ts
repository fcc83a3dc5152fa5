/** Which kernels serve a batch of listed rows? They are compiled when they are first asked for. */

import { type BatchKernels, csrSlice, neighborUnion, plainBatch, replaceRows } from '../kernels/batch.ts';
import { csrRowsMatmul } from '../kernels/sparse-rows.ts';
import { defineBatch } from './batch-code.ts';
import { layout } from './memory.ts';
import type { Routines } from './module.ts';
import { kernelFamily } from './simd.ts';
import { blockFor, csrWidths } from './sparse-code.ts';
import { isSingle, type Stage } from './stage.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const batchKernels = kernelFamily(plainBatch, defineBatch, batchTwins);

/** Each falls back on its plain twin for Float64 and for want of room. */
export function batchTwins(wasm: Routines, stage: Stage): BatchKernels {
  const products = csrWidths.map((width) => wasm[`csrRows${width}`]);
  return {
    csrRowsMatmul(count, width, rows, starts, columns, values, x, out) {
      if (!isSingle(values) || !isSingle(x) || !isSingle(out) || !stage.admit(rows, starts, columns, values, x, out)) {
        return csrRowsMatmul(count, width, rows, starts, columns, values, x, out);
      }
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        products[block](
          count,
          stage.at(rows),
          stage.at(starts),
          stage.at(columns),
          stage.at(values),
          stage.at(x) + 4 * c,
          4 * width,
          layout.zeros,
          stage.at(out) + 4 * c,
          4 * width,
        );
        c += csrWidths[block];
      }
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
  };
}
