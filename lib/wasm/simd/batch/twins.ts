/** Which kernels serve a batch of listed rows? They are compiled when they are first asked for. */

import {
  moveRows,
  type BatchKernels,
  csrSlice,
  neighborUnion,
  plainBatch,
  replaceRows,
  sampledProduct,
  turnRows,
} from '../../../kernels/batch/batch.ts';
import { defineBatch, widest } from './code.ts';
import { adamTwins } from '../optimizer/adam-twins.ts';
import type { Share } from '../../threads/crew.ts';
import { listedProduct } from './listed-twin.ts';
import { layout } from '../../memory/memory.ts';
import type { Routines } from '../module.ts';
import { kernelFamily } from '../../simd.ts';
import { isSingle, type Stage } from '../../memory/stage.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const batchKernels = kernelFamily(plainBatch, defineBatch, batchTwins);

/** Rows of a larger table are seldom in the cache of the core, which a step fills with parameters. */
const nearBytes = 2 ** 18;

/** Each falls back on its plain twin for Float64 and for want of room. */
export function batchTwins(wasm: Routines, stage: Stage, share: Share): BatchKernels {
  const [moves, replacements] = ['move', 'replace'].map((name) =>
    Array.from({ length: widest + 1 }, (_, width) => wasm[`${name}${width}`]),
  );
  return {
    csrRowsMatmul: listedProduct(wasm, stage, share),
    ...adamTwins(wasm, stage, share),
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
    turnRows(rows, cols, starts, columns, values, outStarts, outColumns, outValues) {
      const arrays = [starts, columns, values, outStarts, outColumns, outValues];
      if (!isSingle(values) || !isSingle(outValues) || !stage.admitAll(arrays)) {
        return turnRows(rows, cols, starts, columns, values, outStarts, outColumns, outValues);
      }
      wasm.turn(
        rows,
        cols,
        stage.at(starts),
        stage.at(columns),
        stage.at(values),
        stage.at(outStarts),
        stage.at(outColumns),
        stage.at(outValues),
      );
      stage.close(outStarts, outColumns, outValues);
    },
    sampledProduct(rows, cols, inner, starts, columns, a, b, out) {
      if (![a, b, out].every(isSingle) || !stage.admit(starts, columns, a, b, out)) {
        return sampledProduct(rows, cols, inner, starts, columns, a, b, out);
      }
      wasm.sampled(rows, cols, inner, stage.at(starts), stage.at(columns), stage.at(a), stage.at(b), stage.at(out));
      stage.close(out);
    },
  };
}
