/** SIMD twins of the kernels for a batch of listed rows. */

import { type BatchKernels, plainBatch } from '../../../kernels/batch/batch.ts';
import { input, input32, type Marshal, output, output32, value } from '../../memory/marshal.ts';
import type { ChooseExecutor } from '../../threads/executor.ts';
import { adamTwins } from './adam-twins.ts';
import type { BatchRoutines } from './code.ts';
import { listedProduct } from './listed-twins.ts';

/** Rows of a larger table are seldom in the cache of the core, which a step fills with parameters. */
const nearBytes = 2 ** 18;

export function batchTwins(routines: BatchRoutines, marshal: Marshal, chooseExecutor: ChooseExecutor): BatchKernels {
  const { slice, union, fetchKept, replacements, moves, transpose, sampledProduct } = routines;
  const replaceRows = marshal.kernel(
    (_isFar: boolean, ...operands: Parameters<typeof plainBatch.replaceRows>) => plainBatch.replaceRows(...operands),
    [value, value, value, input, input, input, input32, output32, output, output],
    (isFar, count, width, rows, mass, eta, x, kept, gram, mean) => {
      if (!replacements[width - 1]) return null;
      const etaStep = eta ? 8 : 0;
      if (isFar) fetchKept(count, rows, mass, eta, etaStep, kept, 4 * width);
      return replacements[width - 1](count, rows, mass, eta, etaStep, x, kept, gram, mean);
    },
  );
  return {
    ...adamTwins(routines, marshal, chooseExecutor),
    csrRowsMatmul: listedProduct(routines.listed, marshal, chooseExecutor),
    csrSlice: marshal.kernel(
      plainBatch.csrSlice,
      [value, input, input, input, input32, output, output, output32],
      slice,
    ),
    neighborUnion: marshal.kernel(plainBatch.neighborUnion, [value, input, input, input, value, output, output], union),
    replaceRows: (count, width, rows, mass, eta, x, kept, gram, mean) =>
      replaceRows(kept.byteLength > nearBytes, count, width, rows, mass, eta, x, kept, gram, mean),
    moveRows: marshal.kernel(
      plainBatch.moveRows,
      [value, value, input, input, input, input, input, input, value, value, input32, output32, output, output],
      (count, width, rows, mass, eta, p, q, s, power, length, product, kept, gram, mean) => {
        const move = moves[width - 1];
        const etaStep = eta ? 8 : 0;
        if (!move) return null;
        return move(count, rows, mass, eta, etaStep, p, q, s, power, product, kept, gram, mean, length);
      },
    ),
    transposeRows: marshal.kernel(
      plainBatch.transposeRows,
      [value, value, input, input, input32, output, output, output32],
      transpose,
    ),
    sampledProduct: marshal.kernel(
      plainBatch.sampledProduct,
      [value, value, value, input, input, input32, input32, output32],
      sampledProduct,
    ),
  };
}
